/* Batch norm under vmap: the running statistics of every layer taken away, in a module with a
 * layer at its root and one in a submodule; and, with them, the statistics of each batch as
 * results. */
#include "harness.h"

/* scale and bias are left out: torch's affine=False */
struct net {
    cot_value mean, var, batches, inner_mean, inner_var, inner_batches, x;
};

static void
net(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct net *n = COT_STRUCT(struct net, in);
    const int tracks = n->mean.ctx != NULL;
    cot_value outer[2], inner[2];
    cot_value x = cot_batch_norm(n->x, outer, .mean = n->mean, .var = n->var, .training = 1);

    (void)t, (void)user;
    out[0] = cot_batch_norm(cot_mul(2, x), inner, .mean = n->inner_mean, .var = n->inner_var,
                            .training = 1);
    for (int i = 0; i < 2; i++) {
        out[1 + i] = tracks ? outer[i] : out[0];
        out[3 + i] = tracks ? inner[i] : out[0];
    }
}

/* The first of the module's results. */
static void
first(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value all[5];

    (void)t;
    cot_call_all(user, COT_VALUES(in[0]), all, 5);
    out[0] = all[0];
}

static const char *const names[] = { "running_mean", "running_var", "num_batches_tracked",
                                     "inner.running_mean", "inner.running_var",
                                     "inner.num_batches_tracked" };

int
main(void)
{
    harness c = harness_begin("batch_norm_patch");
    cot_array *x = ARRAY(&c, cot_f32(2, 2, 1), 1, 3, 0, 8);
    cot_module *m =
        cot_module_new(c.ctx, .name = "Net", .body = net,
                       .buffers = "running_mean, running_var, num_batches_tracked, "
                                  "inner{running_mean, running_var, num_batches_tracked}",
                       .inputs = "x", .results = "y, mean, var, inner_mean, inner_var");
    cot_batch_norm_config config[2] = { { 1 }, { 1 } };
    cot_array *zero = ARRAY(&c, cot_f32(1), 0), *one = ARRAY(&c, cot_f32(1), 1);
    cot_array *count = ARRAY(&c, cot_f32(), 0), *at[] = { zero, one, count };
    int good = 1;

    for (int i = 0; i < 6; i++)
        good = good && cot_module_set(m, names[i], at[i % 3]) == COT_OK;
    holds(&c, "two layers, with statistics",
          good && cot_module_batch_norm(m, "", &config[0]) == COT_OK &&
              cot_module_batch_norm(m, "inner", &config[1]) == COT_OK);
    by_back_ends(
        &c, "vmap, statistics out",
        cot_vmap(cot_module_fn(m),
                 .in_dims = COT_DIMS("inner: none, running_mean: none, running_var: none, "
                                     "num_batches_tracked: none, x: 0")),
        ARRAYS(zero, one, count, zero, one, count, x),
        NEAR(2e-5, -1, 1, -1, 1, 0.2, 0.4, 1.1, 4.1, 0, 0, 1.7, 1.7));
    good = cot_replace_batch_norm(m) == m;
    for (int i = 0; i < 6; i++)
        good = good && cot_module_array(m, names[i]) == NULL;
    holds(&c, "no statistics, flags off, the module itself returned",
          good && !config[0].track_running_stats && !config[1].track_running_stats);
    by_back_ends(&c, "vmap, patched",
                 cot_vmap(cot_fn_new(c.ctx, "y", first, 1, 1, cot_module_fn(m))), ARRAYS(x),
                 NEAR(2e-5, -1, 1, -1, 1));
    return harness_end(&c);
}
