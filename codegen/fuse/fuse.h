/* Fusing a graph into kernels. */
#ifndef CODEGEN_FUSE_FUSE_H
#define CODEGEN_FUSE_FUSE_H

#include "codegen/fuse/deps.h"
#include "codegen/elemental/element.h"
#include "codegen/fuse/access.h"

typedef enum cg_group_kind {
    /* values of one shape, element by element */
    CG_GROUP_MAP,
    /* reductions of rows, and what consumes them, row by row; of columns, too */
    CG_GROUP_ROW,
    /* reductions of columns alone */
    CG_GROUP_COLUMN,
    CG_GROUP_NODE /* one node with a lowering of its own: products, scatters, loops, ... */
} cg_group_kind;

struct cg_group {
    cg_group_kind kind;
    /* node: which */
    const ir_node *node;
    /* map: the shape.  row, column: of the operands of the reductions */
    const ir_type *space;
    /* node: a view of its result, of the shape of `v`; 0: the result */
    ir_ref via;
    /* row, column: the leading axes, which number the rows */
    int outer;
    uint32_t n, cap;
    /* what it makes, in order of definition */
    ir_ref *v;
    int64_t cost; /* map: of one element of all that it makes, but what is read        */
};

typedef struct cg_fusion {
    /* for each value: it is in memory when its group has run */
    bool *root;
    uint32_t n, cap;
    cg_group *group;
    cg_deps deps; /* of groups on each other                                           */
    /* of running */
    uint32_t *order;
    /* for each value: the last place in `order` that reads it */
    uint32_t *last;
    /* for each value: how many groups read it */
    uint32_t *readers;
    /* for each value: is it summed along axes that no vector goes along together */
    bool *flat;
} cg_fusion;

cg_fusion *cg_fuse(cg_lowering *l, const ir_graph *f);
/* roots.c: the values of f that live in memory, into fusion->root; has the node a lowering
 * of its own; the kind of the group that a root begins; its iteration space, of a reduction
 * that of the operand. */
void cg_find_roots(cg_lowering *l, const ir_graph *f, cg_fusion *fusion);
bool cg_has_own_lowering(const cg_lowering *l, const ir_graph *f, const ir_node *n);
cg_group_kind cg_root_kind(cg_lowering *l, const ir_graph *f, ir_ref v);
const ir_type *cg_root_space(cg_lowering *l, const ir_graph *f, ir_ref v);

/* What each group of a fusion plan reads, each value once, then IR_NONE; and by value the
 * groups that do, in ascending order: reader[first[v]] ... reader[first[v + 1] - 1]. */
typedef struct cg_reads {
    ir_ref **of;
    uint32_t *first, *reader;
} cg_reads;
void cg_find_reads(cg_lowering *l, const ir_graph *f, const cg_fusion *fusion, cg_reads *out);
/* order.c: the order of the groups of a fusion plan, and who reads each value last. */
void cg_order(cg_lowering *l, const ir_graph *f, cg_fusion *fusion);
/* Values of f that are to be in memory before what they are taken from is written over;
 * NULL-free, by value. */
bool *cg_early_reads(cg_lowering *l, const ir_graph *f);
/* By result of node n: the operand that it may be written over, or -1; NULL: there is none. */
const int *cg_overwrites(cg_lowering *l, const ir_graph *f, const ir_node *n);
/* The operand that result k of node n is but for parts, which are written one after the
 * other; or -1.  Of the mapped form, where that is better than to choose all of it for each
 * example. */
int cg_part_operand(const ir_graph *f, const ir_node *n, int k);
/* Operand i of a node with a lowering of its own. */
void cg_access_operand(cg_access *w, const ir_node *n, int i);
/* What group g reads, at index `space` of its space. */
void cg_access_group_at(cg_access *w, const cg_group *g, const cg_ix *space);
void cg_access_group(cg_access *w, ir_arena *a, const ir_graph *f, const cg_fusion *fusion,
                     const cg_group *g);

/* The value whose memory operand i of a product is read from, the operand being a view of it
 * (of a wider type, perhaps): the strides of its axes there, and where it begins (both may be
 * NULL). */
ir_ref cg_dot_operand(const ir_graph *f, const ir_node *n, int i, int64_t *stride,
                      int64_t *offset);

/* How many terms an element of a product has. */
int64_t cg_terms_of(const ir_graph *f, const ir_node *n);

/* epilogue.c: what consumes a product element by element is computed where the product is. */
void cg_fuse_epilogues(cg_lowering *l, const ir_graph *f, cg_fusion *fusion);
/* Is that too much to be computed one by one, for each of `rows` sums of `row` elements? */
bool cg_is_long_tail(const cg_lowering *l, int64_t cost, int64_t rows, int64_t row);

/* The reduction is of the first axes of a large operand, and made row by row. */
bool cg_is_column_reduce(cg_lowering *l, const ir_graph *f, const ir_node *n);
/* May these share a kernel?  And may they join one of rows, whose columns are then taken all at
 * once? */
bool cg_may_share_columns(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v);
bool cg_may_join_rows(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v);

/* What a member of a row group has one element for. */
typedef enum cg_member {
    /* each element of the space */
    CG_MEMBER_ELEMENT,
    /* each row: a reduction of it, or what is made of some */
    CG_MEMBER_ROW,
    CG_MEMBER_COLUMN /* each column: a reduction of it                                     */
} cg_member;
cg_member cg_member_of(cg_lowering *l, const ir_graph *f, const cg_group *g, ir_ref v);
/* The reduction is done row by row: the reduced axes are the last, and long enough for
 * lanes. */
bool cg_is_row_reduce(const ir_graph *f, const ir_node *n);

/* products.c: a product of the inner form (docs/numerics.md section 4), each element a sum by
 * itself. */
bool cg_is_inner_product(const ir_graph *f, const ir_node *n);
/* The same of a product with so many free axes on each side. */
bool cg_has_inner_form(const ir_graph *f, const ir_node *n, int lhs_free, int rhs_free);

/* interleave.c: the interleave that v is, or hides behind a barrier: values of one element
 * each, side by side along a last axis, as parts of complex numbers are; behind a barrier
 * along a first one as well.  Or NULL. */
const ir_node *cg_interleave_of(const ir_graph *f, ir_ref v);

#endif
