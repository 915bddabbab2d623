/* Graphs: flat SSA in order of definition.
 *
 * Values and nodes have separate numbers; 0 is "none" in both.  A node's results are
 * consecutive values.  Inputs are values without a node.  Sub-functions are closed graphs held
 * by their op:
 * what they capture are appended operands.  A finished graph never changes. */
#ifndef IR_GRAPH_H
#define IR_GRAPH_H

#include "cotrace/tensor.h"
#include "ir/context.h"
#include "ir/op.h"

typedef uint32_t ir_ref;                /* a value */
#define IR_NONE 0u

typedef struct ir_node {
    uint16_t op;
    int n_in, n_out;
    ir_ref first;                       /* its results are first ... first + n_out - 1 */
    const ir_ref *in;
    ir_loc loc;
    const ir_attrs *at; /* the record of its op; ir_node_attrs copies it */
} ir_node;

typedef struct ir_value {
    const ir_type *type;
    uint32_t node;                      /* the defining node; 0 for an input */
} ir_value;

/* What a hidden input is bound to: memory or the context's generator, read anew at each call.
 * Such inputs come after all others, no wrt names them, and no vmap maps them unless it says
 * so. */
typedef enum ir_hidden_kind { IR_SEEN = 0, IR_HIDDEN_ARRAY, IR_HIDDEN_KEY } ir_hidden_kind;
typedef struct ir_hidden {
    ir_hidden_kind kind;
    /* NULL in parsed text: then it is an argument like others */
    const cot_array *array;
} ir_hidden;

/* An in/out argument: its new value is a result, and the caller writes it back. */
typedef struct ir_inout {
    int arg;
    ir_loc loc;                         /* of the write */
} ir_inout;

struct cot_graph {
    cot_context *ctx;
    /* owns everything below; shared with its sub-functions' builder */
    ir_arena *arena;
    const char *name;
    uint32_t n_nodes, n_values;         /* entries 1 ... n-1 are used: entry 0 is "none" */
    const ir_node *node;
    const ir_value *value;
    int n_in, n_out;
    const ir_ref *in, *out;
    const char *const *in_name;         /* names of inputs, for printing; entries may be NULL */
    const ir_hidden *hidden;            /* of inputs: what they are bound to */
    const ir_loc *in_loc; /* of inputs, while values are followed (follow.h); else NULL */
    /* of outputs, likewise; NULL as a whole if there are none */
    const char *const *out_name;
    /* the last results, in ascending order of their arguments */
    int n_inout;
    const ir_inout *inout;
    bool mutates, views;                /* it, or a sub-function, has writes; has views */
    int nest;                           /* levels of sub-functions below it (IR_MAX_NEST) */
    int chain;                          /* the same, where a call counts as a level, too */
    uint64_t unfolded;                  /* nodes, those of sub-functions once for each use */
    uint64_t runs;                      /* the same, but of a cond one branch, the largest */
    uint64_t hash;                      /* of structure and types, not of names and locations */
    /* results of passes on this graph, so that they are found again (passes/memo.h) */
    struct pass_made *made;
    const struct cot_graph *original; /* of a copy that is followed (follow.h); else NULL */
    bool expands;                       /* a node has an expansion, here or in a sub-function */
    bool complex;                       /* a value is complex, here or in a sub-function */
    /* a node is a collective, likewise, but in no custom function */
    bool collective;
    bool effectful;                     /* a node has an effect, here or in a sub-function */
    bool loops;                         /* a node is a while or a scan, likewise */
    /* a node is a while, likewise, but in no custom function */
    bool whiles;
    /* contract=off, here or in a sub-function: sums stay unfused */
    bool uncontracted;
    bool contracted; /* no later pass contracts: ir/fold.c folds more */
    bool guarded;                       /* select=guarded, the same way: see passes/lanes.c */
    const struct ir_sized *sized; /* parsed from a text with sizes (sized.h); else NULL */
};
typedef struct cot_graph ir_graph;

/* How deep sub-functions may nest.  Passes, lowering and both emitters recurse once for each
 * level and take up to 2 KB of stack for it, so that half of a stack of 256 KB is enough.  A
 * call does not count as a level: calls are inlined, without recursion, before any pass that
 * recurses.  Calls of functions that are kept (passes/calls.c) nest only a few levels deep. */
enum { IR_MAX_NEST = 64 };

/* How many nodes a graph may have when each use of a sub-function is counted, beyond 16 for
 * each node that is written.  Each use of a function that does not stay (passes/calls.c)
 * becomes code of its own.  In reverse mode the limit is on the nodes that run, since calls and
 * conds return what each of these keeps.  Functions that use each other twice may so have 2^n
 * times what is written in n lines. */
enum { IR_MAX_UNFOLDED = 1 << 18 };

#define ir_each_node(n, f) \
    for (const ir_node *n = (f)->node + 1; n < (f)->node + (f)->n_nodes; n++)

static inline const ir_type *
ir_type_at(const ir_graph *f, ir_ref v)
{
    return f->value[v].type;
}
static inline const ir_node *
ir_def(const ir_graph *f, ir_ref v)     /* NULL for an input */
{
    return f->value[v].node ? &f->node[f->value[v].node] : NULL;
}
/* Where value v comes from; an input has a location only while values are followed. */
static inline ir_loc
ir_value_loc(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);

    return n ? n->loc : f->in_loc && v <= (ir_ref)f->n_in ? f->in_loc[v - 1] : 0;
}
static inline ir_attrs
ir_node_attrs(const ir_node *n)
{
    return ir_attrs_of(ir_ops[n->op].record, n->at);
}
static inline bool
ir_is_floating(const ir_graph *f, ir_ref v)
{
    return ir_is_inexact(f->value[v].type->dtype);
} /* has derivatives */

/* A scan whose steps are the groups of an axis that is spread over processes. */
static inline bool
ir_is_spread(const ir_node *n)
{
    return ir_ops[n->op].record == IR_AT_scan && n->at->scan.spread;
}
/* A node that is a loop, a while or a scan: its body, which takes consts, carries and, in a
 * scan, slices; a while has a predicate.  body is NULL if the node is no loop. */
typedef struct ir_loop {
    ir_graph *body, *cond;
    int consts, carries;
} ir_loop;
ir_loop ir_loop_of(const ir_node *n);
/* Result j of a custom_call or its tangent: is it floating, and not marked? */
bool ir_custom_differs(const ir_node *n, int j);
/* How many results of a call do: the number of results of its tangent. */
int ir_custom_tangents(const ir_attrs *at);
/* The axes that a reduction folds. */
static inline ir_axes
ir_reduced_axes(const ir_node *n)
{
    return ir_is_arg_reduce(n->op) ? ir_axes_of((int)n->at->arg.axis) : n->at->axes.axes;
}

/* The sub-functions of a node, in the order of its fields; returns their number.  A branch that
 * equals the first one, or the one before, is left out: a walk over a nest of such branches
 * would otherwise double at each level. */
int ir_subgraphs(const ir_node *n, ir_graph *const **out, ir_arena *scratch);
/* The index of the branch, the first one or the one before, that branch k equals; -1:
 * neither. */
int ir_same_branch(const ir_graphs *s, int k);
/* f and all graphs below it, each once, in the scratch arena; returns their number.  custom:
 * with those of custom functions. */
uint32_t ir_all_graphs(const ir_graph *f, bool custom, const ir_graph *const **out,
                       ir_arena *scratch);
/* Note what a new graph holds, itself or in a sub-function: its flags, and what it unfolds to,
 * runs and nests. */
void ir_mark_kinds(ir_graph *f);
/* The levels of sub-functions below a node; `calls`: calls count as levels, too. */
int ir_nest(const ir_node *n, bool calls, ir_arena *scratch);
/* Does the node have a side effect: by its op, by its attribute `effects`, or in a
 * sub-function?  Such nodes are neither dropped nor shared, and keep their order, which is the
 * order of nodes. */
bool ir_effectful(const ir_node *n);
/* Same structure, types and attributes (names and locations apart). */
bool ir_graph_equal(const ir_graph *a, const ir_graph *b);
/* How many nodes and outputs use each value: an array of n_values in the arena. */
uint32_t *ir_count_uses(const ir_graph *f, ir_arena *a);

/* Is input i supplied by the runtime?  The number of the others. */
static inline bool
ir_is_bound(const ir_graph *f, int i)
{
    return f->hidden[i].kind == IR_HIDDEN_KEY || f->hidden[i].array;
}
/* How many inputs are arguments: not captured arrays, not the generator. */
static inline int
ir_count_seen(const ir_graph *f)
{
    int n = 0;

    for (int i = 0; i < f->n_in; i++)
        n += f->hidden[i].kind == IR_SEEN;
    return n;
}
static inline int
ir_count_open(const ir_graph *f)
{
    int n = 0;

    for (int i = 0; i < f->n_in; i++)
        n += !ir_is_bound(f, i);
    return n;
}

/* print.c, parse.c.  A file holds one or more functions; a sub-function is printed before its
 * user and referred to as @name. */
/* The versions of the text, with which files begin: without sizes, and with them (sized.h). */
enum { IR_FORMAT = 1, IR_FORMAT_SIZED = 2 };
typedef enum ir_print_flag { IR_PRINT_LOCS = 1, IR_PRINT_FORMAT = 2 } ir_print_flag;
void ir_print(ir_buf *b, const ir_graph *f, int flags);
/* The attributes of n, as they print: " {axes=[0]}", or nothing. */
void ir_print_attrs(ir_buf *b, const ir_node *n);
typedef struct ir_module { int n; ir_graph **fn; } ir_module;
/* name is for messages.  Functions belong to the context. */
cot_status ir_parse(cot_context *ctx, const char *name, const char *text, size_t bytes,
                    ir_module *out);

/* verify.c: every invariant of a graph. */
cot_status ir_verify(cot_context *ctx, const ir_graph *f, const char *after);

/* eval/: the reference evaluator. in and out are dense arrays of the types of f's inputs and
 * outputs; bool is one byte.  Fails with COT_ERR_BOUND where a while passes its `max`. */
cot_status ir_eval(const ir_graph *f, void *const *out, const void *const *in);
/* The same, and `node` is called after each node that ran, with its operands and results: in f,
 * at depth 0, and in the sub-functions of its nodes, as often as they run, which are done when
 * their node is.  Results may be changed; a status other than COT_OK ends the evaluation. */
typedef struct ir_watch {
    cot_status (*node)(void *user, const ir_graph *f, const ir_node *n, int depth,
                       const void *const *in, void *const *out);
    void *user;
} ir_watch;
cot_status ir_eval_watched(const ir_graph *f, void *const *out, const void *const *in,
                           const ir_watch *watch);

#endif
