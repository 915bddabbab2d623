/* Files that several processes write and read in parts (together.h).
 *
 * The first process makes the file under the name PATH.part, at its full length; each process
 * writes its parts and brings them to the disk; then the first renames the file and brings the
 * folder to the disk.  After each of these steps all agree that it went well.  So a process
 * that ends at any moment, or a disk that fills, leaves the file that was there. */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include "runtime/together.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A call of the system moves no more than this at a time, nor than Linux allows. */
enum { MAX_PIECE = 1 << 30 };

static size_t
least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* 0, or errno. */
static int
write_all(int file, const rt_extent *e)
{
    for (size_t at = 0; at < e->bytes;) {
        const ssize_t n = pwrite(file, (const char *)e->at + at,
                                 least(e->bytes - at, MAX_PIECE), (off_t)(e->offset + at));
        if (n < 0 && errno != EINTR)
            return errno;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* 0, errno, or -1: the file ends before. */
static int
read_all(int file, const rt_extent *e)
{
    for (size_t at = 0; at < e->bytes;) {
        const ssize_t n = pread(file, (char *)e->at + at, least(e->bytes - at, MAX_PIECE),
                                (off_t)(e->offset + at));
        if (n < 0 && errno != EINTR)
            return errno;
        if (n == 0)
            return -1;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Opens, runs a part of the work, and closes; failures go to the step. */
static void
write_own(const char *path, int flags, uint64_t size, int n, const rt_extent *part,
          rt_step *step)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    int why = file < 0 ? errno : 0;

    if (!why && size && ftruncate(file, (off_t)size) != 0)
        why = errno;
    for (int i = 0; i < n && !why; i++)
        why = write_all(file, &part[i]);
    if (!why && fsync(file) != 0 && errno != EINVAL)
        why = errno;
    if (file >= 0 && close(file) != 0 && !why)
        why = errno;
    if (why)
        rt_step_fail(step, COT_ERR_IO, NULL, why);
}

/* The name of the file in its folder is on the disk, too. */
static void
rename_file(const char *from, const char *path, char *folder, rt_step *step)
{
    char *slash = strrchr(folder, '/');

    if (rename(from, path) != 0) {
        rt_step_fail(step, COT_ERR_IO, NULL, errno);
        return;
    }
    if (slash)
        slash[slash == folder] = '\0';
    const int file = open(slash ? folder : ".", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file); /* not every file system can */
        close(file);
    }
}

/* name: room for the path and ".part"; folder: for the path. */
static cot_status
write_steps(cot_context *ctx, const char *path, char *name, char *folder, uint64_t size, int n,
            const rt_extent *part, rt_step *step)
{
    const bool leads = rt_rank(ctx) == 0;
    cot_status status;

    if (leads && step->status == COT_OK)
        write_own(name, O_CREAT | O_TRUNC, size, 0, NULL, step);
    status = rt_agree(ctx, path, size, step);
    if (status == COT_OK) {
        write_own(name, 0, 0, n, part, step);
        status = rt_agree(ctx, path, size, step);
    }
    if (status == COT_OK) {
        if (leads)
            rename_file(name, path, folder, step);
        status = rt_agree(ctx, path, size, step);
    }
    if (status != COT_OK && leads)
        (void)unlink(name);
    return status;
}

cot_status
rt_write_parts(cot_context *ctx, const char *path, uint64_t size, int n, const rt_extent *part,
               rt_step *step)
{
    const size_t length = strlen(path);
    char *name = malloc(length + sizeof ".part"), *folder = malloc(length + 2);

    if (name && folder) {
        sprintf(name, "%s.part", path);
        strcpy(folder, path);
    } else {
        rt_step_fail(step, COT_ERR_MEMORY, "out of memory", 0);
    }
    const cot_status status = write_steps(ctx, path, name, folder, size, n, part, step);
    free(name), free(folder);
    return status;
}

void
rt_read_parts(const char *path, int n, const rt_extent *part, rt_step *step)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    int why = file < 0 ? errno : 0;

    for (int i = 0; i < n && !why; i++)
        why = read_all(file, &part[i]);
    if (file >= 0)
        close(file);
    if (why < 0)
        rt_step_fail(step, COT_ERR_PARSE, "it ends before its data", 0);
    else if (why)
        rt_step_fail(step, COT_ERR_IO, NULL, why);
}

uint64_t
rt_file_size(const char *path, rt_step *step)
{
    struct stat s;

    if (stat(path, &s) != 0)
        rt_step_fail(step, COT_ERR_IO, NULL, errno);
    else if (!S_ISREG(s.st_mode))
        rt_step_fail(step, COT_ERR_IO, "it is no regular file", 0);
    else
        return (uint64_t)s.st_size;
    return 0;
}
