/* Reductions: loops in the order of docs/numerics.md section 3, around a body that gives the
 * elements. */
#ifndef CODEGEN_ELEMENTAL_FOLD_H
#define CODEGEN_ELEMENTAL_FOLD_H

#include "codegen/elemental/element.h"

/* acc with element j, where that is one operation: a product and a sum rounded once.  l->mask
 * guards loads of an element that may be absent. */
typedef cg_val cg_fold_step(cg_lowering *l, void *user, cg_ix j, cg_val acc);

/* One of the reductions that a loop makes: how elements combine, and in which type.  Where
 * step is not NULL, it alone brings elements in, and there is no body; op combines the sums
 * of lanes. */
typedef struct cg_fold {
    ir_sc_op op;
    cot_dtype type;
    cg_fold_step *step;
} cg_fold;

/* Gives element j of each reduction in e[].  l->mask guards elements that may be absent. */
typedef void cg_fold_body(cg_lowering *l, void *user, cg_ix j, cg_val *e);

typedef enum cg_fold_form {
    /* every element at a constant index */
    CG_FOLD_UNROLLED,
    /* lanes of a vector take the elements of a step */
    CG_FOLD_LANES,
    /* and two runs of blocks go side by side: for what only memory limits */
    CG_FOLD_STREAMS,
    CG_FOLD_SERIAL /* one element at a time: vectors run along another axis, or not at all */
} cg_fold_form;

/* Combine elements 0 ... n-1 (n > 0) of each of the k reductions: the results in out[].
 * parallel: the blocks are split among threads. */
void cg_fold_loops(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_fold_form form,
                   bool parallel, cg_fold_body *body, void *user, cg_val *out);

/* Tells the verifier that the reduction (cg_reduction_new) takes element j here, where
 * `present` holds (0: always). */
void cg_take_at(cg_lowering *l, uint32_t reduction, cg_ix j, cg_val present);

/* How a reduce node combines; its operand is converted to how->type first. */
cg_fold cg_fold_of(ir_combine by, cot_dtype t);
/* The axes that a reduce node or arg node reduces are among [first, last); their size. */
int64_t cg_reduced(const ir_graph *f, const ir_node *n, int *first, int *last);
/* The index of the operand for index `at` of the result and element j of the reduced axes. */
void cg_reduced_index(cg_lowering *l, const ir_graph *f, const ir_node *n, const cg_ix *at,
                      cg_ix j, cg_ix *to);
/* What the reduction is from what its elements combined to. */
cg_val cg_fold_finish(cg_lowering *l, const ir_graph *f, const ir_node *n, cg_val x);

/* GPU: the node of the tree that is blocks part * each ... of the n elements; each is a power
 * of two, at least CG_ELEMENTAL_MIN_GRID_PART, of blocks of CG_FOLD_BLOCK elements. */
enum { CG_FOLD_BLOCK = 512 };
void cg_fold_part(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_val part,
                  int64_t each, cg_fold_body *body, void *user, cg_val *out);
/* Block number `number` of the n elements, by one thread. */
void cg_fold_one_block(cg_lowering *l, int64_t n, int k, const cg_fold *how, cg_val number,
                       cg_fold_body *body, void *user, cg_val *out);
/* GPU: the warps of a block that work on n elements together. */
int64_t cg_block_warps(int64_t n);

#endif
