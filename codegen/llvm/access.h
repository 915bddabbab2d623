/* Building blocks of loads and stores: addresses, conditions, and accesses of one element, of a
 * row, and of elements at a constant stride.  Each access reports which elements it touches,
 * and verify/ranges.h checks them against what was proved. */
#ifndef CODEGEN_LLVM_ACCESS_H
#define CODEGEN_LLVM_ACCESS_H

#include "codegen/llvm/emit.h"

typedef struct cg_ll_access {
    cg_touched range;    /* what the checker is told, apart from elements and conditions */
    LLVMTypeRef element; /* type in memory */
    LLVMValueRef base;
    cot_dtype type;
    unsigned align;
    bool streams;
    unsigned row; /* the alignment in bytes of a vector that begins at lane 0 */
} cg_ll_access;

/* A condition, with its meaning for the checker; v is NULL where it always holds. */
typedef struct cg_ll_truth {
    LLVMValueRef v;
    const cg_applied *by;
} cg_ll_truth;

/* The address of an element, its distance from the access's own element, and the conditions
 * that selected the address. */
typedef struct cg_ll_place {
    LLVMValueRef p;
    int64_t first;
    const cg_applied *by;
} cg_ll_place;

/* The condition of an access, for the copy that e->digit selects. */
typedef struct cg_ll_condition {
    cg_ll_truth scalar; /* i1 */
    cg_ll_truth lanes;  /* one i1 for each lane */
    LLVMValueRef limit; /* not NULL: `lanes` means lane < limit */
} cg_ll_condition;

/* condition.c */
cg_ll_truth cg_ll_truth_and(cg_ll_emit *e, cg_ll_truth x, cg_ll_truth y);
cg_ll_truth cg_ll_truth_any(cg_ll_emit *e, cg_ll_truth lanes);
cg_ll_condition cg_ll_condition_of(cg_ll_emit *e, cg_val when, uint32_t set, bool wide);
/* Combines the scalar and the per-lane condition to one for each lane. */
cg_ll_truth cg_ll_condition_lanes(cg_ll_emit *e, const cg_ll_condition *c);

/* access.c */
cg_ll_access cg_ll_access_of(cg_ll_emit *e, cg_val v);
/* The address of the element at index + first. */
cg_ll_place cg_ll_element_at(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index,
                             int64_t first);
/* The same access, for `lanes` lanes from `lane` on. */
cg_ll_access cg_ll_access_lanes(const cg_ll_access *a, int lane, int lanes);
/* Convert between booleans and the bytes that hold them in memory. */
LLVMValueRef cg_ll_from_memory(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x);
LLVMValueRef cg_ll_to_memory(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, bool wide);
LLVMValueRef cg_ll_reversed(cg_ll_emit *e, LLVMValueRef x);
LLVMValueRef cg_ll_plain_load(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t,
                              cg_ll_place p);
void cg_ll_plain_store(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p);
/* Store a whole vector past the caches. */
void cg_ll_stream_store(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p);
/* A load whose condition is false gives zeros; such a store does nothing. */
LLVMValueRef cg_ll_load_when(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t, cg_ll_place p,
                             cg_ll_truth when);
void cg_ll_store_when(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p,
                      cg_ll_truth when);
LLVMValueRef cg_ll_load_by_lane(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index,
                                cg_ll_truth mask);
void cg_ll_store_by_lane(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, LLVMValueRef x,
                         cg_ll_truth mask);
/* Load or store the row that begins at index + from. */
LLVMValueRef cg_ll_load_row(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index,
                            int64_t from, const cg_ll_condition *c);
void cg_ll_store_row(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, int64_t from,
                     LLVMValueRef x, const cg_ll_condition *c);
/* Load the elements at index + from + step * lane. */
LLVMValueRef cg_ll_load_strided(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index,
                                int64_t from, int step, cg_ll_truth when);
LLVMValueRef cg_ll_load_gather(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index,
                               cg_ll_truth mask);

#endif
