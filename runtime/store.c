/* Object code in a folder of the user's, from one process to the next.
 *
 * A file is named by its key (codegen/store.h) and holds objects and their digest.  Any number
 * of processes use the folder at once, without locks: a file is written under another name and
 * renamed when it is whole, so that a reader sees all of it or none, whenever a writer is
 * killed.  What is not whole, or was changed, fails its digest and is removed.
 *
 * Code from the folder is run, so nobody but its user may write there: a folder or a file
 * that another user owns, or that group or others may write, is not used.  Files are bounded in
 * their sum: those that were used least recently go first.  Whatever fails here (a full disk,
 * a folder that cannot be written) is no error: the kernel is compiled, as without a store. */
#define _GNU_SOURCE 1
#include "runtime/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cotrace/compile.h"
#include "ir/config.h"
#include "runtime/store_bound.h"

/* The first bytes of a file; n sizes of 64 bits and the objects follow. */
typedef struct header {
    char magic[8];
    uint32_t n, zero;
    ir_digest key, content;     /* of the objects */
} header;

enum {
    NAME = RT_STORE_NAME,
    LOOK_EVERY = 16,            /* files kept between looks at the sum of the folder's */
    FRESH = 600                 /* seconds for which the time of a file's use stays    */
};
static const char magic[8] = "cotcode2";

/* The counts are atomic, since a thread that compiles for the context keeps code, too. */
typedef struct store {
    cg_code_store table;
    _Atomic uint64_t hits, misses, kept;
    const char *path, *why_off;
    int folder;
    atomic_uint serial;
    uint64_t limit;
} store;

static const char attached;

/* -- the folder -- */

/* May only this user write it? */
static bool
is_ours(const struct stat *s)
{
    return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The folder and those above it that are missing, for the user alone. */
static void
make_folders(char *path)
{
    for (char *c = path + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0700);
            *c = '/';
        }
    mkdir(path, 0700);
}

/* Why the folder is not used; NULL: it is open. */
static const char *
open_folder(store *s, char *path)
{
    struct stat found;

    if (getuid() != geteuid())
        return "the program runs with the rights of another user than its caller";
    make_folders(path);
    s->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->folder < 0)
        return "it cannot be opened";
    if (fstat(s->folder, &found) == 0 && is_ours(&found))
        return NULL;
    close(s->folder);
    s->folder = -1;
    return "it is another user's, or others may write it";
}

/* -- files -- */

static bool
read_all(int file, void *to, size_t n)
{
    for (char *p = to; n > 0;) {
        const ssize_t got = read(file, p, n);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        p += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool
write_all(int file, const void *from, size_t n)
{
    for (const char *p = from; n > 0;) {
        const ssize_t put = write(file, p, n);
        if (put < 0 && errno != EINTR)
            return false;
        p += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static ir_digest
content_of(int n, const cg_object *object)
{
    ir_digest_state d;

    ir_digest_begin(&d);
    for (int i = 0; i < n; i++)
        ir_digest_add(&d, object[i].bytes, object[i].size);
    return ir_digest_end(&d);
}

static void
free_objects(int n, cg_object *object)
{
    for (int i = 0; i < n; i++)
        free((void *)(uintptr_t)object[i].bytes);
}

static bool
is_sound(const header *h, const ir_digest *key)
{
    return memcmp(h->magic, magic, sizeof magic) == 0 &&
           memcmp(&h->key, key, sizeof *key) == 0 && h->n >= 1 && h->n <= CG_MAX_OBJECTS &&
           h->zero == 0;
}

/* Do the objects fill the rest of the file? */
static bool
fill(const uint64_t *object_size, uint32_t n, off_t size)
{
    uint64_t rest = (uint64_t)size - sizeof(header);

    for (uint32_t i = 0; i < n; i++) {
        const uint64_t one = object_size[i] + sizeof *object_size;
        if (one < object_size[i] || one > rest)
            return false;
        rest -= one;
    }
    return rest == 0;
}

/* The objects of an open file: how many; 0: it is not whole, or memory is short. */
static int
read_objects(int file, const ir_digest *key, off_t size, cg_object *out)
{
    header h;
    uint64_t each[CG_MAX_OBJECTS];
    int n = 0;

    if (size < (off_t)sizeof h || !read_all(file, &h, sizeof h) || !is_sound(&h, key) ||
        !read_all(file, each, h.n * sizeof *each) || !fill(each, h.n, size))
        return 0;
    for (; n < (int)h.n; n++) {
        void *bytes = malloc(each[n] + 1);
        out[n] = (cg_object){ bytes, each[n] };
        if (!bytes)
            break;
        if (!read_all(file, bytes, each[n])) {
            n++;
            break;
        }
    }
    const ir_digest content = content_of(n, out);
    if (n == (int)h.n && memcmp(&content, &h.content, sizeof content) == 0)
        return n;
    free_objects(n, out);
    return 0;
}

/* The file's time says when it was last used. */
static void
touch(int file, const struct stat *s)
{
    if (time(NULL) - s->st_mtime > FRESH)
        futimens(file, NULL);
}

static int
find(void *self, const ir_digest *key, cg_object *out)
{
    store *s = self;
    char name[NAME];
    struct stat found;
    int n = 0;

    ir_digest_hex(key, name);
    const int file = openat(s->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode) && is_ours(&found)) {
        n = read_objects(file, key, found.st_size, out);
        if (n > 0)
            touch(file, &found);
        else
            unlinkat(s->folder, name, 0);
    }
    if (file >= 0)
        close(file);
    atomic_fetch_add(n > 0 ? &s->hits : &s->misses, 1);
    return n;
}

/* -- keeping -- */

static uint64_t
bytes_of(int n, const cg_object *object)
{
    uint64_t bytes = sizeof(header);

    for (int i = 0; i < n; i++)
        bytes += sizeof(uint64_t) + object[i].size;
    return bytes;
}

/* A file that passes the process's limit would be a signal. */
static bool
fits_limit(uint64_t bytes)
{
    struct rlimit most;

    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY ||
           bytes <= most.rlim_cur;
}

static bool
write_objects(int file, const ir_digest *key, int n, const cg_object *object)
{
    header h = { .n = (uint32_t)n, .key = *key, .content = content_of(n, object) };
    uint64_t each[CG_MAX_OBJECTS];
    bool good;

    memcpy(h.magic, magic, sizeof magic);
    for (int i = 0; i < n; i++)
        each[i] = object[i].size;
    good = write_all(file, &h, sizeof h) && write_all(file, each, (size_t)n * sizeof *each);
    for (int i = 0; i < n && good; i++)
        good = write_all(file, object[i].bytes, object[i].size);
    return good;
}

static void
keep(void *self, const ir_digest *key, int n, const cg_object *object)
{
    store *s = self;
    const uint64_t bytes = bytes_of(n, object);
    struct timespec now;
    char name[NAME], fresh[96];

    if (!fits_limit(bytes))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ir_digest_hex(key, name);
    snprintf(fresh, sizeof fresh, ".new.%ld.%u.%lx", (long)getpid(), s->serial++,
             (unsigned long)now.tv_nsec ^ (unsigned long)(uintptr_t)s);
    const int file =
        openat(s->folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    const bool good = write_objects(file, key, n, object);
    if (close(file) != 0 || !good || renameat(s->folder, fresh, s->folder, name) != 0) {
        unlinkat(s->folder, fresh, 0);
        return;
    }
    const bool noted = rt_store_note(s->folder, bytes);
    if (atomic_fetch_add(&s->kept, 1) % LOOK_EVERY == 0 || !noted)
        rt_store_keep_bound(s->folder, s->limit, noted);
}

/* -- a context's -- */

static void
release(void *data)
{
    store *s = data;

    if (s->folder >= 0)
        close(s->folder);
}

void
rt_store_open(cot_context *ctx)
{
    store *s = ir_attached_find(ctx, &attached);

    if (s)
        return;
    s = IR_NEW(&ctx->arena, store);
    *s = (store){ .folder = -1, .limit = ctx->config.cache_dir_bytes };
    s->path = ir_config_cache_dir(ctx);
    s->table = (cg_code_store){ s, find, keep };
    ir_attach(ctx, &attached, s, release);
    s->why_off =
        s->path ? open_folder(s, ir_copy_string(&ctx->arena, s->path)) : "no folder is named";
    if (!s->why_off)
        cg_code_store_attach(ctx, &s->table);
    else if (ctx->config.time && s->path)
        fprintf(stderr, "time: no code is kept in %s: %s\n", s->path, s->why_off);
}

cot_code_cache
cot_code_cache_of(const cot_context *ctx)
{
    const store *s = ctx ? ir_attached_find(ctx, &attached) : NULL;

    return s ? (cot_code_cache){ atomic_load(&s->hits), atomic_load(&s->misses),
                                 atomic_load(&s->kept), s->path, s->why_off }
             : (cot_code_cache){ .why_off = "nothing was compiled" };
}
