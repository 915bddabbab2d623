/* Questions that all folders of codegen ask of a lowering. */
#include "codegen/lowering.h"

#include "codegen/fuse/cost.h"
#include "ir/diag.h"
#include "codegen/tuning.h"

cot_status
cg_lower_fail(cg_lowering *l, ir_loc loc, const char *op, const char *text)
{
    cot_status s = ir_fail(l->ctx, loc, op, ERR_target, text);
    if (l->status == COT_OK)
        l->status = s;
    return s;
}

int64_t
cg_lanes(const cg_lowering *l, int bits)
{
    int64_t lanes = l->target.vector_bits / (bits < 8 ? 8 : bits);
    return l->target.vector_bits <= 64 || lanes < 1 ? 1 : lanes;
}

bool
cg_is_open(const cg_lowering *l, int64_t extent)
{
    return cg_module_is_open(l->m, extent);
}

bool
cg_is_multiple(const cg_lowering *l, int64_t n, int64_t d)
{
    return n % d == 0 && !cg_is_open(l, n);
}

bool
cg_has_rest(const cg_lowering *l, int64_t n, int64_t d)
{
    return n % d != 0 || l->m->n_open;
}

/* How much larger than samples open sizes may be. */
enum { OPEN_TIMES = 256 };

bool
cg_is_shareable(double operations, int64_t lanes, double bytes)
{
    return operations / (double)lanes + bytes / CG_FUSE_BYTES_OF_OPERATION >
           CG_FUSE_COST_PARALLEL;
}

bool
cg_is_shared(const cg_lowering *l, int64_t operations, int64_t lanes, int64_t bytes)
{
    /* at a sample; the caller of an open kernel says whether there is work for threads */
    const double times = l->m->n_open ? OPEN_TIMES : 1;

    return l->target.grid ||
           (l->o->threads > 1 &&
            (l->o->share_all ||
             cg_is_shareable((double)operations * times, lanes, (double)bytes * times)));
}

bool
cg_has_shares(const cg_lowering *l, int64_t iterations, int64_t each)
{
    return l->target.grid || l->o->share_all || l->m->n_open ||
           iterations >= each * l->o->threads;
}

bool
cg_lines_are_apart(const cg_lowering *l, const ir_type *t, int axis)
{
    int64_t outer = 1, inner = 1;

    for (int k = 0; k < t->rank; k++)
        *(k < axis ? &outer : k > axis ? &inner : &(int64_t){ 1 }) *= t->dims[k];
    return l->target.grid || l->o->share_all || inner == 1 || outer >= l->o->threads ||
           inner * (int64_t)cot_dtype_size(t->dtype) >= CG_FUSE_MIN_APART * l->o->threads;
}

cg_kind
cg_kind_of_all(const cg_lowering *l)
{
    return l->target.grid ? CG_PARALLEL : CG_SERIAL;
}
