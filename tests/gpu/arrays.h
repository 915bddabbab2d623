/* Arguments and results of a graph, here or on the device, and the reference evaluator's
 * judgement of them. */
#ifndef TESTS_GPU_ARRAYS_H
#define TESTS_GPU_ARRAYS_H

#include "tests/gpu/with_double.h"

#include "cotrace/device.h"
#include "runtime/values.h"

enum { MAX_ARRAYS = 4 };
typedef struct arrays {
    cot_array *in[MAX_ARRAYS], *out[MAX_ARRAYS];
    const cot_graph *g;
} arrays;

/* Argument i from seed + i, and results. */
static arrays
made(const cot_graph *g, const char *device, uint64_t seed)
{
    arrays a = { .g = g };

    for (int i = 0; i < cot_graph_n_in(g); i++) {
        const cot_type t = cot_graph_in_type(g, i);
        cot_array *here = cot_array_new(ctx, t);

        rt_random_fill(ir_type_of(ctx, &t), seed + (uint64_t)i, cot_array_data(here));
        a.in[i] = cot_array_to(ctx, here, device);
        ck_assert_msg(a.in[i] != NULL, "%s", cot_error(ctx));
        cot_array_free(here);
    }
    for (int i = 0; i < cot_graph_n_out(g); i++) {
        a.out[i] = cot_array_new_on(ctx, cot_graph_out_type(g, i), device);
        ck_assert_msg(a.out[i] != NULL, "%s", cot_error(ctx));
    }
    return a;
}

static void
let_go(arrays *a)
{
    for (int i = 0; i < MAX_ARRAYS; i++) {
        cot_array_free(a->in[i]);
        cot_array_free(a->out[i]);
    }
}

static cot_status
run(const cot_kernel *k, const arrays *a)
{
    return cot_run(k, a->out, (const cot_array *const *)a->in);
}

/* The status is the reference evaluator's, and so are the results. */
static void
agrees(const arrays *a, cot_status s)
{
    cot_kernel *reference;
    arrays want = { .g = a->g };

    ck_assert_int_eq(
        cot_compile_graph(a->g, &(cot_compile_options){ .backend = "eval" }, &reference),
        COT_OK);
    for (int i = 0; i < cot_graph_n_in(a->g); i++)
        want.in[i] = cot_array_to(ctx, a->in[i], "host");
    for (int i = 0; i < cot_graph_n_out(a->g); i++)
        want.out[i] = cot_array_new(ctx, cot_graph_out_type(a->g, i));
    ck_assert_msg(run(reference, &want) == s, "%s", cot_error(ctx));
    for (int i = 0; i < cot_graph_n_out(a->g) && s == COT_OK; i++) {
        cot_array *got = cot_array_to(ctx, a->out[i], "host");

        ck_assert_msg(got != NULL, "%s", cot_error(ctx));
        ck_assert_mem_eq(cot_array_read(got), cot_array_read(want.out[i]),
                         cot_array_bytes(got));
        cot_array_free(got);
    }
    cot_error_clear(ctx);
    let_go(&want);
    cot_kernel_free(reference);
}

#endif
