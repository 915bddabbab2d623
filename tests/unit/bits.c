#include "tests/unit/bits.h"

#include <check.h>

#include "ir/eval/eval.h"
#include "runtime/check.h"

/* Arrays for n values of f, filled with numbers of moderate size. */
static void **
values(const ir_graph *f, int n, const ir_ref *v)
{
    void **x = IR_NEW_N(f->arena, void *, n + 1);

    for (int i = 0; i < n; i++) {
        const ir_type *t = ir_type_at(f, v[i]);
        x[i] = ir_alloc(f->arena, cot_dtype_size(t->dtype) * (size_t)t->size + 1);
        for (int64_t k = 0; k < t->size; k++) {
            const double y = 0.17 * (double)((k * 7 + i * 3) % 13) - 0.9;
            if (t->dtype == COT_F32)
                ((float *)x[i])[k] = (float)y;
            else if (t->dtype == COT_F64)
                ((double *)x[i])[k] = y;
            else if (t->dtype == COT_I32)
                ((int32_t *)x[i])[k] = (int32_t)(k % 3);
            else if (t->dtype == COT_BF16)
                ((uint16_t *)x[i])[k] = (uint16_t)(0x3f00 + (k * 37 + i * 5) % 256);
            else if (t->dtype == COT_BOOL)
                ((uint8_t *)x[i])[k] = (uint8_t)(k % 3 == 0);
        }
    }
    return x;
}

static bool
same_bits(const ir_graph *f, void **x, void **y)
{
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        if (memcmp(x[i], y[i], cot_dtype_size(t->dtype) * (size_t)t->size) != 0)
            return false;
    }
    return true;
}

void
bits_keep(cot_context *ctx, const char *text, const char *pipeline, const char *const *pass,
          ir_graph **prepared, ir_graph **behind)
{
    ir_module m;
    ir_graph *f;

    ck_assert_msg(ir_parse(ctx, "text", text, strlen(text), &m) == COT_OK, "%s\n%s",
                  cot_error(ctx), text);
    f = m.fn[m.n - 1];
    if (*pipeline)
        ck_assert_msg(pass_pipeline(f, pipeline, NULL, NULL, &f) == COT_OK, "%s",
                      cot_error(ctx));
    ck_assert_int_eq(pass_prepare(f, prepared), COT_OK);
    *behind = *prepared;
    for (int i = 0; pass[i]; i++) {
        ck_assert_int_eq(pass_run(pass_find(pass[i]), *behind, NULL, behind), COT_OK);
        ck_assert_int_eq(ir_verify(ctx, *behind, pass[i]), COT_OK);
    }
    void **in = values(f, f->n_in, f->in), **want = values(f, f->n_out, f->out),
         **got = values(f, f->n_out, f->out);
    ck_assert_int_eq(ir_eval(*prepared, want, (const void *const *)in), COT_OK);
    ck_assert_int_eq(ir_eval(*behind, got, (const void *const *)in), COT_OK);
    ck_assert_msg(same_bits(f, want, got), "%s\n%s", pipeline, text);
    rt_verdict v = { .good = true };
    ck_assert_msg(rt_check_backends(f, in, &v) == COT_OK && v.good, "%s%s", cot_error(ctx),
                  v.good ? "" : v.why.text);
}
