/* Run a fuzz target on the files named: the corpus, as a test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(1 << 16), *exact;
    size_t n;

    if (!file || !data)
        return 1;
    n = fread(data, 1, 1 << 16, file);
    fclose(file);
    exact = malloc(n + 1); /* so that a sanitizer sees a read past its end */
    if (!exact)
        return 1;
    for (size_t i = 0; i < n; i++)
        exact[i] = data[i];
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    free(data);
    return 0;
}

int
main(int argc, char **argv)
{
    int bad = 0;

    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%d files\n", argc - 1);
    return bad;
}
