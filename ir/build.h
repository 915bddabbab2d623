/* The one way to make a node: infer its type, check it, fold it, share it.
 *
 * A builder makes one graph.  The first error sticks (it is recorded in the context with the
 * node's location); every later call answers IR_NONE quietly, and ir_build_end answers the
 * status.  An operand IR_NONE is such a quiet failure too, so rules need no checks. */
#ifndef IR_BUILD_H
#define IR_BUILD_H

#include "ir/diag.h"
#include "ir/graph.h"
#include "ir/lent.h"

typedef struct ir_build {
    cot_context *ctx;
    ir_arena *arena;                    /* becomes the graph's */
    ir_arena *work;                     /* what the graph does not need, until it ends */
    const char *name;
    ir_loc loc;                         /* given to new nodes */
    cot_status status;
    ir_node *node;
    uint32_t n_nodes, cap_nodes;
    ir_value *value;
    uint32_t n_values, cap_values;
    ir_ref *in;
    uint32_t n_in, cap_in;
    const char **in_name;
    uint32_t n_in_name, cap_in_name;
    uint32_t *in_again; /* by input: the number that its name was given last */
    uint32_t n_in_again, cap_in_again;
    ir_map named;                       /* inputs by name */
    ir_hidden *hidden;
    uint32_t n_hidden, cap_hidden;
    ir_ref *out;
    uint32_t n_out, cap_out;
    const char **out_name;
    uint32_t n_out_name, cap_out_name;
    ir_inout *inout;                    /* of the last outputs */
    uint32_t n_inout, cap_inout;
    ir_map shared;                      /* structure of pure nodes, for sharing */
    /* inherited from what the inputs or the nodes are copied of */
    bool uncontracted;
    bool guarded;                       /* so is this, where there is a select */
    bool contracted; /* so is this: contract has run for the last time */
    bool follows; /* values are followed: by value, of inputs: the location (follow.h) */
    ir_loc *value_loc;
    uint32_t n_value_loc, cap_value_loc;
    bool kept; /* its nodes are asked for after its end: those of a trace, by its handles */
    /* both on, unless COT_OFF has cse; folding of constants is never off */
    bool cse, fold;
} ir_build;

/* Does no later pass contract, so that folds may depend on sizes (fold.c)? */
static inline bool
ir_is_contracted(const ir_build *b)
{
    return b->contracted || b->uncontracted;
}

ir_build *ir_build_new(cot_context *ctx, const char *name);
/* The same, with room for about as many nodes as f has. */
ir_build *ir_build_like(const ir_graph *f, const char *name);
/* The end of a builder that failed, and of what it holds; one of a graph: and of the graph. */
void ir_build_drop(ir_build *b);
/* name may be NULL (then %0-style); two inputs never share a name: a number is appended. */
ir_ref ir_input(ir_build *b, const ir_type *type, const char *name);
/* One that the runtime supplies (ir/graph.h). */
ir_ref ir_input_hidden(ir_build *b, const ir_type *type, const char *name, ir_hidden hidden);
/* With an empty prefix it stays hidden if it was. */
ir_ref ir_input_like(ir_build *b, const ir_graph *f, ir_ref v, const char *prefix);
void ir_output(ir_build *b, ir_ref v);
void ir_output_named(ir_build *b, ir_ref v, const char *name);
/* The outputs from here on are the new values of in/out arguments: one call for each,
 * ascending. */
void ir_inout_arg(ir_build *b, int arg, ir_loc loc);
/* Is v a clone, or a view of one?  Nodes that read it are neither folded nor shared. */
bool ir_is_mutable(const ir_build *b, ir_ref v);
/* The node that defines v, if its op is `op` and it reads no clone, which may have been written
 * since: only then its operands may stand for what it read.  NULL otherwise. */
const ir_node *ir_made_by(const ir_build *b, ir_ref v, ir_op op);
cot_status ir_build_end(ir_build *b, ir_graph **out);
/* Give back the memory of a graph to which nothing refers: no function, and no memo of another
 * graph.  A graph with sub-functions stays. */
void ir_graph_drop(ir_graph *f);
cot_status ir_build_fail(ir_build *b, const char *op, ir_error error, ...);

/* A node of any op; its results go to out[0 ... n_out-1].  Attributes are copied.  Number of
 * results. */
int ir_add_node(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at,
                ir_ref *out);
/* Room that ir_add_node needs in out. */
int ir_max_results(ir_op op, const ir_attrs *at);
/* The same for ops with one result. */
ir_ref ir_node1(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at);
/* Copy node n with the given operands; results to out. */
int ir_copy_node(ir_build *b, const ir_node *n, const ir_ref *in, ir_ref *out);
/* Copy node n of f, with its location: at[v] is what stands for value v of f, operands and
 * results. */
void ir_copy_mapped(ir_build *b, const ir_node *n, ir_ref *at);
/* Where value v comes from; of an input 0, unless values are followed. */
ir_loc ir_build_loc(const ir_build *b, ir_ref v);
/* The location of a node of a graph that is inlined at `around`: loc, or both while values are
 * followed and loc leads to no mark, as in what a rule has traced. */
ir_loc ir_loc_inside(const ir_build *b, ir_loc loc, ir_loc around);
/* Copy the body of f in place: its inputs are `in`, the values of its outputs go to out. */
void ir_inline_graph(ir_build *b, const ir_graph *f, const ir_ref *in, ir_ref *out);

static inline const ir_type *ir_btype(const ir_build *b, ir_ref v) { return b->value[v].type; }
static inline const ir_node *
ir_bdef(const ir_build *b, ir_ref v)
{
    return b->value[v].node ? &b->node[b->value[v].node] : NULL;
}

/* op(x), op(x, y), op(x, y, z) for ops without attributes. */
ir_ref ir_op1(ir_build *b, ir_op op, ir_ref x);
ir_ref ir_op2(ir_build *b, ir_op op, ir_ref x, ir_ref y);
ir_ref ir_op3(ir_build *b, ir_op op, ir_ref x, ir_ref y, ir_ref z);
static inline ir_ref ir_add(ir_build *b, ir_ref x, ir_ref y) { return ir_op2(b, OP_add, x, y); }
static inline ir_ref ir_sub(ir_build *b, ir_ref x, ir_ref y) { return ir_op2(b, OP_sub, x, y); }
static inline ir_ref ir_mul(ir_build *b, ir_ref x, ir_ref y) { return ir_op2(b, OP_mul, x, y); }
static inline ir_ref ir_div(ir_build *b, ir_ref x, ir_ref y) { return ir_op2(b, OP_div, x, y); }
static inline ir_ref ir_neg(ir_build *b, ir_ref x) { return ir_op1(b, OP_neg, x); }
static inline ir_ref
ir_select(ir_build *b, ir_ref p, ir_ref x, ir_ref y)
{
    return ir_op3(b, OP_select, p, x, y);
}

/* Constants: every element x (exactly converted), of the type; elements from memory
 * (copied). */
ir_ref ir_splat(ir_build *b, const ir_type *type, double x);
ir_ref ir_splat_int(ir_build *b, const ir_type *type, int64_t x);
ir_ref ir_constant(ir_build *b, const ir_type *type, const void *elements);
static inline ir_ref ir_zeros(ir_build *b, const ir_type *type) { return ir_splat(b, type, 0); }
static inline ir_ref
ir_like(ir_build *b, ir_ref x, double c)
{
    return x ? ir_splat(b, ir_btype(b, x), c) : IR_NONE;
}
/* Is v a constant with all elements equal?  Its value as double in *x. */
bool ir_is_splat(const ir_build *b, ir_ref v, double *x);
bool ir_data_number(const ir_data *d, double *x);   /* the same of a constant's data */
/* Is v a product for contract: a mul of floats, or what shows one? */
bool ir_is_product(const ir_build *b, ir_ref v);

ir_ref ir_broadcast_in_dim(ir_build *b, ir_ref x, int rank, const int64_t *shape,
                           const int64_t *dims);
/* x (a scalar) to every element of the type's shape. */
ir_ref ir_broadcast_scalar(ir_build *b, ir_ref x, const ir_type *type);
/* A new axis of size n at position k, along which x repeats. */
ir_ref ir_broadcast_axis(ir_build *b, ir_ref x, int k, int64_t n);
ir_ref ir_reshape(ir_build *b, ir_ref x, int rank, const int64_t *shape);
ir_ref ir_transpose(ir_build *b, ir_ref x, const int64_t *perm);
ir_ref ir_move_axis(ir_build *b, ir_ref x, int from, int to);
ir_ref ir_slice(ir_build *b, ir_ref x, const int64_t *start, const int64_t *limit,
                const int64_t *stride);
/* Elements [start, limit) of one axis. */
ir_ref ir_slice_axis(ir_build *b, ir_ref x, int axis, int64_t start, int64_t limit);
ir_ref ir_pad(ir_build *b, ir_ref x, ir_ref value, const int64_t *low, const int64_t *high,
              const int64_t *interior);
ir_ref ir_concatenate(ir_build *b, int n, const ir_ref *x, int axis);
ir_ref ir_reverse(ir_build *b, ir_ref x, ir_axes axes);
/* x, but if it is a product, contract does not see it: for what is one op, a body or nothing as
 * sizes have it.  Nothing of it is left behind contraction. */
ir_ref ir_rounded(ir_build *b, ir_ref x);
ir_ref ir_windows(ir_build *b, ir_ref x, int axis, int64_t size, int64_t stride,
                  int64_t dilation);
ir_ref ir_iota(ir_build *b, cot_dtype t, int rank, const int64_t *shape, int axis);
ir_ref ir_reduce(ir_build *b, ir_op op, ir_ref x, ir_axes axes);
/* A maximum or minimum whose derivative is that of the first of equal elements. */
ir_ref ir_reduce_first(ir_build *b, ir_op op, ir_ref x, ir_axes axes);
/* x itself if it is of type t */
ir_ref ir_convert(ir_build *b, ir_ref x, cot_dtype t);
ir_ref ir_integer_pow(ir_build *b, ir_ref x, int64_t y);
ir_ref ir_dot(ir_build *b, ir_ref x, ir_ref y, ir_ints lhs, ir_ints rhs, ir_ints lhs_batch,
              ir_ints rhs_batch);
/* The product of matrices in the last two axes, of one batch. */
ir_ref ir_matmul(ir_build *b, ir_ref x, ir_ref y);
/* One stride and dilation for each spatial axis; see OP_conv_general. */
ir_ref ir_conv(ir_build *b, ir_ref x, ir_ref y, ir_ints strides, ir_ints dilation);
/* Random bits at the counters n (u64) of a key (u64[2]), 64 of the 128 that each has; the keys
 * that follow from it, one for each number in n: u64[..., 2]. */
ir_ref ir_philox(ir_build *b, ir_ref key, ir_ref n, int word);
ir_ref ir_fold_in(ir_build *b, ir_ref key, ir_ref n);
/* A list of int64 in the builder's arena: ir_list(b, 2, (int64_t[]){0, 1}). */
ir_ints ir_list(ir_build *b, int n, const int64_t *at);

/* infer/: result types from operand types; called by the builder only.  Fills out[0 ...]; the
 * number of results, or -1 with the error recorded at b->loc. */
int ir_infer(ir_build *b, ir_op op, int n_in, const ir_type *const *in, const ir_attrs *at,
             const ir_type **out, int cap);
/* Is a node with this result to be folded, if it can be?  StableHLO wants numbers known, from
 * which shapes are computed, where nothing else is folded. */
bool ir_folds(const ir_build *b, int n_in, const ir_ref *in, const ir_type *result);
/* fold.c: a value equal to op(in), bit for bit, without the node; IR_NONE if there is none. */
ir_ref ir_fold(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at,
               const ir_type *type);

#endif
