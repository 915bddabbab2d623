/* What the suites of kept code share: a folder that each case has anew, programs of one number
 * each, and what a context that compiles one found in the folder. */
#ifndef TESTS_UNIT_STORED_H
#define TESTS_UNIT_STORED_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum { N = 37, KEY = 64 };

static char folder[64];

static inline void
store_begin(void)
{
    strcpy(folder, "/tmp/cot-store-XXXXXX");
    ck_assert(mkdtemp(folder) != NULL);
    suite_begin();
}

static inline int
remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

static inline void
remove_folder(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void
store_end(void)
{
    suite_end();
    remove_folder(folder);
}

/* -- programs: sums of c x + sin x, of one number each -- */

static inline void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_add(cot_mul(in[0], *(const double *)user), cot_sin(in[0])),
                            .axes = COT_LIST(0));
}

static inline cot_context *
context_in(const char *path, uint64_t bytes)
{
    return cot_context_new(&(cot_options){ .cache_dir = path, .cache_dir_bytes = bytes });
}

static inline cot_status
compile_into(cot_context *c, const double *number, const char *backend, cot_kernel **k)
{
    cot_type t = cot_f64(N);
    cot_fn *f = cot_fn_new(c, "body", body, 1, 1, (void *)(uintptr_t)number);

    return cot_compile(f, (cot_types){ .n = 1, .at = &t },
                       &(cot_compile_options){ .backend = backend }, k);
}

static inline cot_kernel *
compiled(cot_context *c, const double *number, const char *backend)
{
    cot_kernel *k;

    ck_assert_msg(compile_into(c, number, backend, &k) == COT_OK, "%s", cot_error(c));
    return k;
}

static inline double
value_of(cot_context *c, const cot_kernel *k)
{
    double x[N], y = -1;

    for (int i = 0; i < N; i++)
        x[i] = i / 3.0 - 4;
    cot_array *in = cot_array_borrow(c, cot_f64(N), x),
              *out = cot_array_borrow(c, cot_f64(), &y);
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *[]){ in }), COT_OK);
    cot_array_free(in);
    cot_array_free(out);
    return y;
}

/* By the evaluator. */
static inline double
wanted(double number)
{
    cot_kernel *k = compiled(ctx, &number, "eval");
    const double y = value_of(ctx, k);

    cot_kernel_free(k);
    return y;
}

/* A context of its own compiles the program and runs it: what it found in the folder. */
static inline cot_code_cache
trial(const char *path, uint64_t bytes, double number, double want)
{
    cot_context *c = context_in(path, bytes);
    cot_kernel *k = compiled(c, &number, "jit");
    const double got = value_of(c, k);
    cot_code_cache seen = cot_code_cache_of(c);

    ck_assert_mem_eq(&got, &want, sizeof got);
    cot_kernel_free(k);
    seen.folder = NULL;
    cot_context_free(c);
    return seen;
}

#define IS(seen, h, m, k)                                                                      \
    do {                                                                                       \
        const cot_code_cache s_ = seen;                                                        \
        ck_assert_uint_eq(s_.hits, h);                                                         \
        ck_assert_uint_eq(s_.misses, m);                                                       \
        ck_assert_uint_eq(s_.kept, k);                                                         \
    } while (0)

/* -- files of the folder -- */

static inline const char *
path_of(const char *name)
{
    static char path[400];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* How many files are finished, or (unfinished) are not; the last one's name; their bytes. */
static inline int
count_files(bool unfinished, char *last, uint64_t *bytes)
{
    DIR *d = opendir(folder);
    struct stat s;
    int n = 0;

    ck_assert(d != NULL);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if ((strncmp(e->d_name, ".new.", 5) == 0) != unfinished ||
            (!unfinished && strlen(e->d_name) != KEY))
            continue;
        n++;
        if (last)
            strcpy(last, e->d_name);
        if (bytes && stat(path_of(e->d_name), &s) == 0)
            *bytes += (uint64_t)s.st_size;
    }
    closedir(d);
    return n;
}

static inline size_t
read_file(const char *path, char *to, size_t cap)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(to, 1, cap, f) : 0;

    if (f)
        fclose(f);
    return n;
}

static inline void
write_file(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    ck_assert(f != NULL);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
    chmod(path, 0600);
}

#endif
