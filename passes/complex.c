/* Splits complex values into pairs of reals.
 *
 * In one walk each complex value of f becomes its real and its imaginary part.  An op becomes
 * what complex/ defines for it, or the op applied to each part; bodies of control flow get both
 * parts as inputs and outputs.  Only the boundary stays complex: inputs and outputs of f,
 * operands and results of custom functions.  There `real` and `imag` split values, and
 * `complex` joins them.  So reverse mode runs on reals, and the gradient with respect to z = x
 * + iy of a real function is dL/dx + i dL/dy: torch's convention, without a rule of its own.
 *
 * For kernels (pass_complex_memory) the boundary is replaced as well: an array c64[S] becomes
 * the f32[S,2] that it is in memory. */
#include <math.h>

#include "passes/complex/pair.h"

#include "ir/diag.h"
#include "ir/expand.h"

typedef enum boundary { WHOLE, PARTS, MEMORY } boundary;

typedef struct complex_split {
    ir_build *b;
    const ir_graph *f;
    pass_pair *env; /* by value of f; im is IR_NONE for a real value */
} complex_split;

static bool
is_complex(const ir_graph *f, ir_ref v)
{
    return ir_is_complex(ir_type_at(f, v)->dtype);
}

static cot_status split_graph(const ir_graph *f, boundary how, ir_graph **out);

/* ---- the boundary ---- */

/* The type of the same bytes as reals: the two parts are a new last axis. */
static const ir_type *
memory_type(cot_context *ctx, const ir_type *t)
{
    const ir_type *parts = ir_type_as(ctx, t, ir_part_type(t->dtype));
    if (t->rank == COT_MAX_RANK) /* no further axis is possible: one axis for everything */
        return ir_type_new(ctx, parts->dtype, 2, (const int64_t[]){ t->size, 2 });
    return ir_type_open(ctx, parts, t->rank, 2);
}

static pass_pair
parts_of(ir_build *b, ir_ref whole)
{
    return (pass_pair){ ir_op1(b, OP_real, whole), ir_op1(b, OP_imag, whole) };
}

static const char *
part_name(ir_build *b, const char *name, const char *part)
{
    return name ? ir_format(b->arena, "%s.%s", name, part) : NULL;
}

static pass_pair
split_input(ir_build *b, const ir_graph *f, int i, boundary how)
{
    const ir_ref v = f->in[i];
    const ir_type *t = ir_type_at(f, v);
    b->loc = ir_value_loc(f, v);
    if (!is_complex(f, v))
        return (pass_pair){ ir_input_like(b, f, v, ""), IR_NONE };
    if (how == WHOLE)
        return parts_of(b, ir_input_like(b, f, v, ""));
    const char *name = f->in_name[i];
    if (how == MEMORY) {
        ir_ref x = ir_input_hidden(b, memory_type(f->ctx, t), name, f->hidden[i]);
        return pass_pair_of_memory(b, x, t->rank, t->dims);
    }
    const ir_type *part = ir_type_as(f->ctx, t, ir_part_type(t->dtype));
    ir_ref re = ir_input(b, part, part_name(b, name, "re"));
    return (pass_pair){ re, ir_input(b, part, part_name(b, name, "im")) };
}

static void
split_output(ir_build *b, const ir_graph *f, int j, pass_pair z, boundary how)
{
    const char *name = f->out_name ? f->out_name[j] : NULL;
    if (!is_complex(f, f->out[j])) {
        pass_output(b, f, j, z.re, "");
    } else if (how == PARTS) {
        ir_output_named(b, z.re, part_name(b, name, "re"));
        ir_output_named(b, z.im, part_name(b, name, "im"));
    } else {
        const ir_type *t = ir_type_at(f, f->out[j]);
        ir_ref y = how == WHOLE ? ir_op2(b, OP_complex, z.re, z.im)
                                : pass_pair_in_memory(b, z, t->rank, t->dims);
        ir_output_named(b, y, name);
    }
}

/* ---- nodes ---- */

/* Does the op map zero imaginary parts to zero imaginary parts? */
static bool
stays_zero(const complex_split *s, const ir_node *n)
{
    const ir_op_flag flag = ir_ops[n->op].flag;
    double zero;
    if ((flag != IR_MOVE && flag != IR_REDUCE && flag != IR_INDEX && n->op != OP_cumsum) ||
        (n->op == OP_gather && n->at->gather.mode == IR_MODE_FILL))
        return false;
    for (int i = 0; i < n->n_in; i++) {
        const ir_ref im = s->env[n->in[i]].im;
        if (im && !(ir_is_splat(s->b, im, &zero) && zero == 0 && !signbit(zero)))
            return false;
    }
    return true;
}

/* Applies the op to the real parts and to the imaginary parts; operands that are not complex
 * are used in both.  Constant zeros are not passed through ops that would hide them, since a
 * product with a real number omits zero terms. */
static void
on_each_part(complex_split *s, const ir_node *n, pass_pair *y)
{
    ir_ref *x = IR_NEW_N(s->b->arena, ir_ref, n->n_in + 1), *part[2] = { &y->re, &y->im };
    for (int p = 0; p < 2; p++) {
        if (p && y->re && stays_zero(s, n)) {
            y->im = ir_like(s->b, y->re, 0);
            return;
        }
        for (int i = 0; i < n->n_in; i++) {
            const pass_pair z = s->env[n->in[i]];
            x[i] = p && z.im ? z.im : z.re;
        }
        *part[p] = ir_node1(s->b, (ir_op)n->op, n->n_in, x, n->at);
    }
}

static void
copy_whole(complex_split *s, const ir_node *n, pass_pair *y)
{
    ir_ref *x = IR_NEW_N(s->b->arena, ir_ref, n->n_in + 1),
           *out = IR_NEW_N(s->b->arena, ir_ref, n->n_out + 1);
    for (int i = 0; i < n->n_in; i++) {
        const pass_pair z = s->env[n->in[i]];
        x[i] = is_complex(s->f, n->in[i]) ? ir_op2(s->b, OP_complex, z.re, z.im) : z.re;
    }
    ir_copy_node(s->b, n, x, out);
    for (int j = 0; j < n->n_out; j++) {
        const bool pair = is_complex(s->f, n->first + (ir_ref)j);
        y[j] = pair ? parts_of(s->b, out[j]) : (pass_pair){ out[j], IR_NONE };
    }
}

/* How many values the operands first ... first + count - 1 have become. */
static int64_t
count_parts(const complex_split *s, const ir_node *n, int64_t first, int64_t count)
{
    int64_t parts = 0;
    for (int64_t i = first; i < first + count; i++)
        parts += is_complex(s->f, n->in[i]) ? 2 : 1;
    return parts;
}

static cot_status
split_body(const ir_graph *f, ir_graph **out)
{
    return split_graph(f, PARTS, out);
}

/* Attributes of control flow: bodies, and the counts of operands, with both parts. */
static cot_status
flow_attrs(complex_split *s, const ir_node *n, ir_attrs *at)
{
    COT_TRY(pass_rewrite_subs(s->b, n, split_body, at));
    int64_t *consts = ir_attrs_consts(ir_ops[n->op].record, at);

    if (ir_ops[n->op].record == IR_AT_scan)
        at->scan.carries = count_parts(s, n, at->scan.consts, at->scan.carries);
    if (consts)
        *consts = count_parts(s, n, 0, *consts);
    return COT_OK;
}

/* The parts of all operands; returns how many. */
static int
parts_in(const complex_split *s, const ir_node *n, ir_ref *x)
{
    int parts = 0;
    for (int i = 0; i < n->n_in; i++) {
        x[parts++] = s->env[n->in[i]].re;
        if (is_complex(s->f, n->in[i]))
            x[parts++] = s->env[n->in[i]].im;
    }
    return parts;
}

static void
parts_out(const complex_split *s, const ir_node *n, const ir_ref *out, pass_pair *y)
{
    for (int j = 0, at = 0; j < n->n_out; j++) {
        y[j].re = out[at++];
        if (is_complex(s->f, n->first + (ir_ref)j))
            y[j].im = out[at++];
    }
}

static void
split_flow(complex_split *s, const ir_node *n, pass_pair *y)
{
    ir_ref *x = IR_NEW_N(s->b->arena, ir_ref, 2 * n->n_in + 1),
           *out = IR_NEW_N(s->b->arena, ir_ref, 2 * n->n_out + 1);
    ir_attrs at;
    cot_status status = flow_attrs(s, n, &at);
    if (status != COT_OK) {
        s->b->status = s->b->status == COT_OK ? status : s->b->status;
        return;
    }
    const int parts = parts_in(s, n, x);
    ir_add_node(s->b, (ir_op)n->op, parts, x, &at, out);
    parts_out(s, n, out, y);
}

/* An op with an expansion is replaced by that graph, split. */
static void
split_expansion(complex_split *s, const ir_node *n, pass_pair *y)
{
    const ir_type **type = IR_NEW_N(s->b->arena, const ir_type *, n->n_in + 1);
    ir_ref *x = IR_NEW_N(s->b->arena, ir_ref, 2 * n->n_in + 1),
           *out = IR_NEW_N(s->b->arena, ir_ref, 2 * n->n_out + 1);
    ir_expansion *whole = NULL;
    ir_graph *g = NULL;
    for (int i = 0; i < n->n_in; i++)
        type[i] = ir_type_at(s->f, n->in[i]);
    cot_status status =
        ir_expand(s->f->ctx, n->loc, (ir_op)n->op, n->at, n->n_in, type, &whole);
    if (status == COT_OK)
        status = split_graph(whole->graph, PARTS, &g);
    if (status != COT_OK) {
        s->b->status = s->b->status == COT_OK ? status : s->b->status;
        return;
    }
    parts_in(s, n, x);
    ir_inline_graph(s->b, g, x, out);
    parts_out(s, n, out, y);
}

static bool
touches_complex(const complex_split *s, const ir_node *n)
{
    bool any = false;
    for (int i = 0; i < n->n_in; i++)
        any |= is_complex(s->f, n->in[i]);
    for (int j = 0; j < n->n_out; j++)
        any |= is_complex(s->f, n->first + (ir_ref)j);
    return any;
}

/* The real part of complex(x, y) is x.  If nodes may write to x, it is what x was.  Other parts
 * are no copies: a product omits those that are known to be 0. */
static ir_ref
as_it_is(complex_split *s, ir_ref part)
{
    return part && ir_is_mutable(s->b, part) ? ir_op1(s->b, OP_clone, part) : part;
}

static void
split_node(complex_split *s, const ir_node *n)
{
    pass_pair *y = s->env + n->first, *x = IR_NEW_N(s->b->arena, pass_pair, n->n_in + 1);
    pass_pair_rule *rule = pass_pair_rule_of((ir_op)n->op);
    const bool custom = ir_ops[n->op].record == IR_AT_custom;
    s->b->loc = n->loc;
    for (int i = 0; i < n->n_in; i++)
        x[i] = s->env[n->in[i]];
    if (ir_ops[n->op].flag == IR_FLOW && !custom)
        split_flow(s, n, y);
    else if (custom || !touches_complex(s, n))
        copy_whole(s, n, y);
    else if (n->op == OP_constant)
        *y = pass_pair_constant(s->b, &n->at->constant.data);
    else if (rule) {
        const pass_pair z = rule(s->b, n, x);
        *y = (pass_pair){ as_it_is(s, z.re), as_it_is(s, z.im) };
    } else if (ir_ops[n->op].flag == IR_EXPAND)
        split_expansion(s, n, y);
    else
        on_each_part(s, n, y);
}

static cot_status
split_graph(const ir_graph *f, boundary how, ir_graph **out)
{
    *out = (ir_graph *)f;
    if (!f->complex)
        return COT_OK;
    ir_build *b = ir_build_like(f, f->name);
    complex_split s = { b, f, IR_NEW_N(b->arena, pass_pair, f->n_values) };
    b->uncontracted = f->uncontracted;
    b->guarded = f->guarded;
    b->contracted = f->contracted;
    for (int i = 0; i < f->n_in; i++)
        s.env[f->in[i]] = split_input(b, f, i, how);
    for (uint32_t i = 1; i < f->n_nodes && b->status == COT_OK; i++)
        split_node(&s, &f->node[i]);
    for (int j = 0; j < f->n_out && b->status == COT_OK; j++) {
        b->loc = ir_value_loc(f, f->out[j]);
        split_output(b, f, j, s.env[f->out[j]], how);
    }
    return pass_end(b, "complex", out);
}

cot_status
pass_complex(const ir_graph *f, ir_graph **out)
{
    return split_graph(f, WHOLE, out);
}

cot_status
pass_complex_memory(const ir_graph *f, ir_graph **out)
{
    return split_graph(f, MEMORY, out);
}
