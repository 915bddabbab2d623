/* Loops of a kernel as C (c.h).
 *
 * A serial loop is a loop in C.  SPMD loops (unroll, vector) are not loops in C: their bodies
 * are written once, with a variable for each copy of a value.  A fold of scalars stores its
 * elements in an array and folds that by halves.  Such an array of vectors would be too large
 * for the stack, so a fold of 2^b vectors is b nested loops of two iterations, the innermost
 * over the highest bit: each combines the values of its two iterations.  A tree is a binary
 * counter of partial results. */
#include <ctype.h>

#include "codegen/c/emit.h"
#include "codegen/tuning.h"

static const char *
combined(cg_c_emit *e, const cg_yield *y, int lanes, const char *a, const char *b)
{
    return cg_c_apply(e->t, y->combine, y->type, y->type, lanes, (const char *const[]){ a, b });
}

static const char *
neutral(cg_c_emit *e, const cg_yield *y, int lanes)
{
    const char *x = cg_c_constant(e->t, y->type, cg_neutral_bits(y->combine, y->type));

    return lanes > 1 ? cg_c_format(e, "%s(%s)", cg_c_splat(e->t, y->type, lanes), x) : x;
}

/* -- serial loops -- */

/* Does a region, or a loop inside it, contain vector or unroll loops? */
static bool
has_spmd(const cg_c_emit *e, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &e->k->insn[r->insn[n]];
        if (i->block && (i->block->kind >= CG_UNROLL || has_spmd(e, &i->block->body) ||
                         has_spmd(e, &i->block->other)))
            return true;
    }
    return false;
}

/* Is x a short loop that carries a value and contains no block, such as one that counts? */
static bool
is_short(const cg_c_emit *e, const cg_block *x)
{
    if (x->n == 0 || x->body.n > CG_C_MAX_SHORT_LOOP)
        return false;
    for (uint32_t n = 0; n < x->body.n; n++)
        if (e->k->insn[x->body.insn[n]].block)
            return false;
    return true;
}

/* Is x an innermost loop over vectors with more constants than registers? */
static bool
has_constants_of_its_own(const cg_c_emit *e, const cg_block *x)
{
    if (!e->many_constants || x->n > 0 || e->n_levels > 0 || !has_spmd(e, &x->body))
        return false;
    for (uint32_t n = 0; n < x->body.n; n++) {
        const cg_insn *i = &e->k->insn[x->body.insn[n]];
        if (i->op == CG_LOOP && i->block->kind < CG_UNROLL)
            return false;
    }
    return true;
}

static void
loop_head(cg_c_emit *e, const cg_block *x)
{
    const char *i = cg_c_value(e, x->var, 0),
               *rolled = e->n_levels > 0 || has_spmd(e, &x->body) ? "COT_ROLLED "
                         : is_short(e, x)                         ? "COT_UNROLLED "
                                                                  : "";

    cg_c_line(e,
              x->step == 1 ? "%sfor (int64_t %s = %s; %s < %s; %s++) {"
                           : "%sfor (int64_t %s = %s; %s < %s; %s += %lld) {",
              rolled, i, cg_c_bare(e->t, cg_c_value(e, x->lo, 0)), i,
              cg_c_bare_term(e->t, cg_c_value(e, x->hi, 0)), i, (long long)x->step);
    e->indent++;
}

static void
loop_tail(cg_c_emit *e)
{
    e->indent--;
    cg_c_line(e, "}");
}

static bool
has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    return false;
}

/* Does the text read the variable of another value that the loop carries? */
static bool
reads_another(cg_c_emit *e, const cg_block *x, const char *text, const char *own)
{
    for (int i = 0; i < x->n; i++) {
        const cg_val v = x->yield[i].carried;
        for (int c = 0; c < cg_c_copies(e, e->divergence[v]); c++) {
            const char *s = cg_c_value(e, v, c);
            if (strcmp(s, own) != 0 && has_word(text, s))
                return true;
        }
    }
    return false;
}

/* Assign all carried values at once: a new value that uses the old value of another is computed
 * before any is assigned. */
static void
next_carries(cg_c_emit *e, const cg_block *x)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < x->n; i++) {
            const cg_yield *y = &x->yield[i];
            const uint32_t set = e->divergence[y->carried];
            const int lanes = cg_c_lanes(e, set);
            for (int c = 0; c < cg_c_copies(e, set); c++) {
                const char *s = cg_c_value(e, y->carried, c);
                const char *v = cg_c_bare(e->t, cg_c_use(e, y->value, set, c, lanes));
                const bool before = reads_another(e, x, v, s);
                if (pass == 0 && before)
                    cg_c_line(e, "const %s next_%s = %s;", cg_c_type(e->t, y->type, lanes), s,
                              v);
                if (pass == 1 && strcmp(s, v) != 0)
                    cg_c_line(e, before ? "%s = next_%s;" : "%s = %s;", s, before ? s : v);
            }
        }
}

static void
serial_carries(cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        cg_c_define(e, x->yield[i].carried, x->yield[i].init, x->yield[i].type);
    }
    loop_head(e, x);
    if (has_constants_of_its_own(e, x))
        cg_c_line(e, "COT_PERHAPS;");
    if (!e->number)
        cg_c_check_cancel(e);
    cg_c_region(e, &x->body, x);
    next_carries(e, x);
    loop_tail(e);
    for (int i = 0; i < x->n; i++)
        cg_c_alias(e, x->result[i], x->yield[i].carried);
}

/* -- trees -- */

static const char *
slots(cg_c_emit *e, const cg_block *x, int i, int copy)
{
    return cg_c_format(e, "t%u_%d_%d", x->var, i, copy);
}

static void
push(cg_c_emit *e, const cg_block *x, int number)
{
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        for (int c = 0; c < cg_c_copies(e, set); c++)
            cg_c_line(e, "%s[n%u] = %s;", slots(e, x, i, c), x->var,
                      number >= 0 ? cg_c_format(e, "q%d_%d[j]", number, i)
                                  : cg_c_bare(e->t, cg_c_use(e, x->yield[i].value, set, c,
                                                             cg_c_lanes(e, set))));
    }
    cg_c_line(e, "n%u++;", x->var);
    cg_c_line(e, "for (uint64_t c = count%u++; c & 1; c >>= 1) {", x->var);
    e->indent++;
    cg_c_line(e, "n%u--;", x->var);
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        for (int c = 0; c < cg_c_copies(e, set); c++) {
            const char *s = slots(e, x, i, c), *low = cg_c_format(e, "%s[n%u - 1]", s, x->var);
            cg_c_line(e, "%s = %s;", low,
                      combined(e, &x->yield[i], cg_c_lanes(e, set), low,
                               cg_c_format(e, "%s[n%u]", s, x->var)));
        }
    }
    loop_tail(e);
}

/* The tree over the loop's iterations, or (number >= 0) over n partial results in arrays. */
static void
tree(cg_c_emit *e, const cg_block *x, int number, const char *n)
{
    int64_t lo, hi;
    int levels = 2;

    if (!cg_c_constant_of(e, x->lo, &lo) || !cg_c_constant_of(e, x->hi, &hi))
        lo = 0, hi = INT64_MAX;
    while (levels < 64 && (hi - lo) / x->step >> (levels - 2))
        levels++;
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        cg_c_declare(e, x->result[i], x->yield[i].type);
        for (int c = 0; c < cg_c_copies(e, set); c++)
            cg_c_line(e, "%s %s[%d];", cg_c_type(e->t, x->yield[i].type, cg_c_lanes(e, set)),
                      slots(e, x, i, c), levels);
    }
    cg_c_line(e, "int n%u = 0;", x->var);
    cg_c_line(e, "uint64_t count%u = 0;", x->var);
    if (number >= 0) {
        cg_c_line(e, "for (int64_t j = 0; j < %s; j++) {", n);
        e->indent++;
    } else {
        loop_head(e, x);
        cg_c_region(e, &x->body, x);
    }
    push(e, x, number);
    loop_tail(e);
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        const uint32_t set = e->divergence[x->result[i]];
        const int lanes = cg_c_lanes(e, set);
        for (int c = 0; c < cg_c_copies(e, set); c++) {
            const char *s = slots(e, x, i, c), *r = cg_c_value(e, x->result[i], c);
            cg_c_line(e, "%s = n%u ? %s[n%u - 1] : %s;", r, x->var, s, x->var,
                      neutral(e, y, lanes));
            cg_c_line(e, "for (int c = n%u - 2; c >= 0; c--)", x->var);
            cg_c_line(e, "    %s = %s;", r,
                      combined(e, y, lanes, cg_c_format(e, "%s[c]", s), r));
        }
    }
}

void
cg_c_join_parts(cg_c_emit *e, const cg_block *x, int number, const char *n)
{
    tree(e, x, number, n);
}

/* -- folds of serial loops -- */

static const char *
part(cg_c_emit *e, const cg_block *x, int bit, int i, int copy)
{
    return cg_c_format(e, "f%u_%d_%d_%d", x->var, bit, i, copy);
}

/* The loop variable of the body: the bits of the nested iterations, the innermost the
 * highest. */
static void
fold_variable(cg_c_emit *e, const cg_block *x, int bits)
{
    const char *at = cg_c_value(e, x->lo, 0);

    at = strcmp(at, "0") == 0 ? NULL : at;
    for (int b = 0; b < bits; b++) {
        const char *h = cg_c_format(e, "h%u_%d", x->var, b);
        const long long weight = (long long)x->step << b;
        h = weight == 1 ? h : cg_c_format(e, "%s * %lld", h, weight);
        at = at ? cg_c_format(e, "%s + %s", at, h) : h;
    }
    cg_c_line(e, "const int64_t %s = %s;", cg_c_value(e, x->var, 0), at ? at : "0");
}

/* The first iteration stores its value; the second combines its value with that. */
static void
fold_pass(cg_c_emit *e, const cg_block *x, int bit, int bits, bool second)
{
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        const int lanes = cg_c_lanes(e, set);
        for (int c = 0; c < cg_c_copies(e, set); c++) {
            const char *s = part(e, x, bit, i, c),
                       *v = bit + 1 < bits ? part(e, x, bit + 1, i, c)
                                           : cg_c_use(e, x->yield[i].value, set, c, lanes);
            cg_c_line(e, "    %s = %s;", s,
                      second ? combined(e, &x->yield[i], lanes, s, v) : cg_c_bare(e->t, v));
        }
    }
}

/* A loop of two iterations for each bit of the lane number: the inner loops fold each half that
 * an outer loop combines. */
static void
fold_rounds(cg_c_emit *e, const cg_block *x, int bit, int bits)
{
    if (bit == bits) {
        fold_variable(e, x, bits);
        cg_c_region(e, &x->body, x);
        return;
    }
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        const int lanes = cg_c_lanes(e, set);
        for (int c = 0; c < cg_c_copies(e, set); c++)
            cg_c_line(e, lanes > 1 ? "%s %s = { 0 };" : "%s %s = 0;",
                      cg_c_type(e->t, x->yield[i].type, lanes), part(e, x, bit, i, c));
    }
    cg_c_line(e, "for (int h%u_%d = 0; h%u_%d < 2; h%u_%d++) {", x->var, bit, x->var, bit,
              x->var, bit);
    e->indent++;
    fold_rounds(e, x, bit + 1, bits);
    cg_c_line(e, "if (h%u_%d) {", x->var, bit);
    fold_pass(e, x, bit, bits, true);
    cg_c_line(e, "} else {");
    fold_pass(e, x, bit, bits, false);
    cg_c_line(e, "}");
    loop_tail(e);
}

/* Scalars: store the lanes in an array in order, then fold it by halves. */
static void
fold_array(cg_c_emit *e, const cg_block *x, int64_t lo, int extent)
{
    const char *j = cg_c_value(e, x->var, 0);

    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < cg_c_copies(e, e->divergence[x->result[i]]); c++)
            cg_c_line(e, "%s f%u_%d_%d[%d];", cg_c_type(e->t, x->yield[i].type, 1), x->var, i,
                      c, extent);
    loop_head(e, x);
    cg_c_region(e, &x->body, x);
    if (lo || x->step != 1)
        j = cg_c_format(e, "(%s - %s) / %lld", j, cg_c_int(e, lo), (long long)x->step);
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < cg_c_copies(e, e->divergence[x->result[i]]); c++)
            cg_c_line(e, "f%u_%d_%d[%s] = %s;", x->var, i, c, j,
                      cg_c_bare(e->t, cg_c_use(e, x->yield[i].value,
                                               e->divergence[x->result[i]], c, 1)));
    loop_tail(e);
    cg_c_line(e, "for (int c = %d; c > 0; c /= 2)", extent / 2);
    cg_c_line(e, "    for (int j = 0; j < c; j++) {");
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < cg_c_copies(e, e->divergence[x->result[i]]); c++) {
            const char *f = cg_c_format(e, "f%u_%d_%d", x->var, i, c),
                       *low = cg_c_format(e, "%s[j]", f);
            cg_c_line(e, "        %s = %s;", low,
                      combined(e, &x->yield[i], 1, low, cg_c_format(e, "%s[j + c]", f)));
        }
    cg_c_line(e, "    }");
}

static bool
are_scalars(const cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++)
        if (cg_c_lanes(e, e->divergence[x->result[i]]) > 1)
            return false;
    return true;
}

static void
serial_fold(cg_c_emit *e, const cg_block *x)
{
    int64_t lo = 0, hi = 1;
    int bits = 0;
    const bool scalars = are_scalars(e, x);

    cg_c_constant_of(e, x->lo, &lo);
    cg_c_constant_of(e, x->hi, &hi);
    while ((int64_t)1 << bits < (hi - lo + x->step - 1) / x->step)
        bits++;
    for (int i = 0; i < x->n; i++)
        cg_c_declare(e, x->result[i], x->yield[i].type);
    cg_c_line(e, "{");
    e->indent++;
    if (scalars)
        fold_array(e, x, lo, 1 << bits);
    else
        fold_rounds(e, x, 0, bits);
    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        for (int c = 0; c < cg_c_copies(e, set); c++)
            cg_c_line(e, "%s = %s;", cg_c_value(e, x->result[i], c),
                      scalars ? cg_c_format(e, "f%u_%d_%d[0]", x->var, i, c)
                      : bits  ? part(e, x, 0, i, c)
                              : cg_c_use(e, x->yield[i].value, set, c, cg_c_lanes(e, set)));
    }
    loop_tail(e);
}

/* A loop of one iteration is only its body. */
static bool
runs_once(cg_c_emit *e, const cg_block *x)
{
    int64_t lo, hi, *at;

    if (!cg_c_constant_of(e, x->lo, &lo) || !cg_c_constant_of(e, x->hi, &hi) || hi <= lo ||
        hi - lo > x->step)
        return false;
    at = IR_NEW(e->t->arena, int64_t);
    *at = lo;
    e->known[x->var] = (cg_c_known){ .at = at };
    return true;
}

static void
serial_once(cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].carried)
            cg_c_alias(e, x->yield[i].carried, x->yield[i].init);
    cg_c_region(e, &x->body, x);
    for (int i = 0; i < x->n; i++)
        cg_c_define(e, x->result[i], x->yield[i].value, x->yield[i].type);
}

void
cg_c_serial(cg_c_emit *e, const cg_block *x)
{
    if (runs_once(e, x))
        serial_once(e, x);
    else if (x->kind == CG_PARALLEL && e->wants_pool[e->number] && !e->part)
        cg_c_parallel(e, x);
    else if (cg_has_mode(x, CG_FOLD))
        serial_fold(e, x);
    else if (cg_has_mode(x, CG_TREE))
        tree(e, x, -1, NULL);
    else
        serial_carries(e, x);
}

/* -- SPMD loops -- */

static void
spmd_variable(cg_c_emit *e, const cg_block *x, const cg_c_level *l)
{
    int64_t lo = 0, *at = IR_NEW_N(e->t->arena, int64_t, l->extent + 1);

    cg_c_constant_of(e, x->lo, &lo);
    for (int64_t i = 0; i < l->extent; i++)
        at[i] = lo + i * x->step;
    e->known[x->var] = (cg_c_known){ .at = at };
}

/* The result of a fold: copies are folded by halves, and for a vector loop the lanes of the
 * remaining vector. */
static void
spmd_result(cg_c_emit *e, const cg_block *x, int i, int own, const cg_c_mask *limit)
{
    const cg_yield *y = &x->yield[i];
    const uint32_t set = e->divergence[x->result[i]], inner = set | (uint32_t)1 << own;
    const cg_c_level *l = &e->level[own];
    const int lanes = cg_c_lanes(e, inner);

    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *r = cg_c_value(e, x->result[i], c);
        for (int u = 0; u < l->copies; u++) {
            const int copy = cg_c_copy_at(e, inner, set, c, own, u);
            const char *v = cg_c_use(e, y->value, inner, copy, lanes);
            if (limit)
                v = cg_c_apply(
                    e->t, SC_select, y->type, y->type, lanes,
                    (const char *const[]){ cg_c_mask_for(e, limit, inner, copy, lanes), v,
                                           neutral(e, y, lanes) });
            if (l->copies == 1 && l->lanes > 1)
                cg_c_line(e, "%s = %s(%s);", r, cg_c_fold(e->t, y->combine, y->type, l->lanes),
                          cg_c_bare(e->t, v));
            else
                cg_c_line(e, "%s f%s_%d = %s;", cg_c_type(e->t, y->type, lanes), r, u, v);
        }
        if (l->copies == 1 && l->lanes > 1)
            continue;
        for (int h = l->copies / 2; h > 0; h /= 2)
            for (int u = 0; u < h; u++) {
                const char *a = cg_c_format(e, "f%s_%d", r, u);
                cg_c_line(e, "%s = %s;", a,
                          combined(e, y, lanes, a, cg_c_format(e, "f%s_%d", r, u + h)));
            }
        if (l->lanes > 1)
            cg_c_line(e, "%s = %s(f%s_0);", r, cg_c_fold(e->t, y->combine, y->type, l->lanes),
                      r);
        else
            cg_c_line(e, "%s = f%s_0;", r, r);
    }
}

/* The bytes of one lane of a value in a vector loop; 1 where it is a scalar, as most indices
 * are. */
static int
bytes_of(const cg_c_emit *e, cg_val v, int level)
{
    const cg_insn *i = &e->k->insn[v];
    const bool lanes = i->op >= CG_LOAD && i->op <= CG_STORE,
               memory = lanes && i->op != CG_SCAN;

    if (i->op != CG_STORE && !(e->divergence[v] >> level & 1)) /* the same in all lanes */
        return 1;
    if (i->op > CG_STORE || i->op == SC_const || (i->op >= SC_COUNT && !lanes))
        return 1;
    if (i->op < SC_COUNT && (i->type == COT_BOOL || (i->op >= SC_eq && i->op <= SC_le)))
        return 4;
    if (i->type == COT_I64 && !memory && e->form[v] != CG_C_WIDE)
        return 1;
    if (i->type == COT_I64 && e->narrow[v])
        return 4;
    return (int)cot_dtype_size((cot_dtype)i->type);
}

static int
widest(const cg_c_emit *e, const cg_region *r, int most, int level)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &e->k->insn[r->insn[n]];
        const int bytes = i->block ? widest(e, &i->block->other,
                                            widest(e, &i->block->body, most, level), level)
                                   : bytes_of(e, r->insn[n], level);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static cg_c_level
level_of(cg_c_emit *e, const cg_block *x, int64_t extent)
{
    cg_c_level l = { x, extent, (int)extent, 1 };
    int64_t lanes;

    if (x->kind != CG_VECTOR || e->t->bits <= 32)
        return l;
    cg_c_find_forms(e, &x->body, e->n_levels);
    cg_c_find_narrow(e, &x->body, e->n_levels);
    cg_c_keep_wide(e, x);
    lanes = e->t->bits / (8 * widest(e, &x->body, 1, e->n_levels));
    lanes = lanes > extent ? extent : lanes < 2 ? 1 : lanes;
    l.lanes = (int)lanes;
    l.copies = (int)(extent / lanes);
    return l;
}

void
cg_c_spmd(cg_c_emit *e, const cg_block *x)
{
    const int own = e->n_levels, vector_level = e->vector_level;
    const cg_c_mask *outer = e->mask, *limit = NULL;
    int64_t lo, hi;

    if (!cg_c_constant_of(e, x->hi, &hi) || !cg_c_constant_of(e, x->lo, &lo) ||
        own == CG_C_LEVELS) {
        cg_c_refuse(e, "an SPMD loop without constant bounds; C source wants them constant");
        return;
    }
    for (int i = 0; i < x->n; i++)
        cg_c_declare(e, x->result[i], x->yield[i].type);
    e->level[e->n_levels] = level_of(e, x, hi > lo ? (hi - lo + x->step - 1) / x->step : 0);
    e->n_levels++;
    if (x->kind == CG_VECTOR)
        e->vector_level = own;
    spmd_variable(e, x, &e->level[own]);
    const cg_applied *under = e->under;
    if (x->limit && e->level[own].extent > 1) {
        limit = cg_c_mask_limit(e, NULL, x);
        e->mask = outer ? cg_c_mask_limit(e, outer, x) : limit;
    } else if (x->limit) /* there is one lane, and it is active */
        e->under = cg_apply_both(e->ranges, under, cg_apply(e->ranges, x->var, true));
    cg_c_region(e, &x->body, x);
    for (int i = 0; i < x->n && e->t->status == COT_OK; i++)
        spmd_result(e, x, i, own, limit);
    e->mask = outer;
    e->under = under;
    e->n_levels = own;
    e->vector_level = vector_level;
}
