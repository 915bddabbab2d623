/* A trial of a general kernel: its results at some sizes are those of the reference evaluator
 * for the function as it is compiled for these sizes alone, for several operands.
 *
 * Over an axis of one element a sum is that element, and arrays of shapes [1, 1, 3] need no
 * broadcast where those of [n, 1, 3] and [1, n, 3] do: there the function traces to another
 * graph, which must compute the same. */
#include <stdlib.h>

#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/device.h"
#include "runtime/open/open.h"
#include "runtime/trap.h"
#include "runtime/values.h"

enum { TRIALS = 3, LINE = 64, MOST_ELEMENTS = 200000, MOST_COST = 2000000 };

static void
fill(const ir_type *t, uint32_t *seed, void *data)
{
    for (int64_t i = 0; i < t->size; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        const int x = (int)(*seed >> 12);

        if (ir_is_complex(t->dtype)) {
            const cot_dtype part = ir_part_type(t->dtype);
            rt_set_element(part, data, 2 * i, (x % 2001 - 1000) / 577.0);
            rt_set_element(part, data, 2 * i + 1, (x % 1999 - 1000) / 613.0);
        } else {
            rt_set_element(t->dtype, data, i,
                           t->dtype == COT_BOOL  ? x % 2
                           : ir_is_int(t->dtype) ? x % 5
                                                 : (x % 2001 - 1000) / 577.0);
        }
    }
}

/* All NaNs are equal. */
static bool
same(const ir_type *t, const void *x, const void *y)
{
    const cot_dtype part = ir_part_type(t->dtype);
    const int64_t n = t->size * (ir_is_complex(t->dtype) ? 2 : 1);
    const size_t bytes = cot_dtype_size(part);

    for (int64_t i = 0; i < n; i++) {
        const double a = rt_element(part, x, i), b = rt_element(part, y, i);

        if (memcmp((const char *)x + (size_t)i * bytes, (const char *)y + (size_t)i * bytes,
                   bytes) != 0 &&
            !(a != a && b != b))
            return false;
    }
    return true;
}

static void *
room_for(ir_arena *a, const ir_type *t)
{
    char *p = ir_alloc(a, (size_t)t->size * cot_dtype_size(t->dtype) + 2 * LINE);

    return p + (LINE - (uintptr_t)p % LINE) % LINE;
}

/* Kernels of a device are tried by the simulator: compiling takes no memory of a GPU. */
static cot_status
simulate(const cot_kernel *k, void *const *args, const size_t *bytes, void *work)
{
    const rt_device_call c = { .args = args, .bytes = bytes, .work = work };

    return rt_sim()->run(k->program, k, &c);
}

/* Call the kernel as a program does (run.c): arguments, results, sizes, the pool. */
static int
call(const cot_kernel *k, const ir_graph *f, void *const *in, void *const *out,
     const int64_t *size, ir_arena *a)
{
    const int n = k->n_in + k->n_out;
    void **all = IR_NEW_N(a, void *, n + 2);
    size_t *bytes = IR_NEW_N(a, size_t, n + 1);
    char *work = ir_alloc(a, (size_t)cg_open_work_bytes(&k->open->general, size) + 2 * LINE);

    for (int i = 0; i < n; i++) {
        const ir_type *t = ir_type_at(f, i < k->n_in ? f->in[i] : f->out[i - k->n_in]);

        all[i] = i < k->n_in ? in[i] : out[i - k->n_in];
        bytes[i] = (size_t)t->size * cot_dtype_size(t->dtype);
    }
    all[n] = ir_copy_bytes(a, size, sizeof *size * (size_t)k->open->sizes->n);
    all[n + 1] = NULL;
    work += (LINE - (uintptr_t)work % LINE) % LINE;
    return k->program ? (int)simulate(k, all, bytes, work) : k->code.entry(all, work);
}

static rt_trial
try_once(const cot_kernel *k, const ir_graph *f, const ir_graph *prepared, const int64_t *size,
         uint32_t *seed, ir_arena *a)
{
    void **in = IR_NEW_N(a, void *, f->n_in + 1), **own = IR_NEW_N(a, void *, f->n_out + 1),
         **out = IR_NEW_N(a, void *, f->n_out + 1);

    for (int i = 0; i < f->n_in; i++) {
        in[i] = room_for(a, ir_type_at(f, f->in[i]));
        fill(ir_type_at(f, f->in[i]), seed, in[i]);
    }
    for (int i = 0; i < f->n_out; i++) {
        own[i] = room_for(a, ir_type_at(f, f->out[i]));
        out[i] = room_for(a, ir_type_at(f, f->out[i]));
    }
    if (rt_eval(prepared, own, (const void *const *)in) != COT_OK) {
        cot_error_clear(k->ctx);
        return RT_TRIAL_NONE;
    }
    if (call(k, f, in, out, size, a) != 0)
        return RT_TRIAL_DIFFERS;
    for (int i = 0; i < f->n_out; i++)
        if (!same(ir_type_at(f, f->out[i]), own[i], out[i]))
            return RT_TRIAL_DIFFERS;
    return RT_TRIAL_AGREES;
}

/* Does the evaluator take milliseconds?  A loop that data ends may take forever. */
static bool
is_quick(const cot_kernel *k, const ir_graph *f, const int64_t *size)
{
    int64_t elements = 0;

    for (ir_ref v = 1; v < f->n_values; v++)
        elements += ir_type_at(f, v)->size;
    return elements <= MOST_ELEMENTS && !f->whiles &&
           cg_form_at(&k->open->cost, size) <= MOST_COST;
}

rt_trial
rt_open_trial(const cot_kernel *k, const cot_graph *f, const int64_t *size, bool small,
              ir_arena *a)
{
    ir_graph *prepared;
    uint32_t seed = 7;

    if (f->n_inout || f->effectful || ir_count_open(f) != f->n_in || f->n_in != k->n_in ||
        f->n_out != k->n_out || (small && !is_quick(k, f, size)))
        return RT_TRIAL_NONE;
    if (pass_prepare(f, &prepared) != COT_OK) {
        cot_error_clear(k->ctx);
        return RT_TRIAL_NONE;
    }
    for (int i = 0; i < TRIALS; i++) {
        const rt_trial is = try_once(k, f, prepared, size, &seed, a);

        if (is != RT_TRIAL_AGREES)
            return is;
    }
    return RT_TRIAL_AGREES;
}

static bool
same_results(const ir_graph *f, const ir_graph *pf, const ir_graph *pg, uint32_t *seed,
             ir_arena *a)
{
    void **in = IR_NEW_N(a, void *, f->n_in + 1);
    void **x = IR_NEW_N(a, void *, f->n_out + 1), **y = IR_NEW_N(a, void *, f->n_out + 1);

    for (int i = 0; i < f->n_in; i++) {
        in[i] = room_for(a, ir_type_at(f, f->in[i]));
        fill(ir_type_at(f, f->in[i]), seed, in[i]);
    }
    for (int i = 0; i < f->n_out; i++) {
        x[i] = room_for(a, ir_type_at(f, f->out[i]));
        y[i] = room_for(a, ir_type_at(f, f->out[i]));
    }
    if (rt_eval(pf, x, (const void *const *)in) != COT_OK ||
        rt_eval(pg, y, (const void *const *)in) != COT_OK)
        return false;
    for (int i = 0; i < f->n_out; i++)
        if (!same(ir_type_at(f, f->out[i]), x[i], y[i]))
            return false;
    return true;
}

static bool
same_types(const ir_graph *f, const ir_graph *g)
{
    if (f->n_in != g->n_in || f->n_out != g->n_out)
        return false;
    for (int i = 0; i < f->n_in; i++)
        if (ir_type_at(f, f->in[i]) != ir_type_at(g, g->in[i]))
            return false;
    for (int i = 0; i < f->n_out; i++)
        if (ir_type_at(f, f->out[i]) != ir_type_at(g, g->out[i]))
            return false;
    return true;
}

rt_trial
rt_open_trial_graphs(const cot_graph *f, const cot_graph *g, ir_arena *a)
{
    ir_graph *pf, *pg;
    uint32_t seed = 7;
    bool good = true;

    if (f->n_inout || f->effectful || g->effectful || f->whiles ||
        ir_count_open(f) != f->n_in || !same_types(f, g))
        return RT_TRIAL_NONE;
    if (pass_prepare(f, &pf) != COT_OK || pass_prepare(g, &pg) != COT_OK) {
        cot_error_clear(f->ctx);
        return RT_TRIAL_NONE;
    }
    for (int i = 0; i < TRIALS && good; i++)
        good = same_results(f, pf, pg, &seed, a);
    cot_error_clear(f->ctx);
    return good ? RT_TRIAL_AGREES : RT_TRIAL_DIFFERS;
}
