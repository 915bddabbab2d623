/* A value kept in a global outlives its trace: its use is an error that gives both lines. */
#include "harness.h"

static cot_value kept;

static void
keep(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    kept = cot_mul(in[0], in[0]);
    out[0] = kept;
}

static void
use(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], kept);
}

int
main(void)
{
    harness c = harness_begin("global_escape");
    cot_array *x = ARRAY(&c, cot_f32(3), 1, 2, 3);

    by_back_ends(&c, "f returns what it keeps",
                 cot_vmap(cot_fn_new(c.ctx, "keep", keep, 1, 1, NULL)), ARRAYS(x),
                 EXACT(1, 4, 9));
    refused(&c, "g uses it", cot_fn_new(c.ctx, "use", use, 1, 1, NULL), ARRAYS(x),
            COT_ERR_TRACE, "global_escape.c:10, has escaped from the trace of keep");
    return harness_end(&c);
}
