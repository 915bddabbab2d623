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

/* How much larger than samples open sizes may be. */
enum { OPEN_TIMES = 256 };

bool
cg_is_shared(const cg_lowering *l, int64_t cost)
{
    /* at a sample; the caller of an open kernel says whether there is work for threads */
    const int64_t times = l->m->n_open ? OPEN_TIMES : 1;
    const bool is_long = cost > CG_FUSE_COST_PARALLEL / times || l->o->share_all;

    return l->target.grid || (l->o->threads > 1 && is_long);
}

cg_kind
cg_kind_of_all(const cg_lowering *l)
{
    return l->target.grid ? CG_PARALLEL : CG_SERIAL;
}
