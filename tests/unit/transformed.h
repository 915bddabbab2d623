/* For suites of transforms: graphs from text and after a pipeline, and their values, all f64,
 * on the reference evaluator. */
#ifndef TESTS_UNIT_TRANSFORMED_H
#define TESTS_UNIT_TRANSFORMED_H

#include "ir/graph.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

enum { MAX_ARRAYS = 16, LARGEST = 512 };

static inline ir_graph *
parsed(const char *text)
{
    ir_module m;
    ck_assert_msg(ir_parse(ctx, "test", text, strlen(text), &m) == COT_OK, "%s\n%s",
                  cot_error(ctx), text);
    return m.fn[m.n - 1];
}

static inline const char *
printed(const ir_graph *f)
{
    ir_buf b;
    ir_buf_init(&b, f->arena);
    ir_print(&b, f, 0);
    return b.text;
}

static inline ir_graph *
after(const ir_graph *f, const char *pipeline)
{
    ir_graph *out = NULL;
    ck_assert_msg(pass_pipeline(f, pipeline, NULL, NULL, &out) == COT_OK, "%s: %s\n%s",
                  pipeline, cot_error(ctx), printed(f));
    return out;
}

/* Values of the inputs or outputs of a function, all f64. */
typedef struct vals {
    int n;
    double v[MAX_ARRAYS][LARGEST];
    int64_t size[MAX_ARRAYS];
} vals;

static inline double
next_random(uint64_t *seed, double lo, double hi)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(*seed >> 11) * 0x1p-53);
}

static inline vals *
random_vals(int n, const ir_graph *f, const ir_ref *v, uint64_t seed, double lo, double hi)
{
    vals *x = calloc(1, sizeof *x);
    x->n = n;
    for (int i = 0; i < n; i++) {
        x->size[i] = ir_type_at(f, v[i])->size;
        for (int64_t k = 0; k < x->size[i]; k++)
            x->v[i][k] = next_random(&seed, lo, hi);
    }
    return x;
}

static inline vals *
run(const ir_graph *f, const vals *x)
{
    vals *y = calloc(1, sizeof *y);
    const void *in[MAX_ARRAYS];
    void *out[MAX_ARRAYS];
    ck_assert_int_eq(x->n, f->n_in);
    for (int i = 0; i < f->n_in; i++)
        in[i] = x->v[i];
    y->n = f->n_out;
    for (int j = 0; j < f->n_out; j++) {
        y->size[j] = ir_type_at(f, f->out[j])->size;
        out[j] = y->v[j];
    }
    ck_assert_msg(ir_eval(f, out, in) == COT_OK, "%s\n%s", cot_error(ctx), printed(f));
    return y;
}

static inline vals *
joined(const vals *x, const vals *y)
{
    vals *z = calloc(1, sizeof *z);
    *z = *x;
    for (int i = 0; i < y->n; i++) {
        memcpy(z->v[z->n], y->v[i], sizeof y->v[i]);
        z->size[z->n++] = y->size[i];
    }
    return z;
}

#endif
