/* Runs a bundle on a GPU: every program's results against the reference evaluator's bits, then
 * the workloads by the clock.
 *
 *   runner [FOLDER] [TORCH.txt] [RUNS]
 *
 * Needs the driver, and nothing else.  TORCH.txt has lines "NAME SECONDS", from
 * bench_torch.py: the same workloads in PyTorch.  A workload is clocked RUNS times (20), the
 * least counts.  Exit status 1 where a program fails or a bit differs.  All NaNs are one.
 * Results of tensor cores (NAME.near has the host's) are compared by size: a mistake moves
 * them by what they are themselves. */
#define _POSIX_C_SOURCE 200809L
#include "examples/ptx_manifest.h"

#include <math.h>

enum { MAX_ARGUMENTS = 1024 };

static driver d;
static const char *folder;
static int runs = 20;

static const char *
path_of(const char *name, const char *ending)
{
    static char path[1200];

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    return path;
}

/* ---- bits ---- */

/* The exponent's bits of a float type, all ones in a NaN; 0: no float.  Complex numbers are
 * pairs. */
static int
float_bytes(const char *t, uint64_t *exponent)
{
    static const struct { const char *t; int bytes; uint64_t exponent;
    } row[] = {
        { "f16", 2, 0x7c00 },
        { "bf16", 2, 0x7f80 },
        { "f32", 4, 0x7f800000 },
        { "c64", 4, 0x7f800000 },
        { "f64", 8, 0x7ff0000000000000 },
        { "c128", 8, 0x7ff0000000000000 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i].t, t) == 0) {
            *exponent = row[i].exponent;
            return row[i].bytes;
        }
    return 0;
}

static bool
is_nan(uint64_t x, int bytes, uint64_t exponent)
{
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);

    return (x & exponent) == exponent && (x & ~sign & ~exponent) != 0;
}

/* The first number that differs, or -1. */
static long
first_difference(const char *t, const unsigned char *want, const unsigned char *got,
                 size_t bytes)
{
    uint64_t exponent = 0;
    int size = float_bytes(t, &exponent);
    const bool floats = size > 0;

    if (!floats)
        size = 1;
    for (size_t i = 0; i < bytes; i += (size_t)size) {
        uint64_t x = 0, y = 0;

        if (memcmp(want + i, got + i, (size_t)size) == 0)
            continue;
        memcpy(&x, want + i, (size_t)size);
        memcpy(&y, got + i, (size_t)size);
        if (!floats || !is_nan(x, size, exponent) || !is_nan(y, size, exponent))
            return (long)(i / (size_t)size);
    }
    return -1;
}

/* ---- programs ---- */

typedef struct memory {
    uint64_t at[MAX_ARGUMENTS];
    int n;
} memory;

static const char *
memory_new(const ptx *p, memory *m)
{
    const char *why = NULL;

    m->n = 0;
    for (const json *a = json_get(p->f, "arguments")->first; a && !why; a = a->next) {
        if (m->n == MAX_ARGUMENTS)
            return "too many arguments";
        why = driver_check(&d, d.cuMemAlloc(&m->at[m->n], (size_t)json_number(a, "bytes") + 1));
        m->n += why == NULL;
    }
    return why;
}

static void
memory_free(memory *m)
{
    while (m->n > 0)
        d.cuMemFree(m->at[--m->n]);
}

static bool
uses(const json *a, const char *what)
{
    return strcmp(json_text(a, "use"), what) == 0;
}

/* A result, or the new value of an in/out argument, at `want` of the samples. */
static const char *
compare_one(const json *a, uint64_t at, const char *want, bool *same)
{
    const size_t bytes = (size_t)json_number(a, "bytes");
    unsigned char *got = malloc(bytes + 1);
    const char *why = !got    ? "memory is short"
                      : bytes ? driver_check(&d, d.cuMemcpyDtoH(got, at, bytes))
                              : NULL;
    long where;

    if (!why && (where = first_difference(json_text(a, "type"), (const unsigned char *)want,
                                          got, bytes)) >= 0) {
        printf("    %s %s: number %ld differs\n", json_text(a, "type"), json_text(a, "name"),
               where);
        *same = false;
    }
    free(got);
    return why;
}

/* One sample at *data, which moves past it. */
static const char *
run_sample(ptx *p, const memory *m, const char **data, bool *same)
{
    const json *all = json_get(p->f, "arguments");
    const char *why = NULL;
    int status = 0, i = 0;

    for (const json *a = all->first; a && !why; a = a->next, i++) {
        const size_t bytes = (size_t)json_number(a, "bytes");

        if (uses(a, "out"))
            continue;
        if (bytes)
            why = driver_check(&d, d.cuMemcpyHtoD(m->at[i], *data, bytes));
        *data += bytes;
    }
    if (!why)
        why = ptx_run(p, m->at, &status);
    if (!why)
        why = driver_check(&d, d.cuCtxSynchronize());
    if (!why && status)
        why = "it answered a status";
    for (int pass = 0; pass < 2; pass++) {
        i = 0;
        for (const json *a = all->first; a && !why; a = a->next, i++)
            if (uses(a, pass ? "inout" : "out")) {
                why = compare_one(a, m->at[i], *data, same);
                *data += json_number(a, "bytes");
            }
    }
    return why;
}

typedef enum verdict { PASSES, DIFFERS, FAILS } verdict;

static verdict
run_program(const char *name)
{
    size_t n = 0;
    char *file = read_all(path_of(name, ".data"), &n);
    const char *data = file, *why = file ? NULL : "its samples cannot be read";
    memory m = { .n = 0 };
    bool same = true;
    ptx p = { 0 };

    if (!why)
        why = ptx_open(&p, &d, path_of(name, ".json"), NULL);
    if (!why)
        why = memory_new(&p, &m);
    while (!why && data < file + n)
        why = run_sample(&p, &m, &data, &same);
    if (why)
        printf("    %s\n", why);
    memory_free(&m);
    if (p.d)
        ptx_close(&p);
    free(file);
    return why ? FAILS : same ? PASSES : DIFFERS;
}

static int
run_programs(void)
{
    char line[300], name[100], about[100];
    int count[3] = { 0 };
    FILE *f = fopen(path_of("programs", ".txt"), "r");

    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%99s %99s", name, about) != 2)
            continue;
        const verdict v = run_program(name);
        if (v != PASSES)
            printf("%s (%s): %s\n", name, about, v == DIFFERS ? "bits differ" : "failed");
        count[v]++;
        fflush(stdout);
    }
    if (f)
        fclose(f);
    printf("programs: %d pass, %d differ, %d fail\n", count[PASSES], count[DIFFERS],
           count[FAILS]);
    return count[DIFFERS] + count[FAILS];
}

/* ---- workloads ---- */

static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint16_t
bf16_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* As the packer fills arguments: floats in [-2, 2), integers in [0, 4).  False: a type that no
 * workload has. */
static bool
fill(const char *t, uint64_t seed, void *to, size_t bytes)
{
    float *f32 = to;
    uint16_t *bf16 = to;
    int32_t *i32 = to;

    if (strcmp(t, "f32") == 0)
        for (size_t i = 0; i < bytes / 4; i++)
            f32[i] = (float)(ldexp((double)(next_random(&seed) >> 40), -22) - 2);
    else if (strcmp(t, "bf16") == 0)
        for (size_t i = 0; i < bytes / 2; i++)
            bf16[i] = bf16_of((float)(ldexp((double)(next_random(&seed) >> 40), -22) - 2));
    else if (strcmp(t, "i32") == 0)
        for (size_t i = 0; i < bytes / 4; i++)
            i32[i] = (int32_t)(next_random(&seed) >> 62);
    else
        return false;
    return true;
}

static const char *
upload(const ptx *p, const memory *m)
{
    const char *why = NULL;
    int i = 0;

    for (const json *a = json_get(p->f, "arguments")->first; a && !why; a = a->next, i++) {
        const size_t bytes = (size_t)json_number(a, "bytes");
        void *data;

        if (uses(a, "out"))
            continue;
        data = malloc(bytes + 1);
        if (!data)
            return "memory is short";
        why = fill(json_text(a, "type"), (uint64_t)i + 1, data, bytes)
                  ? driver_check(&d, d.cuMemcpyHtoD(m->at[i], data, bytes))
                  : "an argument's type is none that is filled";
        free(data);
    }
    return why;
}

static const char *
hash_results(const ptx *p, const memory *m, uint64_t *hash)
{
    const char *why = NULL;
    int i = 0;

    *hash = 0xcbf29ce484222325u;
    for (const json *a = json_get(p->f, "arguments")->first; a && !why; a = a->next, i++) {
        const size_t bytes = (size_t)json_number(a, "bytes");
        unsigned char *x;

        if (!uses(a, "out"))
            continue;
        x = malloc(bytes + 1);
        if (!x)
            return "memory is short";
        why = driver_check(&d, d.cuMemcpyDtoH(x, m->at[i], bytes));
        for (size_t k = 0; k < bytes && !why; k++)
            *hash = (*hash ^ x[k]) * 0x100000001b3u;
        free(x);
    }
    return why;
}

static float
number_at(const char *t, const void *data, size_t i)
{
    const uint32_t high =
        strcmp(t, "bf16") == 0 ? (uint32_t)((const uint16_t *)data)[i] << 16 : 0;
    float x;

    memcpy(&x, strcmp(t, "bf16") == 0 ? (const void *)&high : (const char *)data + 4 * i,
           sizeof x);
    return x;
}

/* |got - want| is at most 2^-6 of the results' root mean square, and a bf16's last place, 2^-7
 * |want|. */
static bool
are_near(const char *t, const void *want, const void *got, size_t n)
{
    double square = 0;

    for (size_t i = 0; i < n; i++)
        square += pow(number_at(t, want, i), 2);
    const double size = sqrt(square / (double)(n ? n : 1));
    for (size_t i = 0; i < n; i++) {
        const double x = number_at(t, want, i), y = number_at(t, got, i);

        if (!(fabs(y - x) <= 0x1p-6 * size + 0x1p-7 * fabs(x))) {
            printf("    %s: number %zu is %g; wants about %g\n", t, i, y, x);
            return false;
        }
    }
    return true;
}

/* The results beside those packed.  known: there are some. */
static const char *
compare_sizes(const ptx *p, const memory *m, const char *name, bool *known, bool *near)
{
    size_t n = 0;
    char *file = read_all(path_of(name, ".near"), &n), *data = file;
    const char *why = NULL;
    int i = 0;

    *near = *known = file != NULL;
    for (const json *a = json_get(p->f, "arguments")->first; a && file && !why;
         a = a->next, i++) {
        const size_t bytes = (size_t)json_number(a, "bytes");
        const char *t = json_text(a, "type");
        char *got;

        if (!uses(a, "out"))
            continue;
        got = malloc(bytes + 1);
        why = got ? driver_check(&d, d.cuMemcpyDtoH(got, m->at[i], bytes)) : "memory is short";
        *near =
            *near && !why && are_near(t, data, got, bytes / (strcmp(t, "bf16") == 0 ? 2 : 4));
        data += bytes;
        free(got);
    }
    free(file);
    return why;
}

/* Seconds of a run, the least of all. */
static const char *
clock_runs(ptx *p, const memory *m, double *seconds)
{
    const char *why = NULL;
    void *from = NULL, *to = NULL;
    int status = 0;

    *seconds = 1e30;
    if ((why = driver_check(&d, d.cuEventCreate(&from, 0))) ||
        (why = driver_check(&d, d.cuEventCreate(&to, 0))))
        return why;
    for (int i = 0; i < runs && !why; i++) {
        float ms = 0;

        if ((why = driver_check(&d, d.cuEventRecord(from, NULL))) ||
            (why = ptx_run(p, m->at, &status)) ||
            (why = driver_check(&d, d.cuEventRecord(to, NULL))) ||
            (why = driver_check(&d, d.cuEventSynchronize(to))) ||
            (why = driver_check(&d, d.cuEventElapsedTime(&ms, from, to))))
            break;
        *seconds = fmin(*seconds, ms * 1e-3);
    }
    d.cuEventDestroy(from);
    d.cuEventDestroy(to);
    return why ? why : status ? "it answered a status" : NULL;
}

/* PyTorch's seconds for a workload; 0: not known. */
static double
torch_seconds(const char *path, const char *name)
{
    char line[300], found[100];
    double seconds = 0, s;
    FILE *f = path ? fopen(path, "r") : NULL;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%99s %lf", found, &s) == 2 && strcmp(found, name) == 0)
            seconds = s;
    if (f)
        fclose(f);
    return seconds;
}

static void
print_line(const ptx *p, const char *name, double s, double torch, const char *bits)
{
    const double moved = (double)json_number(p->f, "moved"),
                 flops = (double)json_number(p->f, "flops");

    printf("%-22s %10.1f us %9.1f GB/s %8.2f TFLOP/s", name, s * 1e6, moved / s * 1e-9,
           flops / s * 1e-12);
    if (torch > 0)
        printf("   torch %10.1f us, ratio %.2f", torch * 1e6, torch / s);
    printf("   %s\n", bits);
}

static int
run_workload(const char *name, uint64_t want, const char *torch)
{
    memory m = { .n = 0 };
    double seconds = 0;
    uint64_t got = 0;
    int status = 0;
    ptx p = { 0 };
    const char *why = ptx_open(&p, &d, path_of(name, ".json"), NULL);
    bool known = false, near = false;

    if (!why)
        why = memory_new(&p, &m);
    if (!why)
        why = upload(&p, &m);
    if (!why)
        why = ptx_run(&p, m.at, &status);
    if (!why)
        why = hash_results(&p, &m, &got);
    if (!why)
        why = compare_sizes(&p, &m, name, &known, &near);
    if (!why)
        why = clock_runs(&p, &m, &seconds);
    const bool same = want == got, good = !why && (known ? near : !want || same);
    const char *verdict = known   ? near ? "near" : "NOT NEAR"
                          : !want ? ""
                          : same  ? "same bits"
                                  : "BITS DIFFER";
    if (why)
        printf("%-22s failed: %s\n", name, why);
    else
        print_line(&p, name, seconds, torch_seconds(torch, name), verdict);
    memory_free(&m);
    if (p.d)
        ptx_close(&p);
    return !good;
}

static int
run_workloads(const char *torch)
{
    char line[300], name[100];
    uint64_t hash;
    int bad = 0;
    FILE *f = fopen(path_of("bench", ".txt"), "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%99s %" SCNx64, name, &hash) == 2) {
            bad += run_workload(name, hash, torch);
            fflush(stdout);
        }
    if (f)
        fclose(f);
    return bad;
}

int
main(int n, char **arg)
{
    const char *why;
    int bad;

    if (n > 1 && strcmp(arg[1], "--help") == 0) {
        printf("usage: runner [FOLDER] [TORCH.txt] [RUNS]\n");
        return 0;
    }
    folder = n > 1 ? arg[1] : ".";
    if (n > 3 && atoi(arg[3]) > 0)
        runs = atoi(arg[3]);
    why = driver_open(&d);
    if (why) {
        fprintf(stderr, "runner: %s\n", why);
        return 2;
    }
    printf("device: %s\n", d.name);
    bad = run_programs();
    bad += run_workloads(n > 2 ? arg[2] : NULL);
    d.cuDevicePrimaryCtxRelease(d.device);
    driver_close(&d);
    return bad > 0;
}
