/* Kernels for all sizes as files for other machines: one object, or C source, for each program,
 * whose calls at all sizes are one run (there.h).  Wanted are the results of the kernels that
 * are compiled here for each size alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/laws/laws.h"
#include "tests/laws/open_inside.h"
#include "tests/laws/there.h"

enum { CALLS = 96 };
static const size_t MOST_BYTES = (size_t)24 << 20;

typedef struct open_call {
    class_program of;
    int64_t size[2];
    void **in, **want;
} open_call;

static struct state {
    const machine *to;
    const open_program *p;
    char folder[32];
    int n, n_sizes;
    open_call at[CALLS];
    size_t bytes;
    cg_target target;
} s;
int open_there_calls, open_there_left_out;

static void
write_file(const char *name, const void *bytes, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "%s/%s", s.folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(2);
}

/* The parameters are those of f, at whichever sizes. */
static cot_status
emit(const open_program *p, const ir_graph *f)
{
    const bool c = s.to->cc != NULL;
    static const char *const names[] = { "n", "m" };
    const cg_open *open = &p->opened->general;
    const cg_natural fn = { .name = "f",
                            .module = open->module,
                            .n_in = f->n_in,
                            .n_out = f->n_out,
                            .open = open,
                            .size_name = names };
    const void *bytes;
    size_t size;

    COT_TRY((c ? cg_c() : cg_llvm())
                ->emit(p->ctx, &s.target, c ? CG_TO_C : CG_TO_OBJECT, 1, &fn, &p->ctx->arena,
                       &bytes, &size));
    write_file(c ? "x.c" : "x.o", bytes, size);
    return COT_OK;
}

cot_status
open_there_lower(open_program *p, const machine *to, const rt_open_source *source,
                 rt_sizes *sizes)
{
    const cot_compile_options o = { .target = to->target,
                                    .cpu = to->cpu,
                                    .features = to->features,
                                    .threads = 1,
                                    .backend = to->cc ? "c" : NULL,
                                    .vector_bits = 32 * to->lanes };
    rt_plan plan;

    s = (struct state){ .to = to, .p = p, .n_sizes = sizes->n, .folder = "/tmp/open-XXXXXX" };
    if (!mkdtemp(s.folder))
        exit(2);
    COT_TRY(rt_plan_new(p->ctx, &o, "f", &plan));
    s.target = plan.target;
    return rt_open_lower_file(p->ctx, source, sizes, &plan, &p->ctx->arena, &p->opened);
}

/* The results of the kernel for this size alone. */
static bool
run_own(const ir_graph *f, void *const *in, void *const *out)
{
    cot_array *array[2 * OPEN_VALUES];
    cot_kernel *k = NULL;
    bool ran = cot_compile_graph(f, NULL, &k) == COT_OK;

    for (int i = 0; i < f->n_in + f->n_out && ran; i++)
        array[i] = cot_array_borrow(
            f->ctx, ir_type_public(ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in])),
            i < f->n_in ? in[i] : out[i - f->n_in]);
    if (ran) {
        ran = cot_run(k, array + f->n_in, (const cot_array *const *)array) == COT_OK;
        for (int i = 0; i < f->n_in + f->n_out; i++)
            cot_array_free(array[i]);
    }
    cot_kernel_free(k);
    return ran;
}

static size_t
bytes_of(const ir_graph *f)
{
    size_t bytes = 0;

    for (int i = 0; i < f->n_in + f->n_out; i++)
        bytes += laws_bytes(ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]));
    return bytes;
}

void
open_there_add(const open_program *p, const class_program *c, const int64_t *size)
{
    const ir_graph *f = c->law.f;
    const size_t bytes = bytes_of(f) + (size_t)cg_open_work_bytes(&p->opened->general, size);
    open_call *x = &s.at[s.n];

    if (s.n == CALLS || s.bytes + bytes > MOST_BYTES)
        return;
    *x = (open_call){
        *c, { size[0], size[1] }, classes_operands(c), laws_values(f->n_out, f->out, f)
    };
    if (!run_own(f, x->in, x->want)) {
        open_wrong(p, c, cot_error(p->ctx));
        cot_error_clear(p->ctx);
    }
    s.bytes += bytes;
    s.n++;
}

static void
wrong(void *user, int i, const char *way, const char *what)
{
    const open_program *p = user;

    open_wrong(p, &s.at[i < 0 ? 0 : i].of, ir_format(&p->ctx->arena, "%s: %s", way, what));
}

static void
add_call(const open_call *x, there_call *c)
{
    const ir_graph *f = x->of.law.f;

    *c = (there_call){ .function = "f",
                       .n_sizes = s.n_sizes,
                       .size = x->size,
                       .n_in = f->n_in,
                       .n = f->n_in + f->n_out,
                       .in = x->in,
                       .want = x->want,
                       .work = cg_open_work_bytes(&s.p->opened->general, x->size) };
    for (int k = 0; k < c->n; k++)
        c->type[k] = ir_type_at(f, k < f->n_in ? f->in[k] : f->out[k - f->n_in]);
}

void
open_there_run(open_program *p)
{
    static there_call call[CALLS];
    there t = { .ctx = p->ctx,
                .to = s.to,
                .folder = s.folder,
                .n = s.n,
                .call = call,
                .wrong = wrong,
                .user = p };

    for (int i = 0; i < s.n; i++)
        add_call(&s.at[i], &call[i]);
    if (s.n && emit(p, s.at[0].of.law.f) != COT_OK)
        wrong(p, -1, "emitting", cot_error(p->ctx));
    else if (s.n)
        there_run(&t);
    open_there_calls += s.n;
    open_there_left_out += t.left_out;
    for (int i = 0; i < s.n; i++) {
        laws_free(s.at[i].of.law.f->n_in, s.at[i].in);
        laws_free(s.at[i].of.law.f->n_out, s.at[i].want);
    }
    if (system(ir_format(&p->ctx->arena, "rm -rf %s", s.folder)) != 0)
        exit(2);
}
