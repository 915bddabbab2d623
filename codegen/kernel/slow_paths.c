/* Slow paths by the hash of their program, as kernel text names them.
 *
 * They are all parts of the programs of pointwise ops over f32 or f64, so those programs are
 * searched.  A context builds each of them once (ir_sc_of). */
#include "codegen/kernel/text.h"
#include "ir/op.h"

/* Slow paths nest a few levels deep. */
static const ir_sc_program *
find_in(const ir_sc_program *p, uint64_t hash)
{
    const ir_sc_program *found = NULL;

    for (int k = 0; k < p->n && !found; k++)
        if (p->insn[k].op == SC_slow_path)
            found = ir_sc_hash(p->insn[k].sub) == hash ? p->insn[k].sub
                                                       : find_in(p->insn[k].sub, hash);
    return found;
}

/* Only ops from floats to floats have slow paths. */
static bool
computes_with_floats(const char *flag, const char *infer)
{
    static const char *const taken[] = { "floating", "inexact", "number", "real" };

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(infer, taken[i]) == 0)
            return strcmp(flag, "POINTWISE") == 0;
    return false;
}

const ir_sc_program *
cg_find_slow_path(cot_context *ctx, uint64_t hash)
{
    static const struct {
        const char *flag, *infer;
        int op, n_in;
    } rows[] = {
#define OP(name, n, attrs, flag, infer, ...) { #flag, #infer, OP_##name, n },
#include "ir/ops.def"
#undef OP
    };
    const ir_sc_program *found = NULL;

    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows && !found; i++) {
        const cot_dtype t = i % 2 ? COT_F64 : COT_F32, in[3] = { t, t, t };
        if (!computes_with_floats(rows[i / 2].flag, rows[i / 2].infer))
            continue;
        const ir_sc_program *p =
            ir_sc_of(ctx, rows[i / 2].op, &(ir_attrs){ 0 }, rows[i / 2].n_in, in, t);
        found = p ? find_in(p, hash) : NULL;
    }
    return found;
}
