/* Expectations of StableHLO modules: custom calls @check.expect_eq, _close, _almost_eq.
 *
 * Their operands are the last results of the entry.  Equal: any NaN equals any NaN.  Close:
 * within some units in the last place, and as many apart as is asked for, of complex numbers
 * each part; what is not finite is 2^64 - 1 from what it does not equal.  Almost equal: within
 * an absolute difference.  These are the rules of StableHLO's own interpreter. */
#include "tools/cot.h"

#include <math.h>

#include "frontend/stablehlo/import/import.h"
#include "ir/scalar.h"
#include "runtime/values.h"

/* Floats as integers such that neighbours differ by one: of the sign and magnitude. */
static int64_t
ordinal(cot_dtype t, const char *p)
{
    uint64_t bits = 0;
    const int width = 8 * (int)cot_dtype_size(t);
    const uint64_t top = (uint64_t)1 << (width - 1);

    memcpy(&bits, p, cot_dtype_size(t));
    return bits & top ? -(int64_t)(bits ^ top) : (int64_t)bits;
}

static bool
is_like(const fe_hlo_check *k, cot_dtype t, const char *found, const char *wanted)
{
    const double x = rt_element(t, found, 0), y = rt_element(t, wanted, 0);

    if (!ir_is_float(t))
        return k->kind == FE_HLO_ALMOST ? fabs(x - y) <= k->tolerance
                                        : memcmp(found, wanted, cot_dtype_size(t)) == 0;
    const bool same = x == y || (isnan(x) && isnan(y)), finite = isfinite(x) && isfinite(y);
    if (k->kind == FE_HLO_EQ)
        return same;
    if (k->kind == FE_HLO_ALMOST)
        return same || (finite && fabs(x - y) <= k->tolerance);
    const int64_t a = ordinal(t, found), b = ordinal(t, wanted);
    const uint64_t distance = same      ? 0
                              : !finite ? UINT64_MAX
                              : a > b   ? (uint64_t)a - (uint64_t)b
                                        : (uint64_t)b - (uint64_t)a;
    return distance >= k->least && distance <= k->most;
}

/* [1,0,2] of element i. */
static const char *
index_text(cot_cli *c, const ir_type *t, int64_t i)
{
    ir_buf b;
    int64_t stride[COT_MAX_RANK];

    ir_strides(t, stride);
    ir_buf_init(&b, &c->ctx->arena);
    ir_buf_str(&b, "[");
    for (int k = 0; k < t->rank; k++) {
        ir_buf_printf(&b, "%s%lld", k ? "," : "", (long long)(i / stride[k]));
        i %= stride[k];
    }
    ir_buf_str(&b, "]");
    return b.text;
}

static const char *
element_text(cot_cli *c, cot_dtype t, const char *p)
{
    ir_buf b;

    ir_buf_init(&b, &c->ctx->arena);
    rt_print_elements(&b, ir_scalar_type(c->ctx, t), p, false);
    return b.text;
}

static bool
check_one(cot_cli *c, const fe_hlo_check *k, const ir_graph *f, void *const *out)
{
    static const char *const name[] = { "expect_eq", "expect_close", "expect_almost_eq" };
    const ir_type *t = ir_type_at(f, f->out[k->found]);
    const char *x = out[k->found], *y = out[k->wanted];
    const bool complex = cot_dtype_name(t->dtype)[0] == 'c';
    const size_t size = cot_dtype_size(t->dtype);
    const cot_dtype part = !complex ? t->dtype : size == 8 ? COT_F32 : COT_F64;
    ir_buf where;

    for (int64_t i = 0; i < t->size; i++) {
        const size_t at = (size_t)i * size;
        if (is_like(k, part, x + at, y + at) &&
            (!complex || is_like(k, part, x + at + size / 2, y + at + size / 2)))
            continue;
        ir_buf_init(&where, &c->ctx->arena);
        ir_loc_print(c->ctx, k->loc, &where);
        fprintf(stderr, "%s: check.%s: element %s is %s; wants %s\n",
                where.n ? where.text : f->name, name[k->kind], index_text(c, t, i),
                element_text(c, t->dtype, x + at), element_text(c, t->dtype, y + at));
        return false;
    }
    return true;
}

bool
cli_check_expectations(cot_cli *c, const ir_graph *f, void *const *out)
{
    bool good = true;

    for (uint32_t i = 0; c->checks && i < c->checks->n && good; i++)
        good = check_one(c, &c->checks->at[i], f, out);
    return good;
}
