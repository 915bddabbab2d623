/* Files mapped into memory, and files written from memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ir/diag.h"
#include "runtime/file.h"

const void *
rt_file_map(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const void *file = NULL;
    struct stat s;

    *size = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
        *size = (size_t)s.st_size;
        file = *size ? mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0) : "";
        if (file == MAP_FAILED)
            file = NULL;
    } else if (S_ISDIR(s.st_mode)) {
        errno = EISDIR;
    } else {
        errno = EINVAL;
    }
    close(fd);
    return file;
}

void
rt_file_unmap(const void *file, size_t size)
{
    if (file && size)
        munmap((void *)file, size);
}

static bool
write_parts(FILE *file, size_t n, const rt_part *part)
{
    bool good = true;

    for (size_t i = 0; i < n && good; i++)
        good = fwrite(part[i].bytes, 1, part[i].n, file) == part[i].n;
    return good;
}

int
rt_file_write(const char *path, size_t n, const rt_part *part)
{
    FILE *file = fopen(path, "wb");
    int why = !file || !write_parts(file, n, part) ? errno : 0;
    struct stat s;

    if (file && fclose(file) != 0 && !why)
        why = errno;
    if (why && file && stat(path, &s) == 0 && S_ISREG(s.st_mode))
        remove(path);
    return why;
}

cot_status
rt_file_save(cot_context *ctx, const char *path, const void *bytes, size_t n)
{
    const int why = rt_file_write(path, 1, &(rt_part){ bytes, n });

    return why ? ir_fail_io(ctx, path, why) : COT_OK;
}
