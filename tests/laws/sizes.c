/* Products of every kind at the sizes that matter (sized.h), between red zones: bit for bit
 * against the evaluator on the graph as it is written, and nothing else touched.
 *
 *   sizes HOW --sample SEED COUNT      so many programs, drawn by the seed
 *   sizes HOW --all [K/N]              all of them, or part K of N, K from 0
 *   sizes HOW --streamed [K/N]         the last class of sized.h alone
 *   sizes HOW --of KIND [K/N]          the others of a kind
 *   sizes HOW NUMBER                   one, in all ways
 *
 * `--judged FILE` before HOW: what passed before, by the file, does not run again by the JIT
 * (judged.h).
 *
 * HOW is `jit`, the widths and processors of this machine with one thread and two;
 * `schedules`, the same by schedules that are drawn (codegen/lower/dot_schedule.h); `c`, C
 * source at each width by gcc; `object`, objects for processors of this kind; or a machine of
 * machine.h.  A program is run in one of the ways, which its number chooses.
 *
 * In this process every argument, result and work block lies between red zones, then against a
 * page that nobody may touch, at its end and at its beginning (tests/redzone.h).  Another
 * machine has one image of memory, in which all but the arguments is a pattern; afterwards all
 * of it but the work blocks is compared. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/laws/judged.h"
#include "tests/laws/sizes_inside.h"

enum { IMAGE = 4 << 20 };

sizes_run sizes;

static const way jit_ways[] = {
    { "32 bits", NULL, NULL, 32, 1 },
    { "128 bits", NULL, NULL, 128, 1 },
    { "256 bits", NULL, NULL, 256, 1 },
    { "512 bits", NULL, NULL, 512, 1 },
    { "32 bits, two threads", NULL, NULL, 32, 2 },
    { "128 bits, two threads", NULL, NULL, 128, 2 },
    { "256 bits, two threads", NULL, NULL, 256, 2 },
    { "512 bits, two threads", NULL, NULL, 512, 2 },
    { "x86-64", "x86-64", NULL, 0, 1 },
    { "x86-64-v2", "x86-64-v2", NULL, 0, 1 },
    { "x86-64-v3", "x86-64-v3", NULL, 0, 1 },
    { "x86-64-v3, two threads", "x86-64-v3", NULL, 0, 2 },
};

#define GCC "gcc -O1 -std=c11 -w -shared -fPIC x.c -o x.so "
static const way c_ways[] = {
    { "C of 1 lane", NULL, GCC, 32, 1 },
    { "C of 4 lanes", NULL, GCC, 128, 1 },
    { "C of 8 lanes, AVX2", "x86-64-v3", GCC "-march=x86-64-v3", 256, 1 },
    { "C of 16 lanes, AVX-512", "x86-64-v4", GCC "-march=x86-64-v4", 512, 1 },
    { "C of 8 lanes", NULL, GCC, 256, 1 },
    { "C of 16 lanes, AVX2", "x86-64-v3", GCC "-march=x86-64-v3", 512, 1 },
};

#define LD "cc -shared x.o -o x.so"
static const way object_ways[] = {
    { "object for x86-64", "x86-64", LD, 0, 1 },
    { "object for x86-64-v2", "x86-64-v2", LD, 0, 1 },
    { "object for x86-64-v3", "x86-64-v3", LD, 0, 1 },
    { "object for x86-64-v4", "x86-64-v4", LD, 0, 1 },
};

/* ---- reports ---- */

void
sizes_wrong(const item *x, const char *way, const char *what)
{
    sizes.failures++;
    fprintf(stderr, "\nsizes: %s %" PRId64 " (%s, %s): %s: %s\n%s", sizes.how, x->z.number,
            x->z.kind, x->z.type, way, what, x->z.text);
}

static void
progress(int64_t more)
{
    const time_t now = time(NULL);

    sizes.ran += more;
    if (now - sizes.told < (isatty(1) ? 1 : 60) && sizes.ran < sizes.of)
        return;
    sizes.told = now;
    const double left = sizes.ran ? (double)(now - sizes.begun) / (double)sizes.ran *
                                        (double)(sizes.of - sizes.ran) / 60
                                  : 0;
    printf(isatty(1) ? "\rsizes: %s: %" PRId64 " of %" PRId64 ", %" PRId64
                       " failures, %.0f minutes left   "
                     : "sizes: %s: %" PRId64 " of %" PRId64 ", %" PRId64
                       " failures, %.0f minutes left\n",
           sizes.how, sizes.ran, sizes.of, sizes.failures, left);
    fflush(stdout);
}

/* ---- programs ---- */

/* Integers with their extremes, floats that stay finite. */
static void
fill(uint64_t *seed, const ir_type *t, const char *name, double lo, double hi, void *array)
{
    (ir_is_inexact(t->dtype) ? laws_fill : laws_fill_special)(seed, t, name, lo, hi, array);
}

const ir_type *
sizes_type(const item *x, int i)
{
    return ir_type_at(x->f, i < x->f->n_in ? x->f->in[i] : x->f->out[i - x->f->n_in]);
}

int
sizes_values(const item *x)
{
    return x->f->n_in + x->f->n_out;
}

static bool
prepare(item *x, int64_t number)
{
    const cot_graph *f;
    uint64_t seed = 77 + (uint64_t)number;

    *x = (item){ .z = sized_make(&sizes.ctx->arena, number) };
    if (cot_parse(sizes.ctx, "sizes", x->z.text, strlen(x->z.text), NULL, &f) != COT_OK) {
        sizes_wrong(x, "parsing", cot_error(sizes.ctx));
        return false;
    }
    x->f = f;
    x->in = laws_sample(f, &seed, -2, 2, fill);
    x->want = laws_values(f->n_out, f->out, f);
    if (laws_eval(f, x->want, x->in) == COT_OK)
        return true;
    sizes_wrong(x, "evaluating", cot_error(sizes.ctx));
    return false;
}

static void
release(item *x)
{
    if (x->in)
        laws_free(x->f->n_in, x->in);
    if (x->want)
        laws_free(x->f->n_out, x->want);
    x->in = x->want = NULL;
}

/* ---- files ---- */

const char *
sizes_path(const char *name)
{
    return ir_format(&sizes.ctx->arena, "%s/%s", sizes.folder, name);
}

void
sizes_write(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(sizes_path(name), "w");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(2);
}

int
sizes_shell(const char *command, const char *more)
{
    return system(ir_format(&sizes.ctx->arena, "cd %s && %s %s", sizes.folder, command, more));
}

static bool
lower(item *x, const cot_compile_options *o)
{
    rt_lowered low;
    rt_plan p;

    if (rt_plan_new(sizes.ctx, o, x->f->name, &p) != COT_OK ||
        rt_lower(x->f, &p, &sizes.ctx->arena, &low) != COT_OK) {
        sizes_wrong(x, "lowering", cot_error(sizes.ctx));
        cot_error_clear(sizes.ctx);
        return false;
    }
    x->fn = (cg_natural){ .name = ir_format(&sizes.ctx->arena, "p%d", (int)(x - sizes.item)),
                          .module = low.module,
                          .n_in = x->f->n_in,
                          .n_out = x->f->n_out };
    x->work = low.module->work_bytes;
    sizes.target = p.target;
    return true;
}

bool
sizes_emit(const cot_compile_options *o, bool c)
{
    cg_natural fn[SIZES_BATCH];
    const void *bytes;
    size_t size;
    const cg_backend *by = c ? cg_c() : cg_llvm();

    for (int i = 0; i < sizes.n; i++) {
        if (!lower(&sizes.item[i], o))
            return false;
        fn[i] = sizes.item[i].fn;
    }
    if (by->emit(sizes.ctx, &sizes.target, c ? CG_TO_C : CG_TO_OBJECT, sizes.n, fn,
                 &sizes.ctx->arena, &bytes, &size) != COT_OK) {
        sizes_wrong(&sizes.item[0], "emitting", cot_error(sizes.ctx));
        cot_error_clear(sizes.ctx);
        return false;
    }
    sizes_write(c ? "x.c" : "x.o", bytes, size);
    return true;
}

/* ---- batches ---- */

static uint64_t
mixed(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static void
run_batch(void)
{
    const bool single = sizes.ways == jit_ways;
    const uint64_t first = mixed((uint64_t)sizes.item[0].z.number);

    if (sizes.to)
        sizes_batch_there();
    for (int i = 0; single && i < sizes.n; i++)
        for (int k = 0,
                 w = (int)(mixed((uint64_t)sizes.item[i].z.number) % (uint64_t)sizes.n_ways);
             k < sizes.n_ways; k++) {
            if (!sizes_possible(&sizes.ways[(w + k) % sizes.n_ways]))
                continue;
            sizes_jit(&sizes.item[i], &sizes.ways[(w + k) % sizes.n_ways]);
            k = sizes.every ? k : sizes.n_ways;
        }
    for (int k = 0; !sizes.to && !single && k < sizes.n_ways; k++)
        if (sizes_possible(&sizes.ways[(first + (uint64_t)k) % (uint64_t)sizes.n_ways])) {
            sizes_batch_here(&sizes.ways[(first + (uint64_t)k) % (uint64_t)sizes.n_ways],
                             sizes.ways == c_ways);
            k = sizes.every ? k : sizes.n_ways;
        }
    progress(sizes.n);
    for (int i = 0; i < sizes.n; i++)
        release(&sizes.item[i]);
    sizes.n = 0;
}

/* Which numbers: first, first + step, ...; or, `drawn`, so many by a seed. */
typedef struct numbers {
    int64_t first, step, count, at;
    bool drawn;
} numbers;

static int64_t
next_number(numbers *n)
{
    const int64_t i = n->at++;

    return n->drawn ? (int64_t)(mixed((uint64_t)n->first * 1000003u + (uint64_t)i) %
                                (uint64_t)sized_count())
                    : n->first + i * n->step;
}

static void
fill_batch(numbers *n)
{
    size_t bytes = 0;

    while (n->at < n->count && sizes.n < SIZES_BATCH && bytes < IMAGE) {
        item *x = &sizes.item[sizes.n];
        if (!prepare(x, next_number(n))) {
            release(x);
            continue;
        }
        sizes.n++;
        for (int k = 0; k < sizes_values(x); k++)
            bytes += laws_bytes(sizes_type(x, k));
    }
}

static void
run_numbers(numbers n)
{
    sizes.of = n.count;
    while (n.at < n.count) {
        sizes.ctx = cot_context_new(NULL);
        IR_TRY (sizes.ctx) {
            fill_batch(&n);
            if (sizes.n)
                run_batch();
        }
        cot_context_free(sizes.ctx);
    }
}

static bool
find_how(const char *how)
{
    sizes.how = how;
    if (strcmp(how, "jit") == 0)
        sizes.ways = jit_ways, sizes.n_ways = sizeof jit_ways / sizeof *jit_ways;
    else if (strcmp(how, "schedules") == 0)
        sizes.ways = jit_ways, sizes.n_ways = sizeof jit_ways / sizeof *jit_ways,
        sizes.scheduled = true;
    else if (strcmp(how, "c") == 0)
        sizes.ways = c_ways, sizes.n_ways = sizeof c_ways / sizeof *c_ways;
    else if (strcmp(how, "object") == 0)
        sizes.ways = object_ways, sizes.n_ways = sizeof object_ways / sizeof *object_ways;
    else
        sizes.to = machine_named(how);
    return sizes.ways || (sizes.to && !(sizes.to->cpu && strchr(sizes.to->cpu, ',')));
}

/* Is there what the machine wants? */
static bool
has_tools(void)
{
    bool runs = false;

    if (!sizes.to)
        return sizes.ways != c_ways || machine_installed("gcc");
    for (int k = 0; k < 3 && sizes.to->run[k]; k++)
        runs |= machine_installed(sizes.to->run[k]);
    return runs && machine_linker(sizes.to) &&
           (!sizes.to->cc || machine_installed(sizes.to->cc));
}

/* Part `part`, as K/N, of the numbers first, first + step, ... below end. */
static numbers
part_of(const char *part, int64_t first, int64_t step, int64_t end)
{
    int64_t k = 0, n = 1;

    if (part && (sscanf(part, "%" SCNd64 "/%" SCNd64, &k, &n) != 2 || k < 0 || n < 1))
        exit(2);
    first += k * step;
    step *= n;
    return (numbers){ first, step, first < end ? (end - first + step - 1) / step : 0, 0,
                      false };
}

static numbers
numbers_of(int argc, char **argv)
{
    const char *part = argc > 3 ? argv[3] : NULL;

    if (strcmp(argv[2], "--sample") == 0)
        return (numbers){ atoll(argv[3]), 1, atoll(argv[4]), 0, true };
    if (strcmp(argv[2], "--all") == 0)
        return part_of(part, 0, 1, sized_count());
    if (strcmp(argv[2], "--streamed") == 0)
        return part_of(part, sized_streamed(), 1, sized_count());
    if (strcmp(argv[2], "--of") == 0) {
        int64_t step, first = sized_kind(part ? part : "", &step);
        if (first < 0) {
            fprintf(stderr, "sizes: no kind is called `%s`\n", part ? part : "");
            exit(2);
        }
        return part_of(argc > 4 ? argv[4] : NULL, first, step, sized_streamed());
    }
    sizes.every = true;
    return (numbers){ atoll(argv[2]), 1, 1, 0, false };
}

int
main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--judged") == 0) {
        judged_open(argv[2]);
        argc -= 2;
        argv += 2;
    }
    if (argc < 3 || !find_how(argv[1]) || (strcmp(argv[2], "--sample") == 0 && argc < 5))
        return fprintf(stderr,
                       "usage: sizes [--judged FILE] HOW (--sample SEED COUNT | --all [K/N] |"
                       " --streamed [K/N] | --of KIND [K/N] | NUMBER)\n"),
               2;
    if (!has_tools()) {
        printf("sizes: %s: not run: its compiler, linker or emulator is not installed\n",
               sizes.how);
        return 77;
    }
    strcpy(sizes.folder, "/tmp/sizes-XXXXXX");
    if (!mkdtemp(sizes.folder))
        return 2;
    sizes_watch_faults();
    sizes.begun = sizes.told = time(NULL);
    run_numbers(numbers_of(argc, argv));
    printf("\nsizes: %s: %" PRId64 " programs of %" PRId64 ", %" PRId64 " failures", sizes.how,
           sizes.ran, sized_count(), sizes.failures);
    if (sizes.scheduled)
        printf(", %" PRId64 " schedules run, %" PRId64 " refused", sizes.schedules,
               sizes.refused);
    if (sizes.known)
        printf(", %" PRId64 " judged before", sizes.known);
    if (sizes.left_out)
        printf(", %" PRId64 " left out, at which the emulator fails itself", sizes.left_out);
    printf("\n");
    if (!getenv("KEEP")) {
        char line[128];
        snprintf(line, sizeof line, "rm -rf %s", sizes.folder);
        if (system(line) != 0)
            return 2;
    }
    return sizes.failures > 0;
}
