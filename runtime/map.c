/* A file as memory. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
