/* Products: dot, dot_general, einsum, convolution. */
#include "frontend/stablehlo/import/rules.h"

#include "cotrace/sugar.h"
#include "cotrace/window.h"
#include "ir/diag.h"

void
fe_hlo_product_operands(hlo_emit *e, cot_dtype *as, ir_ref *x)
{
    const hlo_type *t = fe_hlo_declared(e, 0);
    const cot_dtype a = fe_hlo_in_type(e, 0)->dtype, b = fe_hlo_in_type(e, 1)->dtype;
    cot_dtype c = fe_promote(a, b);

    *as = t ? t->dtype : a;
    if (c == COT_DTYPE_NONE || c == COT_BOOL) /* of bools: is there a pair of both? */
        c = c == COT_BOOL ? COT_I32 : a;
    if (t && cot_dtype_size(t->dtype) > cot_dtype_size(c))
        c = t->dtype;
    x[0] = ir_convert(e->b, e->in[0], c);
    x[1] = ir_convert(e->b, e->in[1], c);
}

void
fe_hlo_dot_general(hlo_emit *e)
{
    const bool record = fe_hlo_find(e->op, "dot_dimension_numbers", NULL) != NULL;
    const hlo_op *const op = e->op;
    hlo_op numbers;
    ir_ints list[4];
    cot_dtype as;
    ir_ref x[2];

    if (record && !fe_hlo_record(e, "dot_dimension_numbers", &numbers))
        return;
    e->op = record ? &numbers : op;
    const bool good =
        fe_hlo_ints(e, "lhs_contracting_dimensions", "lhs_contracting_dims", 0, 0, &list[0]) &&
        fe_hlo_ints(e, "rhs_contracting_dimensions", "rhs_contracting_dims", 0, 0, &list[1]) &&
        fe_hlo_ints(e, "lhs_batching_dimensions", "lhs_batching_dims", 0, 0, &list[2]) &&
        fe_hlo_ints(e, "rhs_batching_dimensions", "rhs_batching_dims", 0, 0, &list[3]);
    e->op = op;
    if (!good)
        return;
    fe_hlo_product_operands(e, &as, x);
    e->out[0] = ir_dot(e->b, x[0], x[1], list[0], list[1], list[2], list[3]);
    if (e->out[0])
        e->out[0] = ir_convert(e->b, e->out[0], as);
}

void
fe_hlo_dot(hlo_emit *e)
{
    const int rank = fe_hlo_in_type(e, 0)->rank;
    const int64_t last = rank - 1, first = 0;
    cot_dtype as;
    ir_ref x[2];

    if (rank < 1 || rank > 2 || fe_hlo_in_type(e, 1)->rank < 1 ||
        fe_hlo_in_type(e, 1)->rank > 2) {
        fe_hlo_fail(e, "wants vectors or matrices");
        return;
    }
    fe_hlo_product_operands(e, &as, x);
    e->out[0] = ir_dot(e->b, x[0], x[1], (ir_ints){ 1, &last }, (ir_ints){ 1, &first },
                       (ir_ints){ 0, NULL }, (ir_ints){ 0, NULL });
    if (e->out[0])
        e->out[0] = ir_convert(e->b, e->out[0], as);
}

/* Of one operand or two, by letters: ab,bc->ac. */
void
fe_hlo_einsum(hlo_emit *e)
{
    const hlo_attr *config = fe_hlo_find(e->op, "einsum_config", "config");
    ir_ref x[2] = { e->in[0], IR_NONE };
    cot_dtype as = fe_hlo_in_type(e, 0)->dtype;
    cot_value v[2];

    if (!config || config->kind != HLO_STRING) {
        fe_hlo_fail(e, "attribute einsum_config is missing");
        return;
    }
    if (e->n_in == 2)
        fe_hlo_product_operands(e, &as, x);
    for (int i = 0; i < e->n_in; i++)
        v[i] = fe_hlo_handle(e, x[i]);
    if (!fe_hlo_bad(e))
        e->out[0] =
            fe_hlo_ref(e, cot_einsum_(fe_hlo_place(e), fe_hlo_text(e->h->a, config->text),
                                      (cot_values){ .n = e->n_in, .at = v }));
    if (e->out[0])
        e->out[0] = ir_convert(e->b, e->out[0], as);
}

/* [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] as letters: NXYC,XYIO->NXYC. */
static const char *
letters(hlo_emit *e, hlo_span s, int rank)
{
    static const char axis[] = "abcdefghijklmnopqrstuvwxyzABDEFGHJKLMPQRSTUVWXYZ0123456789";
    char *to = ir_alloc(e->b->arena, 3 * (size_t)rank + 8), *p = to;
    int part = 0, n = 0;

    for (size_t i = 0; i < s.n && n <= rank; i++) {
        const char c = s.at[i];
        if (c == '[') {
            n = 0;
        } else if (c == ']') {
            if (n != rank)
                break;
            if (++part < 3)
                p += snprintf(p, 3, "%s", part == 1 ? "," : "->");
        } else if (c >= '0' && c <= '9') {
            size_t k = 0;
            for (; i < s.n && s.at[i] >= '0' && s.at[i] <= '9' && k < sizeof axis; i++)
                k = 10 * k + (size_t)(s.at[i] - '0');
            i--;
            if (k >= sizeof axis - 1 || n++ >= rank)
                break;
            *p++ = axis[k];
        } else if (c == 'b' || c == 'f' || c == 'i' || c == 'o') {
            if (n++ >= rank)
                break;
            *p++ = c == 'b' ? 'N' : c == 'f' ? 'C' : c == 'i' ? 'I' : 'O';
        }
    }
    if (part != 3) {
        fe_hlo_fail(e, "its dimension numbers do not fit rank %d", rank);
        return NULL;
    }
    return to;
}

static ir_ref
reversed(hlo_emit *e, ir_ref w, const char *spec, int rank, ir_ints reverse)
{
    ir_axes axes = 0;
    int k = 0;

    /* spatial axes of the kernel are numbered as they are named */
    for (int i = 0; i < rank; i++) {
        const char c = spec[rank + 1 + i];
        if (c == 'I' || c == 'O')
            continue;
        for (k = 0; k < rank - 2; k++)
            if (c == "abcdefghijklmnopqrstuvwxyzABDEFGHJKLMPQRSTUVWXYZ"[k] && reverse.at[k])
                axes |= ir_axes_of(i);
    }
    return axes ? ir_reverse(e->b, w, axes) : w;
}

/* Axes in the order of their numbers: the spatial axes of the operand may be in another one. */
static void
by_spec(const char *spec, int rank, ir_ints by_number, int width, int64_t *to)
{
    int n = 0;

    for (int i = 0; i < rank; i++)
        for (int k = 0; k < rank - 2 && spec[i] != 'N' && spec[i] != 'C'; k++)
            if (spec[i] == "abcdefghijklmnopqrstuvwxyzABDEFGHJKLMPQRSTUVWXYZ"[k]) {
                for (int j = 0; j < width; j++)
                    to[width * n + j] = by_number.at[width * k + j];
                n++;
                break;
            }
}

/* The padding of dynamic_conv is an operand: [n, 2]. */
static bool
known_padding(hlo_emit *e, int n, ir_ints *out)
{
    const int64_t size = fe_hlo_in_type(e, 2)->size;
    ir_ref flat = ir_reshape(e->b, e->in[2], 1, &size);

    if (!flat || !fe_hlo_known(e, flat, "the padding", out))
        return false;
    if (out->n != n)
        fe_hlo_fail(e, "its padding has %d entries; wants %d", out->n, n);
    return out->n == n;
}

/* The window of a convolution over n axes. */
typedef struct conv_window {
    ir_ints stride, pad, lhs, rhs, reverse;
} conv_window;

/* Read it from the attributes, or from those of the attribute `window` where the op has one. */
static bool
read_window(hlo_emit *e, int n, conv_window *w)
{
    const hlo_attr *window = fe_hlo_find(e->op, "window", NULL);
    const hlo_op *const op = e->op;
    hlo_op inside = *op;

    if (window && window->kind == HLO_DICT) {
        inside.n_attrs = window->n;
        inside.attr = window->named;
    }
    e->op = &inside;
    const bool good = fe_hlo_ints(e, "window_strides", "stride", n, 1, &w->stride) &&
                      (e->n_in == 3 ? known_padding(e, 2 * n, &w->pad)
                                    : fe_hlo_ints(e, "padding", "pad", 2 * n, 0, &w->pad)) &&
                      fe_hlo_ints(e, "lhs_dilation", "lhs_dilate", n, 1, &w->lhs) &&
                      fe_hlo_ints(e, "rhs_dilation", "rhs_dilate", n, 1, &w->rhs) &&
                      fe_hlo_ints(e, "window_reversal", "reverse", n, 0, &w->reverse);
    e->op = op;
    return good;
}

void
fe_hlo_convolution(hlo_emit *e)
{
    const int rank = fe_hlo_in_type(e, 0)->rank, n = rank - 2;
    const hlo_attr *numbers = fe_hlo_find(e->op, "dimension_numbers", "dim_numbers");
    conv_window w;
    int64_t at[5][2 * COT_MAX_RANK];
    cot_dtype as;
    ir_ref x[2];

    if (!numbers || rank < 2 || rank > 48) {
        fe_hlo_fail(e, numbers ? "wants a rank from 2 to 48"
                               : "attribute dimension_numbers is missing");
        return;
    }
    const char *spec = read_window(e, n, &w) ? letters(e, numbers->text, rank) : NULL;
    if (!spec)
        return;
    fe_hlo_product_operands(e, &as, x);
    x[1] = reversed(e, x[1], spec, rank, w.reverse);
    by_spec(spec, rank, w.stride, 1, at[0]);
    by_spec(spec, rank, w.pad, 2, at[1]);
    by_spec(spec, rank, w.lhs, 1, at[2]);
    by_spec(spec, rank, w.rhs, 1, at[3]);
    const cot_window_options o = { .strides = { n, 0, at[0] },
                                   .padding = { 2 * n, 0, at[1] },
                                   .base_dilation = { n, 0, at[2] },
                                   .dilation = { n, 0, at[3] },
                                   .groups = (int)fe_hlo_int_or(e, "feature_group_count", 1),
                                   .batch_groups =
                                       (int)fe_hlo_int_or(e, "batch_group_count", 1),
                                   .spec = spec };
    if (!fe_hlo_bad(e))
        e->out[0] = fe_hlo_ref(e, cot_conv_(fe_hlo_place(e), fe_hlo_handle(e, x[0]),
                                            fe_hlo_handle(e, x[1]), &o, sizeof o));
    if (e->out[0])
        e->out[0] = ir_convert(e->b, e->out[0], as);
}
