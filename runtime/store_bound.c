/* Keeping a file may not cost a look at all the others: of 40,000 files that is 60 ms, more
 * than most kernels take to compile.  So the folder has a tally, a file of 64-bit numbers:
 * when the folder was last looked through, the sum of its files then, and the size of each
 * file since, which is appended in one write, so that any number of processes do so at once.
 * The sum of the tally is at least that of the files, since it counts a file that was replaced
 * twice, but for what is appended to a tally while another takes its place.  Once that sum
 * passes the bound, after a day, or where the tally is missing, long or malformed, the folder
 * is looked through, and the tally made anew. */
#define _GNU_SOURCE 1
#include "runtime/store_bound.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    WHEN, SUM,                  /* the first numbers of a tally                           */
    LONGEST = 1 << 14,          /* numbers: reading them costs as much as to list 50 files */
    DAY = 86400,                /* seconds after which a tally is made anew               */
    STALE = 3600                /* seconds after which an unfinished file is abandoned    */
};
static const char tally_name[] = ".tally";

typedef struct entry {
    char name[RT_STORE_NAME];
    time_t used;
    uint64_t bytes;
} entry;

/* -- the tally -- */

/* Does the process's limit of a file allow a tally?  To write beyond it is a signal. */
static bool
may_grow(void)
{
    struct rlimit most;

    return getrlimit(RLIMIT_FSIZE, &most) == 0 &&
           (most.rlim_cur == RLIM_INFINITY || most.rlim_cur > 2 * LONGEST * sizeof(uint64_t));
}

bool
rt_store_note(int folder, uint64_t bytes)
{
    const int how = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
              file = may_grow() ? openat(folder, tally_name, how) : -1;
    const bool good = file >= 0 && write(file, &bytes, sizeof bytes) == sizeof bytes;

    if (file >= 0)
        close(file);
    return good;
}

/* Does the tally say that the files fit? */
static bool
tally_fits(int folder, uint64_t limit)
{
    const int file = openat(folder, tally_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    uint64_t *number = file >= 0 ? malloc(LONGEST * sizeof *number) : NULL;
    const ssize_t got = number ? read(file, number, LONGEST * sizeof *number) : -1;
    const size_t n = got > 0 ? (size_t)got / sizeof *number : 0;
    const uint64_t now = (uint64_t)time(NULL);
    bool fits = n > SUM && n < LONGEST && (size_t)got % sizeof *number == 0 &&
                number[WHEN] <= now && now - number[WHEN] <= DAY;
    uint64_t rest = limit;

    for (size_t i = SUM; i < n && fits; i++) {
        fits = number[i] <= rest;
        rest -= fits ? number[i] : 0;
    }
    free(number);
    if (file >= 0)
        close(file);
    return fits;
}

/* It appears whole, under its name, in the place of the one before it. */
static void
write_tally(int folder, uint64_t sum)
{
    const uint64_t number[] = { [WHEN] = (uint64_t)time(NULL), [SUM] = sum };
    char fresh[64];

    snprintf(fresh, sizeof fresh, ".new.%ld.tally", (long)getpid());
    const int file = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            0600);
    if (file < 0)
        return;
    const bool good = write(file, number, sizeof number) == sizeof number;
    if (close(file) != 0 || !good || renameat(folder, fresh, folder, tally_name) != 0)
        unlinkat(folder, fresh, 0);
}

/* -- the files -- */

static int
by_use(const void *x, const void *y)
{
    const entry *a = x, *b = y;

    return (a->used > b->used) - (a->used < b->used);
}

static bool
is_key(const char *name)
{
    return strlen(name) == RT_STORE_NAME - 1 &&
           strspn(name, "0123456789abcdef") == RT_STORE_NAME - 1;
}

/* Files of writers that are gone, whose names begin with a dot, are removed on the way.  False:
 * memory is short. */
static bool
list_folder(DIR *files, entry **list, size_t *n)
{
    const int folder = dirfd(files);
    const time_t now = time(NULL);
    struct stat found;
    size_t cap = 0;

    for (struct dirent *d; (d = readdir(files)) != NULL;) {
        if (fstatat(folder, d->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(found.st_mode))
            continue;
        if (strncmp(d->d_name, ".new.", 5) == 0 && now - found.st_mtime > STALE)
            unlinkat(folder, d->d_name, 0);
        if (!is_key(d->d_name))
            continue;
        if (*n == cap) {
            entry *grown = realloc(*list, (cap = 2 * cap + 64) * sizeof **list);
            if (!grown)
                return false;
            *list = grown;
        }
        entry *e = &(*list)[(*n)++];
        memcpy(e->name, d->d_name, RT_STORE_NAME);
        e->used = found.st_mtime;
        e->bytes = (uint64_t)found.st_size;
    }
    return true;
}

/* Down to three quarters of the bound, so that it is not passed again at once: the sum of what
 * stays. */
static uint64_t
remove_oldest(int folder, uint64_t limit, entry *list, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += list[i].bytes;
    if (sum <= limit)
        return sum;
    qsort(list, n, sizeof *list, by_use);
    for (size_t i = 0; i < n && sum > limit / 4 * 3; i++) {
        unlinkat(folder, list[i].name, 0);
        sum -= list[i].bytes;
    }
    return sum;
}

void
rt_store_keep_bound(int folder, uint64_t limit, bool noted)
{
    if (noted && tally_fits(folder, limit))
        return;
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = again >= 0 ? fdopendir(again) : NULL;
    entry *list = NULL;
    size_t n = 0;

    if (!files) {
        if (again >= 0)
            close(again);
        return;
    }
    if (list_folder(files, &list, &n))
        write_tally(folder, remove_oldest(folder, limit, list, n));
    closedir(files);
    free(list);
}
