/* Custom functions: they are registered by name, learn the types of a call in their setup, and
 * are called as one node.
 *
 * A call traces the forward function.  For C code, of which only the result types are known, it
 * makes a graph of zeros of those types.  Rules are traced later (custom_rules.c).  A forward
 * function that draws has the generator's key as its last input, and a call passes it a key as
 * the call of an ordinary function does. */
#include "frontend/custom.h"

#include "frontend/trace.h"
#include "ir/diag.h"
#include "ir/foreign.h"

static cot_type
public_type(const ir_type *t)
{
    cot_type out = { .dtype = t->dtype, .rank = t->rank, .more = t->dims };
    for (int k = 0; k < t->rank && k < 8; k++)
        out.dims[k] = t->dims[k];
    return out;
}

/* ---- registration ---- */

static int
run_opaque(const ir_custom *ir, const ir_attrs *at, void *const *out, const void *const *in)
{
    const cot_custom *c = fe_custom_of(ir);
    cot_custom_info info = fe_custom_info(c, at);
    return c->o.run(&info, in, out);
}

static const char *
contradiction(const cot_custom_options *o)
{
    if (!!o->forward + !!o->run + !!o->symbol != 1)
        return "wants one of .forward, .run and .symbol";
    if (!o->symbol != !o->prototype)
        return ".symbol and .prototype want each other";
    if (!o->forward && !o->types)
        return o->run ? ".run wants .types" : ".symbol wants .types";
    if (o->vmap && o->generate_vmap)
        return "has both .vmap and .generate_vmap; wants one of them";
    if (o->vmap && o->sequential)
        return "has both .vmap and .sequential; wants one of them";
    if (o->generate_vmap && o->sequential)
        return "has both .generate_vmap and .sequential; wants one of them";
    if (!o->forward && o->generate_vmap)
        return o->run ? ".generate_vmap wants a traced .forward; .run is opaque: give .vmap or "
                        ".sequential"
                      : ".generate_vmap wants a traced .forward; .symbol is opaque: give .vmap "
                        "or .sequential";
    if (o->once_differentiable && !o->vjp)
        return ".once_differentiable wants a .vjp";
    return o->n_in < 0 || o->n_out < 0 ? "wants counts of 0 or more" : NULL;
}

static const cot_custom *
make(cot_context *ctx, cot_place at, const char *name, const cot_custom_options *o,
     ir_custom_caller *foreign)
{
    ir_loc loc = ir_loc_file(ctx, at.file, at.line);
    const char *wrong = contradiction(o);
    const ir_c_function *p =
        !wrong && o->prototype ? ir_c_parse(&ctx->arena, o->prototype) : NULL;
    if (p && p->why)
        wrong = ir_format(&ctx->arena, ".prototype %s", p->why);
    if (wrong) {
        ir_fail(ctx, loc, "cot_custom_new", ERR_custom_def, name, wrong);
        return NULL;
    }
    if (ir_custom_find(ctx, name)) {
        ir_fail(ctx, loc, "cot_custom_new", ERR_custom_twice, name);
        return NULL;
    }
    cot_custom *c = IR_NEW(&ctx->arena, cot_custom);
    c->ctx = ctx;
    c->o = *o;
    c->o.n_in = o->n_in ? o->n_in : 1;
    c->o.n_out = o->n_out ? o->n_out : 1;
    c->loc = loc;
    c->ir = (ir_custom){ .name = ir_intern(ctx, name),
                         .has_jvp = o->jvp,
                         .has_vjp = o->vjp,
                         .has_vmap = o->vmap,
                         .generate = o->generate_vmap,
                         .sequential = o->sequential,
                         .once = o->once_differentiable,
                         .symbolic = o->symbolic_zeros,
                         .jvp = fe_custom_jvp,
                         .vjp = fe_custom_vjp,
                         .vmap = fe_custom_vmap,
                         .c = p,
                         .run = o->run      ? run_opaque
                                : o->symbol ? foreign
                                            : NULL,
                         .address = o->symbol,
                         .user = o->user,
                         .def = c };
    c->o.prototype = o->prototype ? ir_intern(ctx, o->prototype) : NULL;
    ir_custom_add(ctx, &c->ir);
    return c;
}

const cot_custom *
fe_custom_new(cot_place at, cot_context *ctx, const char *name,
              const cot_custom_options *options, size_t size, ir_custom_caller *foreign)
{
    const cot_custom *volatile c = NULL;
    FE_OPTIONS(cot_custom_options, o, options, size);
    if (!ctx)
        return NULL;
    IR_TRY (ctx) {
        if (name)
            c = make(ctx, at, name, &o, foreign);
        else
            ir_fail(ctx, ir_loc_file(ctx, at.file, at.line), "cot_custom_new", ERR_custom_def,
                    "NULL", "wants a name");
    }
    return c;
}

/* ---- setup ---- */

struct cot_setup {
    const ir_graph *f;
    ir_build *b;
    const cot_custom *c;
    cot_custom_info info;
    uint32_t n_save, cap_save, n_data, cap_data, n_nondiff, cap_nondiff;
    int64_t *save, *data, *nondiff;
};

static bool
in_range(cot_setup *s, bool input, int i)
{
    const char *what = input ? "input" : "result";
    const int n = !s ? 0 : input ? s->c->o.n_in : s->f->n_out;

    if (!s)
        return false;
    if (i >= 0 && i < n)
        return true;
    ir_build_fail(s->b, "custom_call", ERR_custom_def, s->c->ir.name,
                  ir_format(s->b->arena, "setup names %s %d; has %d", what, i, n));
    return false;
}

cot_type
cot_setup_in_type(const cot_setup *s, int i)
{
    return in_range((cot_setup *)s, true, i)
               ? public_type(ir_type_at(s->f, s->f->in[i]))
               : (cot_type){ 0 };
}

cot_type
cot_setup_out_type(const cot_setup *s, int j)
{
    return in_range((cot_setup *)s, false, j)
               ? public_type(ir_type_at(s->f, s->f->out[j]))
               : (cot_type){ 0 };
}

void
cot_save_in(cot_setup *s, int i)
{
    if (in_range(s, true, i))
        IR_PUSH(&s->b->ctx->arena, s->save, s->n_save, s->cap_save, i);
}

void
cot_save_out(cot_setup *s, int j)
{
    if (in_range(s, false, j))
        IR_PUSH(&s->b->ctx->arena, s->save, s->n_save, s->cap_save, s->f->n_in + j);
}

void
cot_save_data(cot_setup *s, int64_t x)
{
    if (s)
        IR_PUSH(&s->b->ctx->arena, s->data, s->n_data, s->cap_data, x);
}

void
cot_mark_nondiff(cot_setup *s, int j)
{
    if (in_range(s, false, j))
        IR_PUSH(&s->b->ctx->arena, s->nondiff, s->n_nondiff, s->cap_nondiff, j);
}

static void
setup_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_setup *s = user;
    (void)in, (void)out;
    s->b = t->b;
    s->c->o.setup(s, &s->info);
}

/* Setup runs in a trace of its own that has no values: it sees types, and computes nothing. */
static cot_status
run_setup(ir_build *b, cot_setup *s)
{
    cot_context *ctx = b->ctx;
    ir_graph *nothing;
    cot_trace *t;
    fe_source source = { .name = ir_format(&ctx->arena, "%s.setup", s->c->ir.name),
                         .body = setup_body,
                         .user = s,
                         .loc = b->loc,
                         .alone = true };
    return s->c->o.setup ? fe_trace_run(ctx, &source, &nothing, &t) : COT_OK;
}

/* ---- a call ---- */

typedef struct custom_call {
    const cot_custom *c;
    cot_list attrs;
    cot_values in;
    cot_value *out;
} custom_call;

/* Zeros of the result types: the graph that stands for a forward function in C code. */
static cot_status
opaque_forward(ir_build *b, const cot_custom *c, const cot_custom_info *info, int n,
               const ir_type *const *type, ir_graph **out)
{
    cot_type *in = IR_NEW_N(b->arena, cot_type, n + 1),
             *y = IR_NEW_N(b->arena, cot_type, c->o.n_out);
    ir_build *g = ir_build_new(b->ctx, ir_format(b->arena, "%s.types", c->ir.name));
    for (int i = 0; i < n; i++) {
        in[i] = public_type(type[i]);
        ir_input(g, type[i], NULL);
    }
    c->o.types(info, in, y);
    for (int j = 0; j < c->o.n_out; j++) {
        const ir_type *t = ir_type_of(b->ctx, &y[j]);
        if (!t)
            return b->ctx->status;
        ir_output(g, ir_zeros(g, t));
    }
    return ir_build_end(g, out);
}

static cot_status
forward_of(ir_build *b, const custom_call *k, ir_attrs *at, const ir_type *const *type)
{
    const cot_custom *c = k->c;
    if (!c->o.forward) {
        cot_custom_info info = fe_custom_info(c, at);
        return opaque_forward(b, c, &info, k->in.n, type, &at->custom.forward);
    }
    return fe_custom_forward(c, at, k->in.n, type, b->loc);
}

/* Can this trace call the function with so many operands?  If not, the error is recorded. */
static bool
is_callable(ir_build *b, const custom_call *k)
{
    const cot_custom *c = k->c;
    if (c->ctx != b->ctx) {
        ir_build_fail(b, "custom_call", ERR_fn_context, c->ir.name);
        return false;
    }
    if (!fe_lists(b, c->ir.name, 1, &(fe_named_list){ "attrs", k->attrs }))
        return false;
    if (k->in.n != c->o.n_in)
        ir_build_fail(b, c->ir.name, ERR_fn_arguments, k->in.n, c->o.n_in);
    return k->in.n == c->o.n_in;
}

static ir_ref
call(ir_build *b, const fe_arg *none, int zero, const void *options)
{
    const custom_call *k = options;
    const cot_custom *c = k->c;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, k->in.n + 1), /* room for a key */
        *y = IR_NEW_N(b->arena, ir_ref, c->o.n_out + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, k->in.n + 1);
    ir_attrs at = { .custom = { .name = c->ir.name,
                                .attrs = fe_list(&k->attrs),
                                .effects = c->o.effects,
                                .opaque = c->o.forward == NULL,
                                .prototype = c->o.prototype } };
    int n_in = k->in.n;
    (void)none, (void)zero;
    if (!is_callable(b, k))
        return IR_NONE;
    for (int i = 0; i < k->in.n; i++) {
        in[i] = fe_resolve(b->ctx->trace, FE_AT(k->in)[i], c->ir.name, i);
        if (!in[i])
            return IR_NONE;
        type[i] = ir_btype(b, in[i]);
    }
    cot_setup s = { .b = b, .c = c };
    cot_status status = forward_of(b, k, &at, type);
    if (status == COT_OK) {
        s.f = at.custom.forward;
        s.info = fe_custom_info(c, &at);
        status = run_setup(b, &s);
    }
    if (status != COT_OK) {
        b->status = status;
        return IR_NONE;
    }
    if (s.f->n_in > n_in) {
        in[n_in++] = fe_next_key(b->ctx->trace);
        IR_PUSH(&b->ctx->arena, s.save, s.n_save, s.cap_save, k->in.n); /* its rules may draw */
    }
    at.custom.save = (ir_ints){ (int)s.n_save, s.save };
    at.custom.data = (ir_ints){ (int)s.n_data, s.data };
    at.custom.nondiff = (ir_ints){ (int)s.n_nondiff, s.nondiff };
    ir_add_node(b, OP_custom_call, n_in, in, &at, y);
    for (int j = 0; k->out && j < c->o.n_out; j++)
        k->out[j] = fe_handle(b->ctx->trace, b->status == COT_OK ? y[j] : IR_NONE);
    return b->status == COT_OK ? y[0] : IR_NONE;
}

static ir_ref
no_function(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)x, (void)n, (void)options;
    if (b->ctx->status == COT_ERR_MEMORY) /* the node could not be made */
        b->status = COT_ERR_MEMORY;
    else
        ir_build_fail(b, "custom_call", ERR_usage,
                      "the function is NULL; wants one of cot_custom_new");
    return IR_NONE;
}

cot_value
cot_custom_call_(cot_place at, const cot_custom *c, cot_list attrs, cot_values in,
                 cot_value *out)
{
    fe_readable(&in);
    custom_call k = { c, attrs, in, out };
    if (!c)
        return fe_apply_values(at, "custom_call", no_function, in, NULL);
    for (int j = 0; out && j < c->o.n_out; j++)
        out[j] = (cot_value){ c->ctx, 0, 0 };
    return fe_apply_in(c->ctx, at, c->ir.name, call, &k);
}

void
fe_custom_counts(const cot_custom *c, int *n_in, int *n_out)
{
    *n_in = c->o.n_in;
    *n_out = c->o.n_out;
}

typedef struct front {
    int64_t dim, size;
} front;

static ir_ref
to_front(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const front *o = options;
    (void)n;
    if (o->dim == COT_NONE)
        return ir_broadcast_axis(b, x[0].ref, 0, o->size);
    int k = fe_axis(b, "move_batch_front", o->dim, ir_btype(b, x[0].ref)->rank);
    return k < 0 ? IR_NONE : ir_move_axis(b, x[0].ref, k, 0);
}

cot_value
cot_move_batch_front_(cot_place at, cot_value v, int64_t dim, int64_t size)
{
    front o = { dim, size };
    return fe_apply1(at, "move_batch_front", to_front, v, &o);
}
