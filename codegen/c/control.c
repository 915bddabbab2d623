/* Loops, ifs and whiles of a kernel as C (c.h).
 *
 * They become C's own.  Results of serial folds and trees are combined by a binary counter of
 * partials, which is the tree that kernel.h defines. */
#include "codegen/c/emit.h"

static bool
is_counter(const cg_yield *y)
{
    return y->mode != CG_CARRY;
}

static const char *
counter_name(cg_c_emit *e, const cg_block *x, int i, int copy)
{
    return cg_c_say(e, "t%u_%d_%d", x->var, i, copy);
}

/* Partials of a serial fold or tree: a binary counter, for each copy. */
static void
counters_begin(cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++)
        for (int c = 0; is_counter(&x->yield[i]) && c < cg_c_copies(e, e->vary[x->result[i]]);
             c++)
            cg_c_line(e, "%s %s[64];",
                      cg_c_type(e->t, x->yield[i].type, cg_c_lanes(e, e->vary[x->result[i]])),
                      counter_name(e, x, i, c));
    cg_c_line(e, "int n%u = 0;", x->var);
    cg_c_line(e, "uint64_t count%u = 0;", x->var);
}

static void
counters_push(cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->vary[x->result[i]];
        for (int c = 0; is_counter(&x->yield[i]) && c < cg_c_copies(e, set); c++)
            cg_c_line(e, "%s[n%u] = %s;", counter_name(e, x, i, c), x->var,
                      cg_c_use(e, x->yield[i].value, set, c, cg_c_lanes(e, set)));
    }
    cg_c_line(e, "n%u++;", x->var);
    cg_c_line(e, "for (uint64_t c = count%u++; c & 1; c >>= 1) {", x->var);
    e->indent++;
    cg_c_line(e, "n%u--;", x->var);
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        uint32_t set = e->vary[x->result[i]];
        for (int c = 0; is_counter(y) && c < cg_c_copies(e, set); c++) {
            const char *s = counter_name(e, x, i, c);
            cg_c_line(e, "%s[n%u - 1] = %s(%s[n%u - 1], %s[n%u]);", s, x->var,
                      cg_c_op(e->t, y->combine, y->type, y->type, cg_c_lanes(e, set)), s,
                      x->var, s, x->var);
        }
    }
    e->indent--;
    cg_c_line(e, "}");
}

static const char *
neutral(cg_c_emit *e, ir_sc_op op, cot_dtype t, int lanes)
{
    ir_buf b;
    ir_buf_init(&b, e->t->arena);
    cg_c_constant(&b, t, cg_neutral_bits(op, t));
    return lanes > 1 ? cg_c_say(e, "%s(%s)", cg_c_splat(e->t, t, lanes), b.text) : b.text;
}

static void
counters_end(cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        uint32_t set = e->vary[x->result[i]];
        for (int c = 0; is_counter(y) && c < cg_c_copies(e, set); c++) {
            const char *s = counter_name(e, x, i, c), *r = cg_c_value(e, x->result[i], c);
            cg_c_line(e, "%s = n%u ? %s[n%u - 1] : %s;", r, x->var, s, x->var,
                      neutral(e, y->combine, y->type, cg_c_lanes(e, set)));
            cg_c_line(e, "for (int c = n%u - 2; c >= 0; c--)", x->var);
            cg_c_line(e, "    %s = %s(%s[c], %s);", r,
                      cg_c_op(e->t, y->combine, y->type, y->type, cg_c_lanes(e, set)), s, r);
        }
    }
}

static void
loop_head(cg_c_emit *e, const cg_block *x, bool reversed_bits)
{
    const char *i = cg_c_value(e, x->var, 0), *lo = cg_c_value(e, x->lo, 0),
               *hi = cg_c_value(e, x->hi, 0);
    int64_t from, to;
    if (!reversed_bits) {
        cg_c_line(e, "for (int64_t %s = %s; %s < %s; %s += %lld) {", i, lo, i, hi, i,
                  (long long)x->step);
        return;
    }
    cg_is_const(e->k, x->lo, &from);
    cg_is_const(e->k, x->hi, &to);
    cg_c_line(e, "for (int64_t r%s = 0; r%s < %lld; r%s++) {", i, i,
              (long long)((to - from) / x->step), i);
    cg_c_line(e, "    int64_t %s = 0;", i);
    cg_c_line(e, "    for (int64_t bit = 1; bit < %lld; bit *= 2)",
              (long long)((to - from) / x->step));
    cg_c_line(e, "        %s = 2 * %s + ((r%s & bit) != 0);", i, i, i);
    cg_c_line(e, "    %s = %s + %s * %lld;", i, lo, i, (long long)x->step);
}

void
cg_c_serial(cg_c_emit *e, const cg_block *x)
{
    bool fold = false, counters = false;
    for (int i = 0; i < x->n; i++) {
        fold |= x->yield[i].mode == CG_FOLD;
        counters |= is_counter(&x->yield[i]);
        cg_c_declare(e, x->result[i], x->yield[i].type);
        if (x->yield[i].mode == CG_CARRY) {
            cg_c_declare(e, x->yield[i].carried, x->yield[i].type);
            cg_c_assign(e, x->yield[i].carried, x->yield[i].init, "");
        }
    }
    if (counters)
        counters_begin(e, x);
    loop_head(e, x, fold);
    e->indent++;
    cg_c_region(e, &x->body);
    if (counters)
        counters_push(e, x);
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].mode == CG_CARRY) {
            uint32_t set = e->vary[x->yield[i].carried];
            for (int c = 0; c < cg_c_copies(e, set); c++) {
                const char *s = cg_c_value(e, x->yield[i].carried, c),
                           *v = cg_c_use(e, x->yield[i].value, set, c, cg_c_lanes(e, set));
                cg_c_line(e, "const %s next_%s = %s;",
                          cg_c_type(e->t, x->yield[i].type, cg_c_lanes(e, set)), s, v);
                if (cg_c_has_first(e, x->yield[i].carried))
                    cg_c_line(e, "const int64_t next_%sz = %s;", s,
                              cg_c_use_first(e, x->yield[i].value, set, c));
            }
        }
    for (int i = 0; i < x->n; i++)
        for (int c = 0;
             x->yield[i].mode == CG_CARRY && c < cg_c_copies(e, e->vary[x->yield[i].carried]);
             c++) {
            const char *s = cg_c_value(e, x->yield[i].carried, c);
            cg_c_line(e, "%s = next_%s;", s, s);
            if (cg_c_has_first(e, x->yield[i].carried))
                cg_c_line(e, "%sz = next_%sz;", s, s);
        }
    e->indent--;
    cg_c_line(e, "}");
    if (counters)
        counters_end(e, x);
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].mode == CG_CARRY)
            cg_c_assign(e, x->result[i], x->yield[i].carried, "");
}

/* The variable of an SPMD loop: a constant for each copy, or lanes. */
static void
spmd_variable(cg_c_emit *e, const cg_block *x, int own)
{
    uint32_t set = e->vary[x->var];
    int lanes = cg_c_lanes(e, set);
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *s = cg_c_value(e, x->var, c), *lo = cg_c_use_first(e, x->lo, set, c);
        if (own != e->vector_level) {
            cg_c_line(e, "const int64_t %s = %s + %lld;", s, lo,
                      (long long)cg_c_copy_for(e, set, c, (uint32_t)1 << own) *
                          (long long)x->step);
            continue;
        }
        if (lanes == 1) {
            cg_c_line(e, "const int64_t %s = %s;", s, lo);
            continue;
        }
        cg_c_line(e, "const int64_t %sz = %s;", s, lo);
        cg_c_line(e, "%s %s;", cg_c_type(e->t, COT_I64, lanes), s);
        cg_c_line(e, "for (int i = 0; i < %d; i++)", lanes);
        cg_c_line(e, "    %s[i] = %sz + i * %lld;", s, s, (long long)x->step);
    }
}

/* A result of an SPMD loop: lanes fold by halves, then copies; a carry is the last copy's or
 * lane's. */
static void
spmd_result(cg_c_emit *e, const cg_block *x, int i, int own, const char *mask)
{
    const cg_yield *y = &x->yield[i];
    uint32_t set = e->vary[x->result[i]], inner = set | (uint32_t)1 << own;
    int extent = (int)e->level[own].extent;
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *r = cg_c_value(e, x->result[i], c);
        if (own == e->vector_level) {
            const char *v = cg_c_use(e, y->value, inner, c, extent);
            if (extent == 1) {
                cg_c_line(e, "%s = %s;", r, v);
                continue;
            }
            if (mask)
                v = cg_c_say(e, "%s(%s, %s, %s)",
                             cg_c_op(e->t, SC_select, y->type, y->type, extent), mask, v,
                             neutral(e, y->combine, y->type, extent));
            cg_c_line(e, "%s = %s(%s);", r, cg_c_fold(e->t, y->combine, y->type, extent), v);
            continue;
        }
        int lanes = cg_c_lanes(e, set);
        const char *f = cg_c_op(e->t, y->combine, y->type, y->type, lanes);
        for (int u = 0; u < extent; u++) {
            int copy = 0;
            while (cg_c_copy_for(e, inner, copy, set) != c ||
                   cg_c_copy_for(e, inner, copy, (uint32_t)1 << own) != u)
                copy++;
            cg_c_line(e, "%s f%s_%d = %s;", cg_c_type(e->t, y->type, lanes), r, u,
                      cg_c_use(e, y->value, inner, copy, lanes));
        }
        for (int h = extent / 2; h > 0; h /= 2)
            for (int u = 0; u < h; u++)
                cg_c_line(e, "f%s_%d = %s(f%s_%d, f%s_%d);", r, u, f, r, u, r, u + h);
        cg_c_line(e, "%s = f%s_0;", r, r);
    }
}

void
cg_c_spmd(cg_c_emit *e, const cg_block *x)
{
    int64_t lo, hi;
    int own = e->n_levels;
    const char *outer = e->mask, *mask = NULL;
    if (!cg_is_const(e->k, x->hi, &hi) || !cg_is_const(e->k, x->lo, &lo) ||
        own == CG_C_LEVELS) {
        cg_c_refuse(e, "an SPMD loop without constant bounds; C source wants them constant");
        return;
    }
    for (int i = 0; i < x->n; i++) {
        cg_c_declare(e, x->result[i], x->yield[i].type);
        if (x->yield[i].mode == CG_CARRY)
            cg_c_refuse(e, "a carry of an SPMD loop; C source has folds there");
    }
    cg_c_line(e, "{");
    e->indent++;
    e->level[e->n_levels++] = (cg_c_level){ x, (hi - lo + x->step - 1) / x->step };
    if (x->kind == CG_VECTOR)
        e->vector_level = own;
    spmd_variable(e, x, own);
    if (x->limit) {
        int lanes = (int)e->level[own].extent;
        mask = cg_c_say(e, "m%u", x->var);
        cg_c_line(e, "%s %s;", cg_c_type(e->t, COT_BOOL, lanes), mask);
        cg_c_line(e, "for (int i = 0; i < %d; i++)", lanes);
        cg_c_line(e, "    %s[i] = -(int32_t)(i < %s);", mask, cg_c_value(e, x->limit, 0));
        e->mask = mask;
    }
    cg_c_region(e, &x->body);
    for (int i = 0; i < x->n && e->t->status == COT_OK; i++)
        spmd_result(e, x, i, own, mask);
    e->mask = outer;
    e->n_levels--;
    if (x->kind == CG_VECTOR)
        e->vector_level = -1;
    e->indent--;
    cg_c_line(e, "}");
}

void
cg_c_if(cg_c_emit *e, const cg_block *x)
{
    if (e->vary[x->cond])
        cg_c_refuse(e, "an if on a condition that varies over lanes; C source does not carry "
                       "it, the JIT does");
    for (int i = 0; i < x->n; i++)
        cg_c_declare(e, x->result[i], x->yield[i].type);
    cg_c_line(e, "if (%s) {", cg_c_value(e, x->cond, 0));
    e->indent++;
    cg_c_region(e, &x->body);
    for (int i = 0; i < x->n; i++)
        cg_c_assign(e, x->result[i], x->yield[i].value, "");
    e->indent--;
    cg_c_line(e, "} else {");
    e->indent++;
    cg_c_region(e, &x->other);
    for (int i = 0; i < x->n; i++)
        cg_c_assign(e, x->result[i], x->yield[i].init, "");
    e->indent--;
    cg_c_line(e, "}");
}

void
cg_c_while(cg_c_emit *e, const cg_block *x)
{
    if (e->vary[x->cond])
        cg_c_refuse(e, "a while on a condition that varies over lanes; C source does not carry "
                       "it, the JIT does");
    for (int i = 0; i < x->n; i++) {
        cg_c_declare(e, x->result[i], x->yield[i].type);
        cg_c_declare(e, x->yield[i].carried, x->yield[i].type);
        cg_c_assign(e, x->yield[i].carried, x->yield[i].init, "");
    }
    cg_c_line(e, "for (;;) {");
    e->indent++;
    cg_c_region(e, &x->other);
    cg_c_line(e, "if (!%s) break;", cg_c_value(e, x->cond, 0));
    cg_c_region(e, &x->body);
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < cg_c_copies(e, e->vary[x->yield[i].carried]); c++)
            cg_c_line(
                e, "const %s next_%s = %s;",
                cg_c_type(e->t, x->yield[i].type, cg_c_lanes(e, e->vary[x->yield[i].carried])),
                cg_c_value(e, x->yield[i].carried, c),
                cg_c_use(e, x->yield[i].value, e->vary[x->yield[i].carried], c,
                         cg_c_lanes(e, e->vary[x->yield[i].carried])));
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < cg_c_copies(e, e->vary[x->yield[i].carried]); c++)
            cg_c_line(e, "%s = next_%s;", cg_c_value(e, x->yield[i].carried, c),
                      cg_c_value(e, x->yield[i].carried, c));
    e->indent--;
    cg_c_line(e, "}");
    for (int i = 0; i < x->n; i++)
        cg_c_assign(e, x->result[i], x->yield[i].carried, "");
}
