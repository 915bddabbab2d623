/* Type inference: dispatch through the table, and the checks that rules share. */
#include "ir/infer/infer.h"

#define MAX_ELEMENTS ((int64_t)1 << 48)

static infer_rule *const infer_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, ...) [OP_##name] = infer_##infer,
#include "ir/ops.def"
#undef OP
};

int
ir_infer(ir_build *b, ir_op op, int n_in, const ir_type *const *in, const ir_attrs *at,
         const ir_type **out, int cap)
{
    infer_ctx c = {
        .b = b, .op = op, .n_in = n_in, .in = in, .at = at, .out = out, .cap = cap
    };

    if (ir_ops[op].n_in >= 0 && n_in != ir_ops[op].n_in)
        return INFER_FAIL(&c, ERR_operand_count, n_in, ir_ops[op].n_in);
    return infer_rules[op](&c);
}

int
infer_one(const infer_ctx *c, const ir_type *t)
{
    if (!t)
        return -1;
    if (c->cap > 0)
        c->out[0] = t;
    return 1;
}

/* The axes that are not empty are multiplied, so that strides fit too. */
const ir_type *
infer_type(const infer_ctx *c, cot_dtype t, int rank, const int64_t *dims)
{
    int64_t size = 1;

    if (rank > COT_MAX_RANK) {
        INFER_FAIL(c, ERR_rank_limit, rank);
        return NULL;
    }
    for (int k = 0; k < rank; k++) {
        if (dims[k] < 0) {
            INFER_FAIL(c, ERR_size_negative, k, (long long)dims[k]);
            return NULL;
        }
        if (dims[k] > 0 && dims[k] > MAX_ELEMENTS / size) {
            INFER_FAIL(c, ERR_size_limit);
            return NULL;
        }
        size *= dims[k] > 0 ? dims[k] : 1;
    }
    const ir_type *type = ir_type_new(c->b->ctx, t, rank, dims);
    if (!type)
        INFER_FAIL(c, ERR_size_limit);
    return type;
}

const ir_type *
infer_shaped(const infer_ctx *c, const ir_type *like, int rank, const int64_t *dims)
{
    return infer_type(c, like->dtype, rank, dims);
}

const char *
infer_str(const infer_ctx *c, const ir_type *t)
{
    return ir_type_str(c->b->ctx, t);
}

int
infer_dtype_is(const infer_ctx *c, int operand, bool ok, const char *wanted)
{
    if (ok)
        return 0;
    return INFER_FAIL(c, ERR_operand_dtype, operand, infer_str(c, c->in[operand]), wanted);
}

int
infer_length(const infer_ctx *c, const char *what, ir_ints s, int n)
{
    return s.n == n ? 0 : INFER_FAIL(c, ERR_list_length, what, s.n, n);
}

int
infer_axis(const infer_ctx *c, int64_t axis, const ir_type *t)
{
    if (axis >= 0 && axis < t->rank)
        return 0;
    return INFER_FAIL(c, ERR_axis_range, (long long)axis, infer_str(c, t));
}

int
infer_axis_list(const infer_ctx *c, const char *what, ir_ints s, int n, ir_axes *set)
{
    ir_axes seen = 0;

    for (int i = 0; i < s.n; i++) {
        if (n == 0)
            return INFER_FAIL(c, ERR_list_length, what, s.n, 0);
        if (s.at[i] < 0 || s.at[i] >= n)
            return INFER_FAIL(c, ERR_list_range, what, i, (long long)s.at[i], 0ll,
                              (long long)n - 1);
        if (ir_axes_has(seen, (int)s.at[i]))
            return INFER_FAIL(c, ERR_axis_repeated, (long long)s.at[i]);
        seen |= ir_axes_of((int)s.at[i]);
    }
    *set = seen;
    return 0;
}

int
infer_ascending(const infer_ctx *c, const char *what, ir_ints s)
{
    for (int i = 1; i < s.n; i++)
        if (s.at[i] <= s.at[i - 1])
            return INFER_FAIL(c, ERR_list_order, what, i, (long long)s.at[i],
                              (long long)s.at[i - 1]);
    return 0;
}

int
infer_disjoint(const infer_ctx *c, ir_axes a, ir_axes b)
{
    if ((a & b) == 0)
        return 0;
    return INFER_FAIL(c, ERR_axis_repeated, (long long)__builtin_ctzll(a & b));
}

int
infer_sizes(const infer_ctx *c, const char *what, ir_ints s, const int64_t *limit)
{
    for (int i = 0; i < s.n; i++)
        if (s.at[i] < 0 || s.at[i] > limit[i])
            return INFER_FAIL(c, ERR_list_range, what, i, (long long)s.at[i], 0ll,
                              (long long)limit[i]);
    return 0;
}
