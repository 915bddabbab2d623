/* Runs what `cot build f.cot -o f.ptx` wrote, with the CUDA driver alone: f.ptx is loaded by
 * the driver, f.json says what to launch.  A header of plain C11, which reads JSON by
 * ptx_json.h, without a header or library of CUDA: take both into your program.
 *
 *   driver_*    libcuda.so.1 (or COT_CUDA_DRIVER) by dlopen
 *   ptx_open, ptx_run, ptx_close    a function of a manifest: on addresses of the device
 *
 * Functions answer NULL, or text that says what is wrong.  docs/gpu.md has the format of
 * manifests. */
#ifndef PTX_MANIFEST_H
#define PTX_MANIFEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_driver.h"
#include "ptx_sizes.h"

/* A whole file, ended by a zero; NULL: it cannot be read. */
static char *
read_all(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;

    if (text) {
        rewind(f);
        *bytes = fread(text, 1, (size_t)n, f);
        text[*bytes] = '\0';
    }
    if (f)
        fclose(f);
    return text;
}

/* ---- functions ---- */

enum { PTX_LEFT = -1 }; /* the status of an entry that had nothing to do */

typedef struct ptx {
    const driver *d;
    char *text;
    json *manifest;
    const json *f;              /* the function */
    void *module, **kernel;
    int n_kernels, n_buffers;
    uint64_t work, status, *constant;
    int64_t work_bytes;         /* that `work` has */
    const int64_t *size;        /* of the run: of open sizes; NULL: it has none */
    uint64_t *placed;           /* of the run: offsets of buffers in the work block */
    const uint64_t *arg;        /* of the run */
    uint64_t *value;            /* of steps, by number */
    bool fails;
} ptx;

/* Offset in bytes and element size of each buffer come with its place. */
static uint64_t
ptx_address(const ptx *p, const json *place)
{
    const json *b = json_at(json_get(p->f, "buffers"), (int)place->first->number), *m;
    uint64_t at;
    int size;

    if ((m = json_get(b, "argument")))
        at = p->arg[m->number];
    else if ((m = json_get(b, "work")))
        at = p->work + (uint64_t)m->number;
    else if (json_get(b, "placed"))
        at = p->work + p->placed[place->first->number];
    else
        at = p->constant[place->first->number];
    if (!place->first->next)
        return at;
    size = (int)json_number(b, "size");
    return at + p->value[place->first->next->number] * (uint64_t)size;
}

static const char *
ptx_launch(const ptx *p, const json *s)
{
    const json *k = json_at(json_get(p->f, "kernels"), (int)json_number(s, "launch"));
    const json *buffers = json_get(s, "buffers"), *params = json_get(s, "params");
    const int64_t grid = json_get(s, "grid") ? (int64_t)p->value[json_number(s, "grid")]
                                             : json_number(k, "grid");

    if (grid == 0)
        return NULL; /* nothing to do: the driver takes no grid of no blocks */
    if (grid < 0 || grid > INT32_MAX)
        return "a launch has more blocks than a GPU takes";
    uint64_t word[buffers->n + params->n + 1];
    void *parameter[buffers->n + params->n + 1];
    int n = 0;

    for (const json *b = buffers->first; b; b = b->next)
        word[n++] = ptx_address(p, b);
    for (const json *v = params->first; v; v = v->next)
        word[n++] = p->value[v->number];
    if (json_number(k, "fails"))
        word[n++] = p->status;
    for (int i = 0; i < n; i++)
        parameter[i] = &word[i];
    return driver_check(
        p->d, p->d->cuLaunchKernel(p->kernel[json_number(s, "launch")], (unsigned)grid, 1, 1,
                                   (unsigned)json_number(k, "block"), 1, 1,
                                   (unsigned)json_number(k, "dynamic"), NULL, parameter, NULL));
}

/* ---- scalars ---- */

static int
type_bits(const char *t)
{
    return strcmp(t, "bool") == 0 ? 1 : atoi(t + 1);
}

/* The bits of x as a number of integer type t. */
static int64_t
as_number(const char *t, uint64_t x)
{
    const int bits = type_bits(t), drop = 64 - bits;

    return bits == 64  ? (int64_t)x
           : *t == 'i' ? (int64_t)(x << drop) >> drop
                       : (int64_t)(x & (((uint64_t)1 << bits) - 1));
}

/* Integer instructions, which is all that entries have. */
static const char *
ptx_scalar(const ptx *p, const json *s)
{
    const char *is = json_text(s, "is"), *t = json_text(s, "type");
    const json *of = json_get(s, "of");
    uint64_t *to = &p->value[json_number(s, "value")], x[3] = { 0 };
    int64_t a, b;

    if (strcmp(is, "const") == 0) {
        *to = strtoull(json_text(s, "bits"), NULL, 16);
        return NULL;
    }
    for (int i = 0; i < of->n && i < 3; i++)
        x[i] = p->value[json_at(of, i)->number];
    if (*t == 'f' || *t == 'c' || strcmp(t, "bf16") == 0 || *json_text(s, "from") == 'f')
        return ptx_float(is, t, json_text(s, "from"), x, to)
                   ? NULL
                   : "a step computes with floats as this program does not";
    a = as_number(t, x[0]);
    b = as_number(t, x[1]);
#define IS(name, result)             \
    if (strcmp(is, name) == 0) {     \
        *to = (uint64_t)(result);    \
        return NULL;                 \
    }
    IS("add", x[0] + x[1])
    IS("sub", x[0] - x[1])
    IS("mul", x[0] * x[1])
    IS("div", b ? a / b : 0)
    IS("rem", b ? a % b : 0)
    IS("neg", -x[0])
    IS("and", x[0] & x[1])
    IS("or", x[0] | x[1])
    IS("xor", x[0] ^ x[1])
    IS("not", *t == 'b' ? x[0] ^ 1 : ~x[0])
    IS("shl", x[0] << x[1])
    IS("shr", a >> x[1])
    IS("max", a > b ? a : b)
    IS("min", a < b ? a : b)
    IS("eq", a == b)
    IS("ne", a != b)
    IS("lt", *t == 'u' ? (uint64_t)a < (uint64_t)b : a < b)
    IS("le", *t == 'u' ? (uint64_t)a <= (uint64_t)b : a <= b)
    IS("select", x[0] ? x[1] : x[2])
    IS("cvt", as_number(json_text(s, "from"), x[0]))
    IS("bitcast", x[0])
#undef IS
    return "a step is one that this program does not know";
}

/* ---- steps ---- */

static const char *ptx_steps(const ptx *p, const json *steps, int *status);

/* Values from values, all at once: [to, from, ...], `from` the number of the entry that is
 * taken. */
static void
ptx_move(const ptx *p, const json *rows, int from)
{
    uint64_t next[rows->n + 1];
    int n = 0;

    for (const json *r = rows->first; r; r = r->next)
        next[n++] = p->value[json_at(r, from)->number];
    n = 0;
    for (const json *r = rows->first; r; r = r->next)
        p->value[r->first->number] = next[n++];
}

static const char *
ptx_loop(const ptx *p, const json *s, int *status)
{
    const json *carries = json_get(s, "carries");
    const int64_t hi = (int64_t)p->value[json_number(s, "hi")], step = json_number(s, "step");
    const char *why;

    ptx_move(p, carries, 1);
    for (int64_t i = (int64_t)p->value[json_number(s, "lo")]; i < hi; i += step) {
        p->value[json_number(s, "loop")] = (uint64_t)i;
        if ((why = ptx_steps(p, json_get(s, "body"), status)) || *status)
            return why;
        ptx_move(p, carries, 2);
    }
    ptx_move(p, json_get(s, "results"), 1);
    return NULL;
}

static const char *
ptx_while(const ptx *p, const json *s, int *status)
{
    const json *carries = json_get(s, "carries");
    const char *why;

    ptx_move(p, carries, 1);
    for (;;) {
        if ((why = ptx_steps(p, json_get(s, "test"), status)) || *status)
            return why;
        if (!p->value[json_number(s, "while")])
            break;
        if ((why = ptx_steps(p, json_get(s, "body"), status)) || *status)
            return why;
        ptx_move(p, carries, 2);
    }
    ptx_move(p, json_get(s, "results"), 1);
    return NULL;
}

static const char *
ptx_if(const ptx *p, const json *s, int *status)
{
    const bool then = p->value[json_number(s, "if")] != 0;
    const char *why = ptx_steps(p, json_get(s, then ? "then" : "else"), status);

    if (!why && !*status)
        ptx_move(p, json_get(s, "results"), then ? 1 : 2);
    return why;
}

/* Sizes are in memory of the host. */
static bool
ptx_loads_size(const ptx *p, const json *s, uint64_t *to)
{
    const json *place = json_get(s, "from"), *index = place->first->next;

    if (!p->size ||
        !json_get(json_at(json_get(p->f, "buffers"), (int)place->first->number), "sizes"))
        return false;
    *to = (uint64_t)p->size[index ? p->value[index->number] : 0];
    return true;
}

/* A load waits for what was launched, and so sees the status of it. */
static const char *
ptx_load(const ptx *p, const json *s, int *status)
{
    uint64_t *to = &p->value[json_number(s, "load")];
    const char *why = NULL;

    *to = 0;
    if (json_get(s, "when") && !p->value[json_number(s, "when")])
        return NULL;
    if (ptx_loads_size(p, s, to))
        return NULL;
    why = driver_check(p->d, p->d->cuMemcpyDtoH(to, ptx_address(p, json_get(s, "from")),
                                                (size_t)json_number(s, "bytes")));
    if (!why && p->fails)
        why = driver_check(p->d, p->d->cuMemcpyDtoH(status, p->status, sizeof *status));
    return why;
}

static const char *
ptx_store(const ptx *p, const json *s)
{
    if (json_get(s, "when") && !p->value[json_number(s, "when")])
        return NULL;
    return driver_check(p->d, p->d->cuMemcpyHtoD(ptx_address(p, json_get(s, "to")),
                                                 &p->value[json_number(s, "store")],
                                                 (size_t)json_number(s, "bytes")));
}

static const char *
ptx_step(const ptx *p, const json *s, int *status)
{
    const char *what = s->first && s->first->key ? s->first->key : "";

    if (strcmp(what, "launch") == 0)
        return ptx_launch(p, s);
    if (strcmp(what, "copy") == 0 || strcmp(what, "copy_bytes") == 0) {
        const size_t bytes =
            what[4] ? (size_t)p->value[s->first->number] : (size_t)json_number(s, "copy");

        if (bytes == 0)
            return NULL;
        return driver_check(p->d,
                            p->d->cuMemcpyDtoD(ptx_address(p, json_get(s, "to")),
                                               ptx_address(p, json_get(s, "from")), bytes));
    }
    if (strcmp(what, "place") == 0) {
        p->placed[s->first->number] = p->value[json_number(s, "at")];
        return NULL;
    }
    if (strcmp(what, "leave") == 0) {
        *status = p->value[s->first->number] ? PTX_LEFT : *status;
        return NULL;
    }
    if (strcmp(what, "value") == 0)
        return ptx_scalar(p, s);
    if (strcmp(what, "load") == 0)
        return ptx_load(p, s, status);
    if (strcmp(what, "store") == 0)
        return ptx_store(p, s);
    if (strcmp(what, "loop") == 0)
        return ptx_loop(p, s, status);
    if (strcmp(what, "while") == 0)
        return ptx_while(p, s, status);
    if (strcmp(what, "if") == 0)
        return ptx_if(p, s, status);
    if (strcmp(what, "fail") != 0)
        return "a step is one that this program does not know";
    if (p->value[s->first->number])
        *status = (int)json_number(s, "status");
    return NULL;
}

static const char *
ptx_steps(const ptx *p, const json *steps, int *status)
{
    const char *why = NULL;

    for (const json *s = steps->first; s && !why && !*status; s = s->next)
        why = ptx_step(p, s, status);
    return why;
}

/* ---- opening ---- */

static int
base64_digit(char c)
{
    static const char digit[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digit, c) : NULL;

    return at ? (int)(at - digit) : 0;
}

static void
base64_read(const char *s, unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; s += 4) {
        const uint32_t w = (uint32_t)base64_digit(s[0]) << 18 |
                           (uint32_t)base64_digit(s[1]) << 12 |
                           (uint32_t)base64_digit(s[2]) << 6 | (uint32_t)base64_digit(s[3]);

        for (int k = 16; k >= 0 && i < n; k -= 8)
            to[i++] = (unsigned char)(w >> k);
    }
}

/* Constants lie on the device before the first run. */
static const char *
ptx_constants(ptx *p)
{
    const json *buffers = json_get(p->f, "buffers");
    const char *why = NULL;
    int i = 0;

    for (const json *b = buffers->first; b && !why; b = b->next, i++) {
        const size_t bytes = (size_t)json_number(b, "bytes");
        unsigned char *data;

        if (!json_get(b, "constant"))
            continue;
        data = malloc(bytes + 3);
        if (!data)
            return "memory is short";
        base64_read(json_text(b, "constant"), data, bytes);
        why = driver_check(p->d, p->d->cuMemAlloc(&p->constant[i], bytes ? bytes : 1));
        if (!why)
            why = driver_check(p->d, p->d->cuMemcpyHtoD(p->constant[i], data, bytes));
        free(data);
    }
    return why;
}

/* More shared memory than is static must be allowed before it is asked for. */
static const char *
ptx_find_kernel(ptx *p, int i)
{
    const json *k = json_at(json_get(p->f, "kernels"), i);
    const int dynamic = (int)json_number(k, "dynamic");
    const char *why = driver_check(
        p->d, p->d->cuModuleGetFunction(&p->kernel[i], p->module, json_text(k, "entry")));

    if (why || !dynamic)
        return why;
    return driver_check(
        p->d, p->d->cuFuncSetAttribute(p->kernel[i], DRIVER_DYNAMIC_SHARED, dynamic));
}

static const char *
ptx_load_module(ptx *p, const char *path)
{
    const char *slash = strrchr(path, '/'), *why;
    char file[1024];
    char *text;
    size_t n;

    snprintf(file, sizeof file, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path,
             json_text(p->manifest, "module"));
    text = read_all(file, &n);
    if (!text)
        return "the module cannot be read";
    why = driver_check(p->d, p->d->cuModuleLoadData(&p->module, text));
    free(text);
    for (int i = 0; i < p->n_kernels && !why; i++)
        why = ptx_find_kernel(p, i);
    return why;
}

/* The function of this name of a manifest, or its first (NULL).  Close it in any case. */
static const char *
ptx_open(ptx *p, const driver *d, const char *path, const char *name)
{
    const size_t work = 1;
    const char *why;
    size_t n;

    memset(p, 0, sizeof *p);
    p->d = d;
    p->text = read_all(path, &n);
    if (!p->text)
        return "the manifest cannot be read";
    if (!json_value(p->text, &p->manifest) || json_number(p->manifest, "format") != 1)
        return "the manifest is none of format 1";
    for (const json *f = json_get(p->manifest, "functions")->first; f && !p->f; f = f->next)
        p->f = !name || strcmp(json_text(f, "name"), name) == 0 ? f : NULL;
    if (!p->f)
        return "the manifest has no such function";
    p->n_kernels = json_get(p->f, "kernels")->n;
    p->n_buffers = json_get(p->f, "buffers")->n;
    p->kernel = calloc((size_t)p->n_kernels + 1, sizeof *p->kernel);
    p->constant = calloc((size_t)p->n_buffers + 1, sizeof *p->constant);
    p->placed = calloc((size_t)p->n_buffers + 1, sizeof *p->placed);
    p->value = calloc((size_t)json_number(p->f, "values") + 1, sizeof *p->value);
    if (!p->kernel || !p->constant || !p->placed || !p->value)
        return "memory is short";
    for (const json *k = json_get(p->f, "kernels")->first; k; k = k->next)
        p->fails |= json_number(k, "fails") != 0;
    if ((why = ptx_load_module(p, path)) || (why = ptx_constants(p)) ||
        (why = driver_check(d, d->cuMemAlloc(&p->status, sizeof(int)))) ||
        (why = driver_check(
             d, d->cuMemAlloc(&p->work, work + (size_t)json_number(p->f, "work_bytes")))))
        return why;
    return NULL;
}

/* The work block of a call with these sizes. */
static const char *
ptx_grow(ptx *p)
{
    int64_t bytes;

    if (!p->size || !ptx_number(json_at(json_get(p->f, "work_bytes"), 0),
                                json_get(p->f, "sizes"), p->size, &bytes))
        return "the sizes are none, or the manifest's work_bytes is no expression";
    if (bytes <= p->work_bytes)
        return NULL;
    if (p->work)
        p->d->cuMemFree(p->work);
    p->work = 0;
    p->work_bytes = 0;
    const char *why = driver_check(p->d, p->d->cuMemAlloc(&p->work, (size_t)bytes));
    p->work_bytes = why ? 0 : bytes;
    return why;
}

/* Run it on device addresses, aligned to 16, of its arguments and results in the manifest's
 * order; of a function with open sizes after p->size has been set to them.  *status: 0, or that
 * of cotrace/base.h with which it failed (8: a loop passed its bound; 1: a size is not one that
 * it takes). */
static const char *
ptx_run(ptx *p, const uint64_t *arg, int *status)
{
    const char *why = NULL;

    *status = 0;
    p->arg = arg;
    if (json_get(p->f, "sizes"))
        why = ptx_grow(p);
    if (!why && p->fails)
        why = driver_check(p->d, p->d->cuMemcpyHtoD(p->status, status, sizeof *status));
    if (!why)
        why = ptx_steps(p, json_get(p->f, "steps"), status);
    if (!why && p->fails && !*status)
        why = driver_check(p->d, p->d->cuMemcpyDtoH(status, p->status, sizeof *status));
    if (*status == PTX_LEFT)
        *status = 0;
    return why;
}

static void
ptx_close(ptx *p)
{
    for (int i = 0; p->constant && i < p->n_buffers; i++)
        if (p->constant[i])
            p->d->cuMemFree(p->constant[i]);
    if (p->work)
        p->d->cuMemFree(p->work);
    if (p->status)
        p->d->cuMemFree(p->status);
    if (p->module)
        p->d->cuModuleUnload(p->module);
    json_free(p->manifest);
    free(p->kernel);
    free(p->constant);
    free(p->placed);
    free(p->value);
    free(p->text);
}

#endif
