/* Einstein summation: a string names the axes of operands and result.
 *
 * Operands are joined from left to right, each pair by one dot_general (or a product, where
 * nothing is contracted): an axis that both have is a batch axis if it is needed later (in the
 * result or another operand), else contracted; an axis that only one has and that is not needed
 * is summed before.  An axis twice in one operand keeps the diagonal.  Ellipsis axes get labels
 * of their own, counted from the right; those of size 1 broadcast.  With more than two operands
 * f16 and bf16 widen for the whole. */
#include "cotrace/sugar.h"

#include <ctype.h>

#include "frontend/trace.h"

#define MAX_PART COT_MAX_RANK
#define DOTS     256 /* label DOTS + k: axis k from the right of an ellipsis */
#define N_LABELS (DOTS + MAX_PART)

/* A value with a label for each axis. */
typedef struct term {
    ir_ref x;
    int n;
    int label[MAX_PART];
} term;

/* The text of one operand or of the result. */
typedef struct pattern {
    int n;    /* letters */
    int dots; /* how many of them stand before the ellipsis; -1: there is none */
    char letter[MAX_PART];
} pattern;

typedef struct einsum {
    ir_build *b;
    const char *spec;
    int n;
    pattern *part, result;
    bool has_result;
    term *term;
    int ellipsis;           /* axes of the widest ellipsis */
    int64_t size[N_LABELS]; /* of each label; -1: not seen */
} einsum;

static bool
fail(einsum *e, const char *text)
{
    ir_build_fail(e->b, "einsum", ERR_einsum, e->spec, text);
    return false;
}

/* ---- the text ---- */

/* One part, up to a comma, an arrow or the end; NULL if it is wrong. */
static const char *
read_part(einsum *e, const char *s, pattern *p)
{
    p->n = 0;
    p->dots = -1;
    for (; *s && *s != ',' && *s != '-'; s++) {
        if (*s == ' ')
            continue;
        if (strncmp(s, "...", 3) == 0 && p->dots < 0) {
            p->dots = p->n;
            s += 2;
        } else if (isalpha((unsigned char)*s) && p->n < MAX_PART) {
            p->letter[p->n++] = *s;
        } else {
            fail(e, "wants letters, at most one \"...\" in each part, commas and one \"->\"");
            return NULL;
        }
    }
    return s;
}

static bool
read_spec(einsum *e)
{
    const char *s = e->spec;

    for (int i = 0; i < e->n; i++) {
        s = read_part(e, s, &e->part[i]);
        if (!s)
            return false;
        if (i + 1 < e->n && *s++ != ',')
            return fail(e, "has fewer parts than there are operands");
    }
    if (*s == ',')
        return fail(e, "has more parts than there are operands");
    if (!*s)
        return true;
    if (s[1] != '>')
        return fail(e, "wants \"->\" before the result");
    e->has_result = true;
    s = read_part(e, s + 2, &e->result);
    return s && (!*s || fail(e, "has something after the result"));
}

/* ---- labels ---- */

static bool
see(einsum *e, int label, int64_t size)
{
    if (e->size[label] >= 0 && e->size[label] != size) {
        ir_build_fail(e->b, "einsum", ERR_einsum_size, e->spec, label < DOTS ? label : '.',
                      (long long)e->size[label], (long long)size);
        return false;
    }
    e->size[label] = size;
    return true;
}

/* The labels of operand i; ellipsis axes of size 1 go. */
static bool
label_operand(einsum *e, int i, ir_ref x)
{
    const pattern *p = &e->part[i];
    const ir_type *t = ir_btype(e->b, x);
    term *m = &e->term[i];
    int extra = t->rank - p->n, k = 0;
    int64_t shape[COT_MAX_RANK];

    if (extra < 0 || (extra > 0 && p->dots < 0)) {
        ir_build_fail(e->b, "einsum", ERR_einsum_rank, e->spec, i, ir_type_str(e->b->ctx, t),
                      p->n);
        return false;
    }
    e->ellipsis = p->dots >= 0 && extra > e->ellipsis ? extra : e->ellipsis;
    for (int a = 0; a < t->rank; a++) {
        bool dots = p->dots >= 0 && a >= p->dots && a < p->dots + extra;
        int label = dots ? DOTS + (p->dots + extra - 1 - a)
                         : p->letter[p->dots >= 0 && a >= p->dots + extra ? a - extra : a];
        if (dots && t->dims[a] == 1)
            continue;
        if (!see(e, label, t->dims[a]))
            return false;
        shape[k] = t->dims[a];
        m->label[k++] = label;
    }
    m->n = k;
    m->x = k == t->rank ? x : ir_reshape(e->b, x, k, shape);
    return true;
}

static int
find(const term *t, int label)
{
    for (int k = 0; k < t->n; k++)
        if (t->label[k] == label)
            return k;
    return -1;
}

/* Without "->": the ellipsis, then the letters that occur once, in alphabetical order. */
static void
default_result(einsum *e)
{
    e->result.dots = e->ellipsis > 0 ? 0 : -1;
    for (int c = 'A'; c <= 'z'; c++) {
        int times = 0;
        for (int i = 0; i < e->n; i++)
            for (int k = 0; k < e->part[i].n; k++)
                times += e->part[i].letter[k] == c;
        if (times == 1 && e->result.n < MAX_PART)
            e->result.letter[e->result.n++] = (char)c;
    }
}

/* The labels of the result. */
static bool
label_result(einsum *e, term *r)
{
    const pattern *p = &e->result;

    r->n = 0;
    for (int k = 0; k <= p->n; k++) {
        if (k == p->dots)
            for (int d = e->ellipsis - 1; d >= 0; d--)
                r->label[r->n++] = DOTS + d;
        if (k == p->n)
            break;
        if (find(r, p->letter[k]) >= 0)
            return fail(e, "the result names an axis twice");
        if (e->size[(unsigned char)p->letter[k]] < 0)
            return fail(e, "the result names an axis that no operand has");
        r->label[r->n++] = p->letter[k];
        if (r->n + e->ellipsis >= MAX_PART)
            return fail(e, "the result has too many axes");
    }
    return true;
}

/* ---- work on terms ---- */

static void
without(term *t, int axis)
{
    memmove(&t->label[axis], &t->label[axis + 1],
            sizeof t->label[0] * (size_t)(t->n - 1 - axis));
    t->n--;
}

static void
sum_axis(einsum *e, term *t, int axis)
{
    t->x = ir_reduce(e->b, OP_reduce_sum, t->x, ir_axes_of(axis));
    without(t, axis);
}

/* Axes i < k with one label: zeros off the diagonal, then the sum over k is the diagonal. */
static void
keep_diagonal(einsum *e, term *t, int i, int k)
{
    ir_build *b = e->b;

    if (!t->x)
        return;
    const ir_type *type = ir_btype(b, t->x);
    ir_ref right = ir_iota(b, COT_I32, type->rank, type->dims, k);
    ir_ref same = ir_op2(b, OP_eq, ir_iota(b, COT_I32, type->rank, type->dims, i), right);
    t->x = ir_select(b, same, t->x, ir_like(b, t->x, 0));
    sum_axis(e, t, k);
}

static void
keep_diagonals(einsum *e, term *t)
{
    for (int k = t->n - 1; k > 0; k--) {
        int first = find(t, t->label[k]);
        if (first < k)
            keep_diagonal(e, t, first, k);
    }
}

/* Is the label needed by the result, or by an operand from `from` on? */
static bool
needed(const einsum *e, const term *result, int from, int label)
{
    bool yes = find(result, label) >= 0;

    for (int i = from; i < e->n && !yes; i++)
        yes = find(&e->term[i], label) >= 0;
    return yes;
}

static void
sum_unneeded(einsum *e, term *t, const term *other, const term *result, int from)
{
    for (int k = t->n - 1; k >= 0; k--)
        if (!needed(e, result, from, t->label[k]) && !(other && find(other, t->label[k]) >= 0))
            sum_axis(e, t, k);
}

/* x, with its axes in the order of z, repeated along those it lacks. */
static ir_ref
spread(einsum *e, const term *x, const term *z)
{
    int64_t perm[MAX_PART], dims[MAX_PART], shape[MAX_PART];
    int n = 0;

    for (int k = 0; k < z->n; k++) {
        int at = find(x, z->label[k]);
        shape[k] = e->size[z->label[k]];
        if (at >= 0) {
            perm[n] = at;
            dims[n++] = k;
        }
    }
    return ir_broadcast_in_dim(e->b, ir_transpose(e->b, x->x, perm), z->n, shape, dims);
}

/* The product of x and y: by dot_general where axes are contracted (n[0]), else element by
 * element. */
static ir_ref
product(einsum *e, const term *x, const term *y, const term *z, const int *n,
        int64_t (*axes)[MAX_PART])
{
    if (!x->x || !y->x)
        return IR_NONE;
    if (n[0] == 0) {
        ir_ref right = spread(e, y, z);
        return ir_mul(e->b, spread(e, x, z), right);
    }
    return ir_dot(e->b, x->x, y->x, (ir_ints){ n[0], axes[0] }, (ir_ints){ n[0], axes[1] },
                  (ir_ints){ n[1], axes[2] }, (ir_ints){ n[1], axes[3] });
}

/* acc and y become one term; `from` is the number of the next operand. */
static void
join(einsum *e, term *acc, term *y, const term *result, int from)
{
    int64_t axes[4][MAX_PART];
    int n[2] = { 0, 0 };
    term z = { .n = 0 };

    sum_unneeded(e, acc, y, result, from);
    sum_unneeded(e, y, acc, result, from);
    for (int k = 0; k < acc->n; k++) {
        int other = find(y, acc->label[k]);
        if (other < 0)
            continue;
        int batch = needed(e, result, from, acc->label[k]);
        axes[2 * batch][n[batch]] = k;
        axes[2 * batch + 1][n[batch]++] = other;
        if (batch)
            z.label[z.n++] = acc->label[k];
    }
    for (int k = 0; k < acc->n; k++)
        if (find(y, acc->label[k]) < 0)
            z.label[z.n++] = acc->label[k];
    for (int k = 0; k < y->n && z.n < MAX_PART; k++)
        if (find(acc, y->label[k]) < 0)
            z.label[z.n++] = y->label[k];
    z.x = product(e, acc, y, &z, n, axes);
    *acc = z;
}

/* acc in the order of the result; an ellipsis axis of size 1 in every operand comes back. */
static ir_ref
arrange(einsum *e, const term *acc, const term *result)
{
    int64_t perm[MAX_PART], shape[MAX_PART];
    int n = 0;

    for (int k = 0; k < result->n; k++) {
        int at = find(acc, result->label[k]);
        shape[k] = at < 0 ? 1 : e->size[result->label[k]];
        if (at >= 0)
            perm[n++] = at;
    }
    ir_ref y = acc->x ? ir_transpose(e->b, acc->x, perm) : IR_NONE;
    return y ? ir_reshape(e->b, y, result->n, shape) : IR_NONE;
}

static bool
promote_all(ir_build *b, int n, const fe_arg *x, ir_ref *out, cot_dtype *to)
{
    *to = ir_btype(b, x[0].ref)->dtype;
    for (int i = 1; i < n; i++) {
        cot_dtype t = ir_btype(b, x[i].ref)->dtype, both = fe_promote(*to, t);
        if (both == COT_DTYPE_NONE) {
            ir_build_fail(b, "einsum", ERR_promote, cot_dtype_name(*to), cot_dtype_name(t));
            return false;
        }
        *to = both;
    }
    for (int i = 0; i < n; i++)
        out[i] = ir_convert(b, x[i].ref, n == 2 ? *to : ir_compute_type(*to));
    return b->status == COT_OK;
}

static ir_ref
run(ir_build *b, const fe_arg *x, int n, const void *spec)
{
    einsum e = { .b = b, .spec = spec, .n = n, .result = { .dots = -1 } };
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n + 1);
    term result;
    cot_dtype to;

    if (!spec) {
        ir_build_fail(b, "einsum", ERR_usage,
                      "the subscripts are NULL; wants text, as \"ij,jk->ik\"");
        return IR_NONE;
    }
    e.part = IR_NEW_N(b->arena, pattern, n + 1);
    e.term = IR_NEW_N(b->arena, term, n + 1);
    for (int i = 0; i < N_LABELS; i++)
        e.size[i] = -1;
    if (n < 1 || !promote_all(b, n, x, in, &to) || !read_spec(&e))
        return IR_NONE;
    for (int i = 0; i < n; i++)
        if (!label_operand(&e, i, in[i]))
            return IR_NONE;
    if (!e.has_result)
        default_result(&e);
    if (!label_result(&e, &result))
        return IR_NONE;
    for (int i = 0; i < n; i++)
        keep_diagonals(&e, &e.term[i]);
    term acc = e.term[0];
    for (int i = 1; i < n; i++)
        join(&e, &acc, &e.term[i], &result, i + 1);
    sum_unneeded(&e, &acc, NULL, &result, n);
    return fe_narrow(b, arrange(&e, &acc, &result), to);
}

cot_value
cot_einsum_(cot_place at, const char *spec, cot_values xs)
{
    fe_readable(&xs);
    return fe_apply_values(at, "einsum", run, xs, spec);
}
