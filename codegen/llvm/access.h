/* What loads and stores of every shape are made of: addresses, conditions, and accesses of one
 * element, of a row and of elements a stride from each other.  Each reports what it touches
 * (verify/ranges.h). */
#ifndef CODEGEN_LLVM_ACCESS_H
#define CODEGEN_LLVM_ACCESS_H

#include "codegen/llvm/emit.h"

typedef struct cg_ll_access {
    cg_touched range;     /* what is reported of it, besides elements and conditions */
    LLVMTypeRef element; /* in memory */
    LLVMValueRef base;
    cot_dtype type;
    unsigned align;
    bool streams;
    unsigned row;       /* bytes that lane 0 of a vector is aligned to, at least */
} cg_ll_access;

/* A condition, and what it applies; v is NULL: always. */
typedef struct cg_ll_truth {
    LLVMValueRef v;
    const cg_applied *by;
} cg_ll_truth;

/* Where an element is, by how much behind that of the access, and what its address applies. */
typedef struct cg_ll_place {
    LLVMValueRef p;
    int64_t first;
    const cg_applied *by;
} cg_ll_place;

/* Under what an access happens, for the copy at the digits. */
typedef struct cg_ll_condition {
    cg_ll_truth scalar;       /* i1                     */
    cg_ll_truth lanes;        /* <W x i1>               */
    LLVMValueRef limit; /* lanes is: lane < limit */
} cg_ll_condition;

/* condition.c */
cg_ll_truth cg_ll_truth_and(cg_ll_emit *e, cg_ll_truth x, cg_ll_truth y);
cg_ll_truth cg_ll_truth_any(cg_ll_emit *e, cg_ll_truth lanes);
cg_ll_condition cg_ll_condition_of(cg_ll_emit *e, cg_val when, uint32_t set, bool wide);
/* The lanes of a condition, its scalar among them. */
cg_ll_truth cg_ll_condition_lanes(cg_ll_emit *e, const cg_ll_condition *c);

/* access.c */
cg_ll_access cg_ll_access_of(cg_ll_emit *e, cg_val v);
/* The element `first` behind the index. */
cg_ll_place cg_ll_element_at(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index,
                             int64_t first);
/* All lanes of a vector, or one of them. */
cg_ll_access cg_ll_access_lanes(const cg_ll_access *a, int lane, int lanes);
/* Booleans are bytes in memory. */
LLVMValueRef cg_ll_from_memory(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x);
LLVMValueRef cg_ll_to_memory(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, bool wide);
LLVMValueRef cg_ll_reversed(cg_ll_emit *e, LLVMValueRef x);
LLVMValueRef cg_ll_plain_load(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t,
                              cg_ll_place p);
void cg_ll_plain_store(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p);
/* A whole vector, past the caches. */
void cg_ll_stream_store(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p);
/* Where the condition does not hold, a load gives zeros and a store does nothing. */
LLVMValueRef cg_ll_load_when(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t, cg_ll_place p,
                             cg_ll_truth when);
void cg_ll_store_when(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p,
                      cg_ll_truth when);
LLVMValueRef cg_ll_load_by_lane(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index,
                                cg_ll_truth mask);
void cg_ll_store_by_lane(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, LLVMValueRef x,
                         cg_ll_truth mask);
/* The row that begins `from` elements behind the index. */
LLVMValueRef cg_ll_load_row(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index,
                            int64_t from, const cg_ll_condition *c);
void cg_ll_store_row(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, int64_t from,
                     LLVMValueRef x, const cg_ll_condition *c);
/* Elements from, from + step, from + 2 step, ... behind the index. */
LLVMValueRef cg_ll_load_strided(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index,
                                int64_t from, int step, cg_ll_truth when);
LLVMValueRef cg_ll_load_gather(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index,
                               cg_ll_truth mask);

#endif
