/* One kernel for all sizes has the bits of the kernel that is made for each: every program with
 * free axes (classes.h) is compiled once, with its axes open, and compared at the sizes that
 * matter, between red zones.
 *
 *   law_open [--types T,T,...] [--backend B] [--bits WIDTH] [--cpu NAME]
 *            [--threads N] [--machine M] [--most N | --refused N] [K/N | row R]
 *
 * Without options it is the JIT of this machine at all element types; K/N is part K of N rows.
 * --machine: a file for that machine (machine.h), run where something runs it here.  What has
 * no kernel for all sizes is counted; --most fails where there are more than N, and --refused
 * does too, prints why, and the program, and compares nothing. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/laws/laws.h"
#include "tests/laws/open_inside.h"
#include "tests/redzone.h"

/* Blocks of sums and vectors of them, tiles' columns and rows (48, 14), and the cache blocks of
 * products of open axes, which are up to 1,024 long, rounded to tiles. */
static const int64_t sizes[] = { 0,    1,    2,    3,    13,   15,   16,   17,   31,
                                 32,   33,   47,   48,   49,   63,   64,   65,   97,
                                 255,  256,  257,  511,  512,  513,  769,  1009, 1022,
                                 1023, 1024, 1025, 1037, 1057, 2113, 4097, 65537 };
enum {
    SIZES = (int)(sizeof sizes / sizeof *sizes),
    MOST = 1 << 21,
    MOST_THERE = 1 << 17,
    FIXED = 17
};

static int compared, kernels, refused;
static bool say_refused;
static int most_refused = INT_MAX;
static cot_compile_options options;
static const machine *to; /* NULL: the JIT */

static void
lengths(const open_program *p, const int64_t *size, int64_t *n, int64_t *m)
{
    *n = p->open == M_ALONE ? FIXED : size[0];
    *m = !classes_axes_are_two(p->row) ? 1 : p->open == N_ALONE ? FIXED : size[p->open == BOTH];
}

static cot_status
graph_at(void *user, ir_arena *scratch, const int64_t *size, const cot_graph **out)
{
    const open_program *p = user;
    class_program c;
    int64_t n, m;

    (void)scratch;
    lengths(p, size, &n, &m);
    if (!classes_at(p->ctx, p->row, p->type, n, m, &c))
        return COT_ERR_SHAPE;
    *out = c.law.f;
    return COT_OK;
}

static cot_status
compile(cot_context *ctx, void *user)
{
    open_program *p = user;
    const rt_open_source source = { "class", 0, graph_at, p };
    static const char *const names[] = { "n", "m" };
    rt_sizes *s = IR_NEW(&ctx->arena, rt_sizes);
    class_program least;
    rt_plan plan;

    s->n = classes_axes_are_two(p->row) && p->open == BOTH ? 2 : 1;
    for (int i = 0; i < s->n; i++) {
        s->size[i] =
            (rt_size){ names[p->open == M_ALONE ? 1 : i], 0, RT_OPEN_MOST, 1, -1, -1, 1, 0 };
        while (!classes_at(ctx, p->row, p->type, s->size[i].least, s->size[i].least, &least) &&
               s->size[i].least < 40)
            s->size[i].least++;
    }
    cot_error_clear(ctx);
    if (to)
        return open_there_lower(p, to, &source, s);
    COT_TRY(rt_plan_new(ctx, &options, "class", &plan));
    return rt_open_compile(ctx, &source, s, &plan, &p->kernel);
}

/* -- calls -- */

/* Arrays between red zones, whose side differs from call to call. */
typedef struct call {
    int n;
    redzone zone[2 * OPEN_VALUES + 1];
    cot_array *array[2 * OPEN_VALUES];
} call;

static void
call_add(call *c, cot_context *ctx, const ir_type *t, const void *data)
{
    static const redzone_kind kinds[] = { REDZONE_BOTH, REDZONE_END, REDZONE_BEGIN };
    const size_t align = t->size ? cot_dtype_size(ir_part_type(t->dtype)) : 1;
    void *at = redzone_new(&c->zone[c->n], laws_bytes(t), align, kinds[compared % 3]);

    if (data && laws_bytes(t))
        memcpy(at, data, laws_bytes(t));
    c->array[c->n++] = cot_array_borrow(ctx, ir_type_public(t), at);
}

/* NULL: the result is in the arrays behind those of the arguments. */
static const char *
run(call *c, const cot_kernel *k, cot_context *ctx, const ir_graph *f, void *const *in,
    const int64_t *size)
{
    const size_t bytes = k->open ? (size_t)cg_open_work_bytes(&k->open->general, size)
                                 : cot_kernel_work_bytes(k);
    ptrdiff_t at;

    *c = (call){ 0 };
    for (int i = 0; i < f->n_in; i++)
        call_add(c, ctx, ir_type_at(f, f->in[i]), in[i]);
    for (int i = 0; i < f->n_out; i++)
        call_add(c, ctx, ir_type_at(f, f->out[i]), NULL);
    void *work = redzone_new(&c->zone[c->n], bytes, 64, REDZONE_BOTH);
    if (cot_run_with(k, work, c->array + f->n_in, (const cot_array *const *)c->array) != COT_OK)
        return cot_error(ctx);
    for (int i = 0; i <= c->n; i++)
        if (!redzone_good(&c->zone[i], &at))
            return ir_format(&ctx->arena, "writes beside array %d, at byte %lld", i,
                             (long long)at);
    return NULL;
}

static void
call_free(call *c)
{
    for (int i = 0; i <= c->n; i++) /* that of the work block is the last */
        redzone_free(&c->zone[i]);
    for (int i = 0; i < c->n; i++)
        cot_array_free(c->array[i]);
}

/* Is no value larger than what a test wants to compute? */
static bool
is_small(const ir_graph *f)
{
    for (ir_ref v = 1; v < f->n_values; v++)
        if (ir_type_at(f, v)->size > 16 * (int64_t)MOST)
            return false;
    return true;
}

void
open_wrong(const open_program *p, const class_program *c, const char *why)
{
    laws_fail(&c->law, "open",
              ir_format(&p->ctx->arena, "%s at n = %lld, m = %lld (row %d, %s)", why,
                        (long long)c->n, (long long)c->m, p->row, cot_dtype_name(p->type)));
}

/* Compare the results of a call with those of the kernel for the size. */
static void
compare(const open_program *p, const class_program *c, const int64_t *size)
{
    const ir_graph *f = c->law.f;
    void **in = classes_operands(c);
    static call open, own;
    cot_kernel *k = NULL;
    const char *why = NULL;

    if (cot_compile_graph(f, NULL, &k) != COT_OK)
        why = cot_error(p->ctx);
    else if (!(why = run(&own, k, p->ctx, f, in, size)))
        why = run(&open, p->kernel, p->ctx, f, in, size);
    for (int i = f->n_in; i < f->n_in + f->n_out && !why; i++) {
        const int64_t at = laws_differ(ir_type_at(f, f->out[i - f->n_in]), open.zone[i].data,
                                       own.zone[i].data);

        if (at >= 0)
            why = ir_format(&p->ctx->arena, "result %d differs in element %lld", i - f->n_in,
                            (long long)at);
    }
    if (why)
        open_wrong(p, c, why);
    compared++;
    cot_error_clear(p->ctx);
    cot_kernel_free(k);
    call_free(&open);
    call_free(&own);
    laws_free(f->n_in, in);
}

/* Why a program has no kernel for all sizes, and the program. */
static void
print_refused(const open_program *p, const char *why)
{
    class_program c;
    ir_buf b;

    printf("row %d, %s, %s: %s\n", p->row, cot_dtype_name(p->type),
           p->open == BOTH      ? "all"
           : p->open == N_ALONE ? "n"
                                : "m",
           why);
    cot_error_clear(p->ctx);
    if (!classes_at(p->ctx, p->row, p->type, 40, 56, &c) &&
        !classes_at(p->ctx, p->row, p->type, 64, 64, &c))
        return;
    ir_buf_init(&b, &p->ctx->arena);
    ir_print(&b, c.law.f, 0);
    fputs(b.text, stdout);
}

/* Compare at all sizes, which are turned round where both axes are open. */
static void
compare_all(const open_program *p)
{
    const int turns = p->open == BOTH && classes_axes_are_two(p->row) ? 2 : 1;

    for (int i = 0; i < SIZES; i++)
        for (int turn = 0; turn < turns; turn++) {
            const int64_t other = sizes[(i + 5) % SIZES],
                          size[2] = { turn ? other : sizes[i], turn ? sizes[i] : other };
            class_program c;
            int64_t n, m;

            lengths(p, size, &n, &m);
            if (n * m <= (to ? MOST_THERE : MOST) &&
                classes_at(p->ctx, p->row, p->type, n, m, &c) && c.law.f->n_in < OPEN_VALUES &&
                c.law.f->n_out < OPEN_VALUES && is_small(c.law.f)) {
                const int64_t at[] = { p->open == M_ALONE ? m : n, m };
                (to ? open_there_add : compare)(p, &c, at);
            }
            cot_error_clear(p->ctx);
        }
}

static void
judge(int row, cot_dtype type, open_which open)
{
    cot_context *ctx = cot_context_new(NULL);
    open_program p = { ctx, row, type, open, NULL, NULL };
    const bool has = rt_guard(ctx, compile, &p) == COT_OK;

    kernels += has;
    refused += !has;
    if (!has && say_refused)
        print_refused(&p, ir_format(&ctx->arena, "%s", cot_error(ctx)));
    cot_error_clear(ctx);
    if (has && !say_refused)
        compare_all(&p);
    if (to)
        open_there_run(&p);
    cot_kernel_free(p.kernel);
    cot_context_free(ctx);
}

static bool
is_wanted(const char *types, cot_dtype t)
{
    const char *name = cot_dtype_name(t), *at = types ? strstr(types, name) : name;

    return at && (!types || at == types || at[-1] == ',');
}

static bool
can_run(const machine *m)
{
    return (!m->cc || machine_installed(m->cc)) && machine_linker(m) &&
           machine_installed(m->run[0]);
}

int
main(int argc, char **argv)
{
    const char *types = NULL;
    int first = 0, step = 1;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--refused") == 0 && i + 1 < argc)
            say_refused = true, most_refused = atoi(argv[++i]);
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            most_refused = atoi(argv[++i]);
        else if (strcmp(argv[i], "--types") == 0 && i + 1 < argc)
            types = argv[++i];
        else if (strcmp(argv[i], "--backend") == 0 && i + 1 < argc)
            options.backend = argv[++i];
        else if (strcmp(argv[i], "--cpu") == 0 && i + 1 < argc)
            options.cpu = argv[++i];
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            options.threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--bits") == 0 && i + 1 < argc)
            options.vector_bits = atoi(argv[++i]);
        else if (strcmp(argv[i], "--machine") == 0 && i + 1 < argc &&
                 (to = machine_named(argv[i + 1])) != NULL)
            i++;
        else if (strcmp(argv[i], "row") == 0 && i + 1 < argc)
            first = atoi(argv[++i]), step = classes_rows();
        else if (!laws_part(argv[i], &first, &step))
            return 2;
    if (to && !can_run(to))
        return printf("open: nothing here runs code of %s\n", to->name), 77;
    for (int row = first; row < classes_rows(); row += step)
        for (int t = COT_BOOL; t < COT_DTYPE_COUNT; t++) {
            cot_context *ctx = cot_context_new(NULL);
            class_program c;
            const bool takes = is_wanted(types, (cot_dtype)t) &&
                               (classes_at(ctx, row, (cot_dtype)t, 40, 40, &c) ||
                                classes_at(ctx, row, (cot_dtype)t, 64, 64, &c));

            cot_context_free(ctx);
            for (int open = BOTH; takes && open <= (classes_axes_are_two(row) ? M_ALONE : BOTH);
                 open++)
                judge(row, (cot_dtype)t, (open_which)open);
        }
    printf("open: %d kernels for all sizes, %d compared, %d have none; %d failures\n", kernels,
           compared + open_there_calls, refused, laws_failures);
    if (open_there_left_out)
        printf("open: the emulator fails itself at %d\n", open_there_left_out);
    return laws_failures != 0 || refused > most_refused;
}
