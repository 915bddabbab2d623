/* A graph as it stands at a stage, for --emit and for text tests. */
#include "codegen/kernel/grid.h"
#include "ir/diag.h"
#include "runtime/compile.h"
#include "runtime/explore/explore.h"
#include "runtime/values.h"
#include "tools/cot.h"

#include <stdlib.h>

/* Elements of input i of a stage: numbers counted through all inputs, exact in every type. */
static void
fill_counted(const ir_type *t, int64_t *next, void *out)
{
    for (int64_t i = 0; i < t->size; i++, ++*next)
        rt_set_element(t->dtype, out, i,
                       t->dtype == COT_BOOL ? (double)(*next & 1)
                                            : (double)(*next % 11 - 3) / 2);
}

static cot_status
print_values(const ir_graph *f, const char *backend, ir_buf *out)
{
    cot_context *ctx = f->ctx;
    const cot_compile_options o = { .backend = backend };
    void **args = IR_NEW_N(&ctx->arena, void *, f->n_in + f->n_out + 1);
    void **pointer = IR_NEW_N(&ctx->arena, void *, f->n_in + f->n_out + 1);
    int64_t next = 0;
    cot_kernel *k;
    cot_status status;

    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);

        args[i] = ir_alloc(&ctx->arena, rt_bytes(t) + 1);
        if (i < f->n_in)
            fill_counted(t, &next, args[i]);
    }
    COT_TRY(cot_compile_graph(f, &o, &k));
    rt_arguments(k, args, args + f->n_in, pointer);
    status = rt_call_kernel(k, pointer, NULL);
    cot_kernel_free(k);
    for (int i = 0; i < f->n_out && status == COT_OK; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);

        ir_type_print(out, t);
        ir_buf_str(out, " ");
        rt_print_elements(out, t, args[f->n_in + i], true);
        ir_buf_str(out, "\n");
    }
    return status;
}

static const char *const stage_names[] = { "verify", "dot",  "simplified", "kernels",
                                           "plan",   "llvm", "asm",        "eval",
                                           "run",    "c",    "sim" };
#define N_STAGES ((int)(sizeof stage_names / sizeof *stage_names))

bool
cli_is_stage(const char *name, size_t n)
{
    for (int i = 0; i < N_STAGES; i++)
        if (strlen(stage_names[i]) == n && memcmp(stage_names[i], name, n) == 0)
            return true;
    return false;
}

/* A GPU's kernels. */
static void
for_grid(cg_target *t, bool grid)
{
    if (!grid)
        return;
    *t = (cg_target){ .fast = t->fast };
    cg_grid_target(t);
}

/* An option "KERNEL: schedule RECORD" adds a line to p's schedules; its length, or 0 where it
 * is another option. */
static int
add_schedule(ir_arena *a, const char *option, rt_plan *p)
{
    const int n = (int)strcspn(option, ",)");
    const char *found = strstr(option, ": schedule ");

    if (!found || found >= option + n)
        return 0;
    p->schedules = ir_format(a, "%s%.*s\n", p->schedules ? p->schedules : "", n, option);
    return n;
}

/* "kernels(bits=256, threads=2, fuse=0)": the options that differ from the defaults. */
static cot_status
stage_plan(cot_context *ctx, const char *text, rt_plan *p)
{
    const char *s = strchr(text, '(');

    *p = (rt_plan){
        .engine = RT_JIT, .backend = cg_llvm(), .threads = 1, .fuse = true, .name = "kernel"
    };
    p->target = (cg_target){ .triple = "x86_64-unknown-linux-gnu",
                             .cpu = "x86-64-v3",
                             .vector_bits = 256,
                             .registers = 16,
                             .l1 = 32 << 10,
                             .l2 = 512 << 10,
                             .l3 = 8 << 20 };
    while (s && *s && *s != ')') {
        char name[16];
        int value, used = add_schedule(&ctx->arena, s + 1, p);

        if (used > 0) {
            s += 1 + used;
            continue;
        }
        if (sscanf(s + 1, " %15[a-z] = %d%n", name, &value, &used) != 2)
            return ir_fail(
                ctx, 0, NULL, ERR_usage,
                "a stage's options are bits, threads, fuse, grid, fast and trapping, as "
                "in kernels(bits=128)");
        if (strcmp(name, "bits") == 0)
            p->target.vector_bits = value;
        else if (strcmp(name, "threads") == 0)
            p->threads = value;
        else if (strcmp(name, "fuse") == 0)
            p->fuse = value != 0;
        else if (strcmp(name, "grid") == 0)
            for_grid(&p->target, value != 0);
        else if (strcmp(name, "fast") == 0)
            p->target.fast = value != 0;
        else if (strcmp(name, "trapping") == 0)
            p->target.trapping_math = value != 0;
        else
            return ir_fail(
                ctx, 0, NULL, ERR_usage,
                "a stage's options are bits, threads, fuse, grid, fast and trapping");
        s += 1 + used;
        s += strspn(s, " ");
    }
    if (p->target.cpu && p->target.vector_bits == 512)
        p->target.cpu = "x86-64-v4"; /* which has such vectors */
    return COT_OK;
}

cot_status
cli_stage(const ir_graph *f, const char *stage, ir_buf *out)
{
    size_t n = strcspn(stage, "( ");
    rt_plan p;

    if (n == 6 && memcmp(stage, "verify", n) == 0) {
        ir_print(out, f, 0);
        return ir_verify(f->ctx, f, "parsing");
    }
    if (n == 3 && memcmp(stage, "dot", n) == 0) {
        rt_dot(out, f, NULL);
        return COT_OK;
    }
    if (n == 4 && memcmp(stage, "eval", n) == 0)
        return print_values(f, "eval", out);
    if (n == 3 && memcmp(stage, "run", n) == 0)
        return print_values(f, "jit", out);
    if (n == 3 && memcmp(stage, "sim", n) == 0)
        return print_values(f, "sim", out);
    COT_TRY(stage_plan(f->ctx, stage, &p));
    if (n == 10)
        return rt_stage(f, &p, "simplify", out);
    return rt_stage(f, &p, ir_format(out->arena, "%.*s", (int)n, stage), out);
}
