/* Fusing a graph into kernels. */
#ifndef CODEGEN_FUSE_FUSE_H
#define CODEGEN_FUSE_FUSE_H

#include "codegen/fuse/deps.h"
#include "codegen/elemental/element.h"
#include "codegen/fuse/access.h"

typedef enum cg_group_kind {
    /* values of one shape, computed element by element */
    CG_GROUP_MAP,
    /* reductions of rows and their consumers, computed row by row; also reductions of
     * columns */
    CG_GROUP_ROW,
    /* reductions of columns alone */
    CG_GROUP_COLUMN,
    CG_GROUP_NODE /* one node with a lowering of its own: product, scatter, loop, ... */
} cg_group_kind;

struct cg_group {
    cg_group_kind kind;
    /* node: the node */
    const ir_node *node;
    /* map: the iteration space. row, column: the shape of the reductions' operands */
    const ir_type *space;
    /* node: a transposed or reshaped view of its result, of the shape of `v`; 0: the result
     * itself */
    ir_ref via;
    /* row, column: how many leading axes number the rows; row: how many trailing axes, of few
     * elements, follow those that are reduced, and are unrolled */
    int outer, inner;
    uint32_t n, cap;
    /* the roots that it computes, in order of definition */
    ir_ref *v;
    int64_t cost; /* map: cost of one element of all its roots, without loads */
    int64_t bytes; /* that a map or rows read and write */
    bool partial; /* it reads only a part of some value */
    uint32_t segment; /* that of its roots which are in one; 0: none is */
    bool part; /* a root of it is an operand of a concatenation of many */
};

typedef struct cg_fusion {
    /* for each value: it is stored in memory by its group */
    bool *root;
    uint32_t n, cap;
    cg_group *group;
    cg_deps deps; /* dependences between the groups; until cg_fuse returns */
    /* the groups in the order in which their kernels run */
    uint32_t *order;
    /* for each value: the last position in `order` that reads it */
    uint32_t *last;
    /* for each value: how many groups read it */
    uint32_t *readers;
    /* for each value: 1 + the position in `order` of the group that computes it; 0: none */
    uint32_t *made;
    /* the results that may be computed in the memory of an operand (cg_overwrites), as lists:
     * by value the first such result of it, by result the next one of the same value */
    ir_ref *heir, *next_heir;
    /* for each value: a sum over several merged axes reads it, and it is stored so that vectors
     * can run along the merged axes */
    bool *contiguous;
    /* by value: it is an operand of a concatenation of many, and has a kernel of its own */
    bool *part;
    /* for each node: the segment of a long computation that it is in, and which shares no
     * kernel with another one; 0: none (cuts.c) */
    uint32_t *segment;
} cg_fusion;

cg_fusion *cg_fuse(cg_lowering *l, const ir_graph *f);
/* roots.c: find the values of f that are stored in memory, as fusion->root. */
void cg_find_roots(cg_lowering *l, const ir_graph *f, cg_fusion *fusion);
/* cuts.c: cut long computations into segments.  inlined, by node: it is emitted inline in its
 * users.  segment, by node: that of a node, or 0.  crosses, by value: another segment needs
 * it. */
void cg_find_cuts(cg_lowering *l, const ir_graph *f, const bool *inlined, uint32_t *segment,
                  bool *crosses);
/* Is n lowered by a rule of its own, to kernels of its own? */
bool cg_has_own_lowering(const cg_lowering *l, const ir_graph *f, const ir_node *n);
/* The kind of the group that root v starts, and the iteration space of v: for a reduction, the
 * shape of its operand. */
cg_group_kind cg_root_kind(cg_lowering *l, const ir_graph *f, ir_ref v);
const ir_type *cg_root_space(cg_lowering *l, const ir_graph *f, ir_ref v);

/* The values that each group of a fusion plan reads, each once, ended by IR_NONE; and the
 * groups that read value v, ascending: reader[first[v]] ... reader[first[v + 1] - 1]. */
typedef struct cg_reads {
    ir_ref **of;
    uint32_t *first, *reader;
} cg_reads;
void cg_find_reads(cg_lowering *l, const ir_graph *f, const cg_fusion *fusion, cg_reads *out);
/* order.c: find the order of the groups of a fusion plan, and the last reader of each value. */
void cg_order(cg_lowering *l, const ir_graph *f, cg_fusion *fusion);
/* By value: it is a small slice of a value that is overwritten later, and must be stored before
 * that.  The array is never NULL. */
bool *cg_early_reads(cg_lowering *l, const ir_graph *f);
/* For each result of node n, the operand whose memory it may overwrite, or -1; NULL: none of
 * the results may. */
const int *cg_overwrites(cg_lowering *l, const ir_graph *f, const ir_node *n);
/* The operand from which result k of node n differs only in parts that are written one after
 * the other; -1: there is none.  For a mapped cond or while, only if writing those parts under
 * a mask is cheaper than selecting every element for each example. */
int cg_part_operand(cg_lowering *l, const ir_graph *f, const ir_node *n, int k);
/* Analyse what operand i of a node with a lowering of its own reads. */
void cg_access_operand(cg_access *w, const ir_node *n, int i);
/* Analyse what group g reads at index `space` of its iteration space. */
void cg_access_group_at(cg_access *w, const cg_group *g, const cg_ix *space);
void cg_access_group(cg_access *w, ir_arena *a, const ir_graph *f, const cg_fusion *fusion,
                     const cg_group *g);

/* The value whose memory a product reads for operand i, which may be a view of it, or a
 * conversion of it to a wider type. stride: the operand's strides in that memory; offset: its
 * first element.  Both may be NULL. */
ir_ref cg_dot_operand(const ir_graph *f, const ir_node *n, int i, int64_t *stride,
                      int64_t *offset);

/* The number of terms of the sum that is one element of a product. */
int64_t cg_terms_of(const ir_graph *f, const ir_node *n);

/* epilogue.c: move elementwise consumers of a product into the kernel of the product. */
void cg_fuse_epilogues(cg_lowering *l, const ir_graph *f, cg_fusion *fusion);
/* Is an epilogue of this cost too long to be computed one scalar at a time, once for each of
 * `rows` sums of `row` elements? */
bool cg_is_long_tail(const cg_lowering *l, int64_t cost, int64_t rows, int64_t row);

/* Is n a reduction over the first axes of a large operand, which is computed row by row? */
bool cg_is_column_reduce(cg_lowering *l, const ir_graph *f, const ir_node *n);
/* May these column reductions share a kernel?  May they join a row kernel, which computes all
 * columns at once? */
bool cg_may_share_columns(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v);
bool cg_may_join_rows(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v);

/* How many elements a member of a row group has. */
typedef enum cg_member {
    /* one for each element of the iteration space */
    CG_MEMBER_ELEMENT,
    /* one for each row: a reduction of the row, or a function of such reductions */
    CG_MEMBER_ROW,
    CG_MEMBER_COLUMN /* one for each column: a reduction of the column */
} cg_member;
cg_member cg_member_of(cg_lowering *l, const ir_graph *f, const cg_group *g, ir_ref v);
/* Is n a reduction over the last axes, or over axes that few elements follow, long enough for
 * lanes to run along them?  And how many axes are before them and behind them? */
bool cg_is_row_reduce(const cg_lowering *l, const ir_graph *f, const ir_node *n);
bool cg_row_axes(const cg_lowering *l, const ir_graph *f, const ir_node *n, int *outer,
                 int *inner);

/* products.c: is n a product of the inner form (docs/numerics.md section 4), in which each
 * element is an independent sum? */
bool cg_is_inner_product(const ir_graph *f, const ir_node *n);
/* The same for a product with so many free axes on each side. */
bool cg_has_inner_form(const ir_graph *f, const ir_node *n, int lhs_free, int rhs_free);

/* interleave.c: the interleave that v is, or that v is a barrier of; NULL: none.  An interleave
 * concatenates values of size 1 along the last axis, as the parts of complex numbers are;
 * behind a barrier it may also concatenate them along the first. */
const ir_node *cg_interleave_of(const ir_graph *f, ir_ref v);
/* Is v a concatenation of so many operands that each is computed in its part of the result by a
 * kernel of its own?  One kernel would test its index for each operand. */
bool cg_has_many_parts(const cg_lowering *l, const ir_graph *f, ir_ref v);

#endif
