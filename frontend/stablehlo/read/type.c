/* Types: tensor<2x?xf32>, complex<f32>, tokens, tuples, and the signatures of ops. */
#include "frontend/stablehlo/read/tree.h"

#include "ir/diag.h"

static cot_dtype
dtype_named(const char *name)
{
    for (int t = COT_BOOL; t < COT_DTYPE_COUNT; t++)
        if (strcmp(name, cot_dtype_name((cot_dtype)t)) == 0)
            return (cot_dtype)t;
    return COT_DTYPE_NONE;
}

/* f32, i8, ui8, i1, complex<f32>: ours, or COT_DTYPE_NONE; of small ones the back end. */
static bool
element_type(hlo_reader *r, cot_dtype *out, const hlo_small **small)
{
    static const struct {
        const char *theirs, *ours;
    } row[] = { { "i1", "bool" },  { "i8", "i8" },   { "i16", "i16" },   { "i32", "i32" },
                { "i64", "i64" },  { "ui8", "u8" },  { "ui16", "u16" },  { "ui32", "u32" },
                { "ui64", "u64" }, { "si8", "i8" },  { "si16", "i16" },  { "si32", "i32" },
                { "si64", "i64" }, { "f16", "f16" }, { "bf16", "bf16" }, { "f32", "f32" },
                { "f64", "f64" } };
    hlo_span s, rest;
    cot_dtype part;

    fe_hlo_try(r, "!"); /* of a dialect, and none of ours */
    s = fe_hlo_word(r);
    *out = COT_DTYPE_NONE;
    if (fe_hlo_is(s, "complex") && fe_hlo_try(r, "<")) {
        if (!fe_hlo_deeper(r) || !element_type(r, &part, small) || !fe_hlo_expect(r, ">"))
            return false;
        r->depth--;
        *out = *small            ? COT_DTYPE_NONE
               : part == COT_F32 ? dtype_named("c64")
               : part == COT_F64 ? dtype_named("c128")
                                 : COT_DTYPE_NONE;
        *small = NULL;
        return true;
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (fe_hlo_is(s, row[i].theirs))
            *out = dtype_named(row[i].ours);
    if ((*small = fe_hlo_small(s)))
        *out = (*small)->storage;
    if (s.n == 0)
        return fe_hlo_wants(r, r->at, "an element type");
    return !fe_hlo_try(r, "<") || fe_hlo_balanced(r, '>', &rest);
}

/* After `tensor<`: 2x3xf32, then an encoding, which is ignored. */
static bool
tensor(hlo_reader *r, hlo_type *t)
{
    int64_t *dims = NULL, x;
    uint32_t n = 0, cap = 0;
    hlo_span encoding;
    bool all = true;

    while (!r->failed) {
        fe_hlo_skip(r);
        const char *s = r->at;
        if (fe_hlo_try(r, "?")) {
            x = HLO_DYNAMIC;
            all = false;
        } else if (s < r->end && *s >= '0' && *s <= '9') {
            for (x = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
                if (x > (INT64_MAX - 9) / 10)
                    return fe_hlo_wants(r, s, "a size");
                x = 10 * x + (*r->at - '0');
            }
        } else {
            break;
        }
        IR_PUSH(r->a, dims, n, cap, x);
        if (n > COT_MAX_RANK)
            return fe_hlo_wants(r, s, "at most 64 axes");
        if (!fe_hlo_expect(r, "x"))
            return false;
    }
    t->rank = (int)n;
    t->dims = dims;
    if (!element_type(r, &t->dtype, &t->small))
        return false;
    if (fe_hlo_try(r, ",") ? !fe_hlo_balanced(r, '>', &encoding) : !fe_hlo_expect(r, ">"))
        return false;
    if (all && t->dtype) {
        r->ctx->here = (ir_here){ ir_loc_file(r->ctx, r->path, fe_hlo_line(r, r->at)), NULL };
        t->type = ir_type_new(r->ctx, t->dtype, t->rank, t->dims);
        r->ctx->here = (ir_here){ 0, NULL };
        r->failed |= !t->type;
    }
    return !r->failed;
}

static bool
other(hlo_reader *r, hlo_type *t)
{
    hlo_span s;
    const bool dialect = fe_hlo_try(r, "!");

    s = fe_hlo_word(r);
    if (s.n == 0)
        return fe_hlo_wants(r, r->at, "a type");
    t->kind = dialect && (fe_hlo_is(s, "stablehlo.token") || fe_hlo_is(s, "mhlo.token"))
                  ? HLO_TOKEN
                  : HLO_OTHER;
    return !fe_hlo_try(r, "<") || fe_hlo_balanced(r, '>', &s);
}

const hlo_type *
fe_hlo_type(hlo_reader *r)
{
    hlo_type *t = IR_NEW(r->a, hlo_type);
    const hlo_type **item = NULL, *x;
    uint32_t n = 0, cap = 0;
    bool good = fe_hlo_deeper(r);

    fe_hlo_skip(r);
    t->text.at = r->at;
    t->kind = HLO_TENSOR;
    if (good && fe_hlo_try(r, "tensor<")) {
        good = tensor(r, t);
    } else if (good && (fe_hlo_try(r, "tuple<") || fe_hlo_try(r, "!stablehlo.future<"))) {
        t->kind = HLO_TUPLE;
        while (good && !fe_hlo_peek(r, ">") && (good = (x = fe_hlo_type(r)) != NULL)) {
            IR_PUSH(r->a, item, n, cap, x);
            if (!fe_hlo_try(r, ","))
                break;
        }
        good = good && fe_hlo_expect(r, ">");
        t->n = (int)n;
        t->item = item;
    } else if (good) {
        good = other(r, t);
    }
    r->depth--;
    t->text.n = (size_t)(r->at - t->text.at);
    return good ? t : NULL;
}

/* T, T, ... */
static bool
types(hlo_reader *r, int *n, const hlo_type *const **type)
{
    const hlo_type **at = NULL, *x;
    uint32_t count = 0, cap = 0;

    do {
        if (!(x = fe_hlo_type(r)))
            return false;
        IR_PUSH(r->a, at, count, cap, x);
    } while (fe_hlo_try(r, ","));
    *n = (int)count;
    *type = at;
    return true;
}

/* Results in parentheses, each perhaps with attributes, which are passed over. */
static bool
in_parentheses(hlo_reader *r, int *n, const hlo_type *const **type)
{
    *n = 0;
    *type = NULL;
    return fe_hlo_try(r, ")") || (types(r, n, type) && fe_hlo_expect(r, ")"));
}

bool
fe_hlo_signature(hlo_reader *r, bool *function, int *n, const hlo_type *const **type)
{
    *function = false;
    if (fe_hlo_try(r, "(")) {
        if (!in_parentheses(r, n, type))
            return false;
    } else if (!types(r, n, type)) {
        return false;
    }
    if (!fe_hlo_try(r, "->"))
        return true;
    *function = true;
    if (fe_hlo_try(r, "("))
        return in_parentheses(r, n, type);
    const hlo_type **one = IR_NEW(r->a, const hlo_type *);
    *n = 1;
    *type = one;
    return (*one = fe_hlo_type(r)) != NULL;
}
