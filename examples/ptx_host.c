/* Runs a function of a PTX module with nothing but the CUDA driver:
 *
 *     cot build f.cot -o f.ptx                    writes f.ptx and f.json
 *     ptx_host f.json --in x.npy w.npy --out y    reads arguments, writes y0.npy, y1.npy, ...
 *
 * A function with open sizes wants them: --size n=1000 for each.
 * in/out and donated arguments are given like the others; new values of in/out arguments are
 * written after the results.
 * What runs the function is ptx_manifest.h; the rest is NumPy's file format. */
#define _POSIX_C_SOURCE 200809L
#include "ptx_manifest.h"

enum { MAX_ARGUMENTS = 1024, MAX_SIZES = 8 };

static int
failed(const char *what, const char *why)
{
    fprintf(stderr, "ptx_host: %s: %s\n", what, why);
    return 1;
}

/* The elements of an npy file, in row-major order, of so many bytes.  NULL, or what is
 * wrong. */
static const char *
npy_read(const char *path, size_t bytes, char **file, const char **data)
{
    size_t n = 0, head;

    *file = read_all(path, &n);
    if (!*file)
        return "it cannot be read";
    if (n < 12 || memcmp(*file, "\x93NUMPY", 6) != 0)
        return "it is no npy file";
    head = (size_t)(unsigned char)(*file)[8] | (size_t)(unsigned char)(*file)[9] << 8;
    head += (*file)[6] == 1 ? 10 : 12;
    if (head > n || n - head != bytes)
        return "it holds another number of bytes than the argument";
    if (strstr(*file + 10, "'fortran_order': True"))
        return "its elements are in column-major order";
    *data = *file + head;
    return NULL;
}

static const char *
npy_type(const char *type)
{
    static const char *const row[][2] = {
        { "bool", "|b1" }, { "i8", "|i1" },  { "i16", "<i2" },  { "i32", "<i4" },
        { "i64", "<i8" },  { "u8", "|u1" },  { "u16", "<u2" },  { "u32", "<u4" },
        { "u64", "<u8" },  { "f16", "<f2" }, { "bf16", "<u2" }, { "f32", "<f4" },
        { "f64", "<f8" },  { "c64", "<c8" }, { "c128", "<c16" }
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i][0], type) == 0)
            return row[i][1];
    return "|u1";
}

static bool
npy_write(const ptx *p, const char *path, const json *argument, const char *data, size_t bytes)
{
    char head[1024], dims[700] = "";
    FILE *f = fopen(path, "wb");
    int n = 0;

    for (const json *d = json_get(argument, "dims")->first; d; d = d->next) {
        int64_t length = 0;

        ptx_number(d, json_get(p->f, "sizes"), p->size, &length);
        n += snprintf(dims + n, sizeof dims - (size_t)n, "%" PRId64 "%s", length,
                      d->next ? ", "
                      : n     ? ""
                              : ",");
    }
    n = snprintf(head + 10, sizeof head - 10,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                 npy_type(json_text(argument, "type")), dims) +
        10;
    while ((n + 1) % 64)
        head[n++] = ' ';
    head[n++] = '\n';
    memcpy(head, "\x93NUMPY\1\0", 8);
    head[8] = (char)((n - 10) & 255);
    head[9] = (char)((n - 10) >> 8);
    bool good =
        f && fwrite(head, 1, (size_t)n, f) == (size_t)n && fwrite(data, 1, bytes, f) == bytes;
    if (f)
        good &= fclose(f) == 0;
    return good;
}

typedef struct options {
    const char *manifest, *name, *out, *in[MAX_ARGUMENTS], *size[MAX_SIZES];
    int n_in, n_sizes;
} options;

/* The sizes of a function that are open, in their order; NULL, or what is wrong. */
static const char *
read_sizes(const ptx *p, const options *o, int64_t *size)
{
    const json *name = json_get(p->f, "sizes");
    int i = 0;

    for (name = name ? name->first : NULL; name; name = name->next, i++) {
        const char *text = json_text(name, "name"), *given = NULL;
        const size_t n = strlen(text);

        for (int k = 0; k < o->n_sizes; k++)
            if (strncmp(o->size[k], text, n) == 0 && o->size[k][n] == '=')
                given = o->size[k] + n + 1;
        if (!given || i == MAX_SIZES)
            return "a size is not given; wants --size NAME=N";
        size[i] = strtoll(given, NULL, 10);
    }
    return i < o->n_sizes ? "more sizes are given than it has" : NULL;
}

static bool
bytes_of(const ptx *p, const json *argument, size_t *bytes)
{
    int64_t n;
    const bool good =
        ptx_number(json_get(argument, "bytes"), json_get(p->f, "sizes"), p->size, &n);

    *bytes = good ? (size_t)n : 0;
    return good;
}

static bool
is_result(const json *argument)
{
    return strcmp(json_text(argument, "use"), "out") == 0;
}

/* Memory for every argument and result, with what the files hold. */
static int
upload(const driver *d, const ptx *p, const options *o, uint64_t *at)
{
    const json *all = json_get(p->f, "arguments");
    int i = 0, given = 0;

    for (const json *a = all->first; a && i < MAX_ARGUMENTS; a = a->next, i++) {
        const char *why = NULL, *data;
        char *file = NULL;
        size_t bytes;

        if (!bytes_of(p, a, &bytes))
            why = "its bytes are no number";
        if (!why)
            why = driver_check(d, d->cuMemAlloc(&at[i], bytes ? bytes : 1));

        if (why)
            return failed(json_text(a, "name"), why);
        if (is_result(a))
            continue;
        if (given == o->n_in)
            return failed(json_text(a, "name"), "no file is named for it");
        why = npy_read(o->in[given], bytes, &file, &data);
        if (!why)
            why = driver_check(d, d->cuMemcpyHtoD(at[i], data, bytes));
        free(file);
        if (why)
            return failed(o->in[given], why);
        given++;
    }
    return given == o->n_in ? 0
                            : failed(o->manifest, "more files are named than it has arguments");
}

static int
download_one(const driver *d, const ptx *p, const options *o, const json *a, uint64_t at,
             int number)
{
    size_t bytes;
    bytes_of(p, a, &bytes);
    char *data = malloc(bytes + 1), path[1024];
    const char *why =
        data ? driver_check(d, d->cuMemcpyDtoH(data, at, bytes)) : "memory is short";

    snprintf(path, sizeof path, "%s%d.npy", o->out, number);
    if (!why && !npy_write(p, path, a, data, bytes))
        why = "it cannot be written";
    free(data);
    return why ? failed(path, why) : 0;
}

static int
download(const driver *d, const ptx *p, const options *o, const uint64_t *at)
{
    int written = 0, bad = 0;

    for (int pass = 0; pass < 2; pass++) {
        int i = 0;

        for (const json *a = json_get(p->f, "arguments")->first; a && i < MAX_ARGUMENTS && !bad;
             a = a->next, i++)
            if (pass ? strcmp(json_text(a, "use"), "inout") == 0 : is_result(a))
                bad = download_one(d, p, o, a, at[i], written++);
    }
    return bad;
}

static int
run(const driver *d, ptx *p, const options *o)
{
    uint64_t at[MAX_ARGUMENTS] = { 0 };
    int64_t size[MAX_SIZES] = { 0 };
    const char *wrong = read_sizes(p, o, size);
    int bad, status = 0;

    p->size = json_get(p->f, "sizes") ? size : NULL;
    bad = wrong ? failed(json_text(p->f, "name"), wrong) : upload(d, p, o, at);
    if (!bad) {
        const char *why = ptx_run(p, at, &status);

        if (!why)
            why = driver_check(d, d->cuCtxSynchronize());
        if (why)
            bad = failed(json_text(p->f, "name"), why);
        else if (status)
            bad = failed(json_text(p->f, "name"), status == 8   ? "a loop passed its bound"
                                                  : status == 1 ? "it takes no such size"
                                                                : "it failed");
    }
    if (!bad)
        bad = download(d, p, o, at);
    for (int i = 0; i < MAX_ARGUMENTS; i++)
        if (at[i])
            d->cuMemFree(at[i]);
    return bad;
}

static bool
read_options(int n, char **arg, options *o)
{
    memset(o, 0, sizeof *o);
    o->out = "out";
    for (int i = 1; i < n; i++) {
        if (strcmp(arg[i], "--fn") == 0 && i + 1 < n)
            o->name = arg[++i];
        else if (strcmp(arg[i], "--out") == 0 && i + 1 < n)
            o->out = arg[++i];
        else if (strcmp(arg[i], "--size") == 0 && i + 1 < n && o->n_sizes < MAX_SIZES)
            o->size[o->n_sizes++] = arg[++i];
        else if (strcmp(arg[i], "--in") == 0)
            while (i + 1 < n && arg[i + 1][0] != '-' && o->n_in < MAX_ARGUMENTS)
                o->in[o->n_in++] = arg[++i];
        else if (!o->manifest && arg[i][0] != '-')
            o->manifest = arg[i];
        else
            return false;
    }
    return o->manifest != NULL;
}

int
main(int n, char **arg)
{
    const char *why;
    options o;
    driver d;
    ptx p;
    int bad;

    if (!read_options(n, arg, &o)) {
        fprintf(stderr, "usage: ptx_host F.json [--fn NAME] [--size NAME=N] [--in A.npy ...] "
                        "[--out PREFIX]\n");
        return 2;
    }
    why = driver_open(&d);
    if (why)
        bad = failed("driver", why);
    else {
        why = ptx_open(&p, &d, o.manifest, o.name);
        bad = why ? failed(o.manifest, why) : run(&d, &p, &o);
        ptx_close(&p);
        d.cuDevicePrimaryCtxRelease(d.device);
    }
    driver_close(&d);
    return bad;
}
