/* Reductions: loops in the order of docs/numerics.md section 3, around a body that returns the
 * elements. */
#ifndef CODEGEN_ELEMENTAL_FOLD_H
#define CODEGEN_ELEMENTAL_FOLD_H

#include "codegen/elemental/element.h"

/* Combine acc with element j in one operation, a product and a sum that are rounded once.
 * l->mask guards loads of an element that may be absent. */
typedef cg_val cg_fold_step(cg_lowering *l, void *user, cg_ix j, cg_val acc);

/* One of the reductions of a loop: how elements combine, and in which type.  If step is not
 * NULL, it adds the elements and there is no body; op then combines the lanes. */
typedef struct cg_fold {
    ir_sc_op op;
    cot_dtype type;
    cg_fold_step *step;
} cg_fold;

/* Store element j of each reduction in e[]. l->mask guards elements that may be absent. */
typedef void cg_fold_body(cg_lowering *l, void *user, cg_ix j, cg_val *e);

typedef enum cg_fold_form {
    /* every element at a constant index */
    CG_FOLD_UNROLLED,
    /* the lanes of a vector take the elements of a step */
    CG_FOLD_LANES,
    /* the same, with two runs of blocks in lockstep: for reductions that only memory limits */
    CG_FOLD_STREAMS,
    CG_FOLD_SERIAL /* one element at a time: vectors run along another axis, or there are
                    * none */
} cg_fold_form;

/* Combine elements 0 ... n-1 (n > 0) of each of the k reductions; results go to out[].
 * parallel: the blocks are divided among threads. */
void cg_fold_loops(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_fold_form form,
                   bool parallel, cg_fold_body *body, void *user, cg_val *out);

/* Declare to the verifier that the reduction (cg_reduction_new) takes element j here, if
 * `present` holds (0: always). */
void cg_take_at(cg_lowering *l, uint32_t reduction, cg_ix j, cg_val present);

/* How a reduce node combines elements; they are converted to how->type first. */
cg_fold cg_fold_of(ir_combine by, cot_dtype t);
/* The number of elements that a reduce or arg node combines.  The axes that it reduces are
 * among first ... last - 1. */
int64_t cg_reduced(const ir_graph *f, const ir_node *n, int *first, int *last);
/* The index of the operand for index `at` of the result and element j of the reduced axes. */
void cg_reduced_index(cg_lowering *l, const ir_graph *f, const ir_node *n, const cg_ix *at,
                      cg_ix j, cg_ix *to);
/* The result of the reduction, converted from the type in which elements are combined. */
cg_val cg_fold_finish(cg_lowering *l, const ir_graph *f, const ir_node *n, cg_val x);
/* x, or +0 where it is a sum of n elements and n, which is open, is 0. */
cg_val cg_unless_empty(cg_lowering *l, int64_t n, const cg_fold *how, cg_val x);

/* GPU: combine part `part` of n elements, which is `each` blocks of CG_FOLD_BLOCK elements and
 * a node of the tree. each is a power of two, at least CG_ELEMENTAL_MIN_GRID_PART. */
enum { CG_FOLD_BLOCK = 512 };
void cg_fold_part(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_val part,
                  int64_t each, cg_fold_body *body, void *user, cg_val *out);
/* Combine block `number` of n elements, in one thread. */
void cg_fold_one_block(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_val number,
                       cg_fold_body *body, void *user, cg_val *out);
/* GPU: how many warps of a block combine n elements together. */
int64_t cg_block_warps(int64_t n);

#endif
