/* Reads the last bytes of npy files, calls the object with n rows, and writes its result.
 *   attention N RESULT X Y */
#include <stdio.h>
#include <stdlib.h>

#include "attention.h"

enum { WIDTH = 8 };

static float *
last_bytes(const char *path, size_t bytes)
{
    FILE *f = fopen(path, "rb");
    float *x = malloc(bytes);

    if (!f || !x || fseek(f, -(long)bytes, SEEK_END) != 0 || fread(x, 1, bytes, f) != bytes)
        exit(1);
    fclose(f);
    return x;
}

int
main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoi(argv[1]) : 0;
    const size_t bytes = (size_t)n * WIDTH * sizeof(float);

    if (argc < 5)
        return 1;
    float *x = last_bytes(argv[3], bytes), *y = last_bytes(argv[4], bytes), *z = malloc(bytes);
    void *work = aligned_alloc(ATTENTION_WORK_ALIGN,
                               (size_t)(attention_work_bytes(n) + 64) / 64 * 64);
    FILE *f = fopen(argv[2], "wb");

    if (!f || !z || !work || attention(n, x, y, z, work) != 0 ||
        fwrite(z, 1, bytes, f) != bytes || fclose(f) != 0)
        return 1;
    free(x), free(y), free(z), free(work);
    return 0;
}
