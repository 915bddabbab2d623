/* Generalisation: samples are compared token by token, each number is fitted by a form, and the
 * first sample's numbers are replaced by instructions that compute their forms.
 *
 * The sizes are an array of i64 behind the entry's other arguments.  The entry loads them, and
 * every kernel gets them as parameters, so that each kernel computes its own numbers, at its
 * beginning. */
#include "codegen/open/rewrite.h"

#include "ir/map.h"

typedef struct vectors {
    ir_map find;
    const int64_t **value; /* distinct values of one number at all samples, from 1 on */
    cg_size_form *form;
    bool *known;
    uint32_t n, cap, cap_forms, n_forms, cap_known, n_known;
} vectors;

typedef struct generalising {
    cg_samples samples;
    int n;
    cg_tokens *tokens;
    vectors seen;
    const cg_kernel *entry;
    cg_open_conflict *why;
} generalising;

static bool
conflict(generalising *g, const char *why, ir_loc loc, int first, int second)
{
    *g->why = (cg_open_conflict){ why, loc, first, second };
    return false;
}

static bool
same_tokens(generalising *g)
{
    for (int i = 1; i < g->n; i++) {
        const cg_tokens *x = &g->tokens[0], *y = &g->tokens[i];

        for (uint32_t k = 0; k < x->n && k < y->n; k++)
            if (x->token[k].bits != y->token[k].bits)
                return conflict(g, "its kernels differ", x->token[k].loc, 0, i);
        if (x->n != y->n || x->n_numbers != y->n_numbers)
            return conflict(g, "its kernels differ", 0, 0, i);
    }
    return true;
}

/* Of integers, their value; of others, which must not vary, their bits. */
static int64_t
value_of(const cg_number *x)
{
    const int bits =
        x->kind != CG_NUMBER_OPERAND || !ir_is_int(x->type) ? 64 : ir_bits(x->type);
    const int drop = 64 - bits;

    return x->kind == CG_NUMBER_OPERAND && ir_is_unsigned(x->type)
               ? (int64_t)x->value
               : (int64_t)(x->value << drop) >> drop;
}

static bool
varies(const generalising *g, const int64_t *value)
{
    for (int i = 1; i < g->n; i++)
        if (value[i] != value[0])
            return true;
    return false;
}

/* The number of a vector of values, which is added if it is new. */
static uint32_t
vector_of(generalising *g, const int64_t *value)
{
    const size_t bytes = sizeof *value * (size_t)g->n;
    const uint64_t h = ir_hash(0, value, bytes);
    ir_arena *a = g->samples.arena;
    vectors *s = &g->seen;

    for (uint32_t at = 0, id; (id = ir_map_next(&s->find, h, &at)) != 0;)
        if (memcmp(s->value[id - 1], value, bytes) == 0)
            return id - 1;
    IR_PUSH(a, s->value, s->n, s->cap, ir_copy_bytes(a, value, bytes));
    IR_PUSH(a, s->form, s->n_forms, s->cap_forms, ((cg_size_form){ 0 }));
    IR_PUSH(a, s->known, s->n_known, s->cap_known, false);
    ir_map_add(&s->find, h, s->n);
    return s->n - 1;
}

static void
values_of(const generalising *g, uint32_t number, int64_t *value)
{
    for (int i = 0; i < g->n; i++)
        value[i] = value_of(&g->tokens[i].number[number]);
}

/* First what is polynomial: numbers of elements are the bases of quotients. */
static void
fit_polynomials(generalising *g, uint32_t *vector)
{
    int64_t *value = IR_NEW_N(g->samples.arena, int64_t, g->n);

    for (uint32_t i = 0; i < g->tokens[0].n_numbers; i++) {
        values_of(g, i, value);
        const uint32_t v = vector[i] = vector_of(g, value);
        cg_size_form *f = &g->seen.form[v];

        if (!g->seen.known[v])
            g->seen.known[v] = cg_fit_polynomial(&g->samples, value, &f->whole);
        if (g->seen.known[v] && g->tokens[0].number[i].kind == CG_NUMBER_ELEMENTS && f->whole.n)
            cg_add_base(&g->samples, &f->whole);
    }
    for (int k = 0; k < g->samples.sizes; k++)
        cg_add_base(&g->samples,
                    &(cg_polynomial){ .n = 1, .term = { { 1, 1, { (uint8_t)k } } } });
}

/* Where buffers lie in the work block, and how large it is, follows from what is in it. */
static bool
is_of_work(const generalising *g, const cg_number *x)
{
    return x->kind == CG_NUMBER_OFFSET ||
           (x->kind == CG_NUMBER_WORK && (!x->k || x->k == g->entry));
}

static bool
fit(generalising *g, cg_size_form *form)
{
    const cg_tokens *t = &g->tokens[0];
    uint32_t *vector = IR_NEW_N(g->samples.arena, uint32_t, t->n_numbers);
    vectors *s = &g->seen;

    fit_polynomials(g, vector);
    for (uint32_t i = 0; i < t->n_numbers; i++)
        if (t->number[i].kind == CG_NUMBER_OPERAND && !varies(g, s->value[vector[i]]))
            cg_add_divisor(&g->samples, s->value[vector[i]][0]);
    for (uint32_t i = 0; i < t->n_numbers; i++) {
        const cg_number *x = &t->number[i];
        const uint32_t v = vector[i];
        const ir_loc loc = x->k ? cg_loc_of(x->k, x->at) : 0;

        if (is_of_work(g, x))
            continue;
        if (!s->known[v])
            s->known[v] = cg_fit_form(&g->samples, s->value[v], &s->form[v]);
        if (!s->known[v])
            return conflict(g, "a number depends on it in no known way", loc, -1, -1);
        if (varies(g, s->value[v]) && x->kind == CG_NUMBER_OPERAND && !ir_is_int(x->type))
            return conflict(g, "a constant that is no integer depends on it", loc, -1, -1);
        form[i] = s->form[v];
    }
    return true;
}

/* -- the general module -- */

static void
rewrite_operand(cg_rewriting *r, const cg_number *x, const cg_size_form *f)
{
    cg_val v = cg_open_value(r, f);

    if (x->type != COT_I64)
        v = cg_open_insn(r, (cg_insn){ .op = SC_cvt, .type = (uint8_t)x->type, .in = { v } });
    *cg_operand_at(x) = v;
}

static void
rewrite_number(cg_rewriting *r, const cg_number *x, const cg_size_form *f)
{
    switch (x->kind) {
    case CG_NUMBER_OPERAND: rewrite_operand(r, x, f); break;
    case CG_NUMBER_BYTES: {
        const cg_val v = cg_open_value(r, f);
        r->k->insn[x->at].in[2] = v;
        break;
    }
    default: break; /* what only instances say */
    }
}

/* What a settled buffer's contents are moved back by (CG_SETTLE). */
static void
settle_sizes(cg_rewriting *r, const cg_tokens *t, const cg_size_form *form, uint32_t first)
{
    cg_kernel *k = r->k;
    const uint32_t n = k->n_insns;

    for (uint32_t i = first; i < t->n_numbers && t->number[i].k == k; i++) {
        const cg_number *x = &t->number[i];

        if (x->kind != CG_NUMBER_ELEMENTS || cg_form_is_constant(&form[i]))
            continue;
        for (cg_val v = 1; v < n; v++)
            if (k->insn[v].op == CG_SETTLE && k->insn[v].imm == x->buffer) {
                const cg_val bytes =
                    cg_open_scaled(r, cg_open_value(r, &form[i]),
                                   (int64_t)cot_dtype_size(k->buffer[x->buffer].type));
                k->insn[v].in[0] = bytes;
            }
    }
}

/* -- results without elements -- */

static void
find_results(cg_open *o, const cg_tokens *t)
{
    const cg_kernel *k = o->module->kernel[0];

    for (uint32_t i = 0; i < t->n_numbers && t->number[i].k == k; i++)
        if (t->number[i].kind == CG_NUMBER_ELEMENTS &&
            k->buffer[t->number[i].buffer].space == CG_OUT)
            IR_PUSH(o->arena, o->result, o->n_results, o->cap_results, &o->form[i]);
}

bool
cg_open_is_empty(const cg_open *o, const int64_t *size)
{
    for (uint32_t i = 0; i < o->n_results; i++)
        if (cg_form_at(o->result[i], size) != 0)
            return false;
    return o->n_results > 0;
}

/* Leave the entry at once where no result has an element: kernels need not be made for that. */
static void
leave_if_empty(cg_rewriting *r, const cg_open *o)
{
    cg_val all = 0;

    for (uint32_t i = 0; i < o->n_results; i++) {
        if (cg_form_is_constant(o->result[i]))
            return;
        all = cg_open_added(r, all, cg_open_value(r, o->result[i]));
    }
    if (all == 0)
        return;
    const cg_val empty = cg_open_op(r, SC_le, all, cg_open_i64(r, 0));
    cg_open_insn(r, (cg_insn){ .op = CG_FAIL, .imm = COT_OK, .in = { empty } });
}

/* The grid's loop of a kernel; 0: it has none. */
static cg_val
grid_of(const cg_kernel *k)
{
    for (cg_val v = 1; v < k->n_insns; v++)
        if (k->insn[v].op == CG_LOOP && k->insn[v].block->kind == CG_GRID)
            return v;
    return 0;
}

/* The numbers of blocks of kernels for a GPU, where they are no constants: the end of a grid's
 * loop, or the factors of which that is the product. */
static void
find_blocks(cg_open *o, const cg_tokens *t)
{
    const cg_kernel *k = NULL;
    cg_val grid = 0, end = 0;

    o->blocks = IR_NEW_N(o->arena, cg_open_blocks, o->module->n_kernels);
    for (uint32_t i = 0, kernel = 0; i < t->n_numbers; i++) {
        const cg_number *x = &t->number[i];

        if (x->k && x->k != k) {
            k = x->k;
            while (o->module->kernel[kernel] != k)
                kernel++;
            grid = grid_of(k);
            end = grid ? k->insn[grid].block->hi : 0;
        }
        if (!x->k || !grid)
            continue;
        cg_open_blocks *b = &o->blocks[kernel];
        const bool ends = x->at == grid && x->operand == &k->insn[grid].block->hi &&
                          !cg_form_is_constant(&o->form[i]);
        if (ends || (x->at == end && k->insn[end].op == SC_mul))
            b->factor[b->n++] = &o->form[i];
    }
}

static cg_val
blocks_value(cg_rewriting *r, const cg_open_blocks *b)
{
    const cg_val x = cg_open_value(r, b->factor[0]);

    return b->n == 1 ? x : cg_open_op(r, SC_mul, x, cg_open_value(r, b->factor[1]));
}

/* Pass the sizes on to what the kernel calls, and say how many blocks that has. */
static void
pass_sizes(cg_rewriting *r, const cg_open *o)
{
    cg_kernel *k = r->k;
    const uint32_t n = k->n_insns;

    for (cg_val v = 1; v < n; v++) {
        cg_call *c = k->insn[v].call;

        if (k->insn[v].op != CG_CALL)
            continue;
        if (o->blocks[c->kernel].n)
            c->grid = blocks_value(r, &o->blocks[c->kernel]);
        cg_val *param = IR_NEW_N(k->arena, cg_val, c->n_params + r->n_sizes);
        for (int i = 0; i < c->n_params + r->n_sizes; i++)
            param[i] = i < c->n_params ? c->param[i] : r->size[i - c->n_params];
        c->param = param;
        c->n_params += r->n_sizes;
    }
}

/* The numbers of a kernel are one range of the module's. */
static uint32_t
rewrite_kernel(cg_open *o, cg_kernel *k, const cg_tokens *t, uint32_t first)
{
    cg_rewriting r = { .k = k, .n_sizes = o->n_sizes };
    uint32_t i = first;

    r.size = IR_NEW_N(k->arena, cg_val, o->n_sizes);
    cg_open_find_sizes(&r, o->module);
    for (; i < t->n_numbers && t->number[i].k == k; i++)
        if (!cg_form_is_constant(&o->form[i]))
            rewrite_number(&r, &t->number[i], &o->form[i]);
    if (k == o->module->kernel[0]) {
        cg_open_guard(&r, o);
        leave_if_empty(&r, o);
        cg_open_place_work(&r, o);
        cg_open_constants(&r, o);
    }
    settle_sizes(&r, t, o->form, first);
    pass_sizes(&r, o);
    cg_open_insert(&r);
    return i;
}

/* -- an instance -- */

/* Each operand that varies has a constant of its own, which cg_open_verify sets. */
static void
prepare_instance(cg_open *o)
{
    cg_tokens *t = &o->of_instance;

    for (uint32_t i = 0, end; i < t->n_numbers; i = end) {
        cg_kernel *k = t->number[i].k;
        cg_rewriting r = { .k = k };

        for (end = i; end < t->n_numbers && t->number[end].k == k; end++) {
            cg_number *x = &t->number[end];
            if (x->kind == CG_NUMBER_OPERAND && !cg_form_is_constant(&o->form[end])) {
                const cg_val v = cg_open_insn(
                    &r, (cg_insn){ .op = SC_const, .type = (uint8_t)x->type, .imm = x->value });
                *cg_operand_at(x) = v;
            }
        }
        if (k)
            cg_open_insert(&r);
    }
}

cot_status
cg_open_verify(cg_open *o, const int64_t *size)
{
    const cg_tokens *t = &o->of_instance;

    cg_open_place_instance(o, size);
    for (uint32_t i = 0; i < t->n_numbers; i++) {
        const cg_number *x = &t->number[i];
        const int64_t value = cg_form_at(&o->form[i], size);

        if (cg_form_is_constant(&o->form[i]))
            continue;
        if (x->kind == CG_NUMBER_OPERAND)
            x->k->insn[*cg_operand_at(x)].imm = (uint64_t)value;
        else
            *cg_integer_at(x) = value;
    }
    return cg_verify(o->instance);
}

void
cg_open_set_buffers(cg_open *o, const int64_t *size)
{
    const cg_tokens *t = &o->of_module;

    for (uint32_t i = 0; i < t->n_numbers; i++) {
        const cg_number *x = &t->number[i];

        if (x->kind == CG_NUMBER_ELEMENTS)
            x->k->buffer[x->buffer].elements = cg_form_at(&o->form[i], size);
    }
}

static bool
list_samples(generalising *g, cg_module *const *sample)
{
    g->tokens = IR_NEW_N(g->samples.arena, cg_tokens, g->n);
    for (int i = 0; i < g->n; i++) {
        const char *why = cg_tokens_of(sample[i], g->samples.arena, &g->tokens[i]);

        if (why)
            return conflict(g, why, 0, -1, -1);
    }
    return same_tokens(g);
}

bool
cg_generalise(const cg_samples *samples, cg_module *const *sample, const cg_open_entry *entry,
              cg_open *out, cg_open_conflict *why)
{
    cg_module *m = sample[0];
    generalising g = {
        .samples = *samples, .n = samples->n, .entry = m->kernel[0], .why = why
    };

    *out = (cg_open){ m->ctx,      m->arena,        samples->sizes,
                      .module = m, .entry = *entry, .instance = sample[1] };
    ir_map_init(&g.seen.find, m->arena);
    if (!list_samples(&g, sample))
        return false;
    out->form = IR_NEW_N(m->arena, cg_size_form, g.tokens[0].n_numbers);
    if (!fit(&g, out->form))
        return false;
    out->of_module = g.tokens[0];
    out->of_instance = g.tokens[1];
    cg_open_find_parts(out, &g.tokens[0]);
    find_results(out, &g.tokens[0]);
    cg_open_find_constants(out);
    find_blocks(out, &g.tokens[0]);
    cg_open_find_terms(out, g.tokens[0].n_numbers);
    prepare_instance(out);
    m->n_sizes = out->n_sizes;
    for (uint32_t i = 0, at = 0; i < m->n_kernels; i++)
        at = rewrite_kernel(out, m->kernel[i], &g.tokens[0], at);
    return true;
}
