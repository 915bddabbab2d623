/* A pass reads one finished graph and builds another; if it fails, its input is unchanged.  All
 * passes use the builder, so results are typed, checked, folded and shared.  Nodes that a pass
 * adds have derived locations: "in grad", "in vmap". */
#ifndef PASSES_PASS_H
#define PASSES_PASS_H

#include "ir/build.h"

/* A choice of arguments; n == PASS_DEFAULT: the transform's default (see below). */
#define PASS_DEFAULT (-1)
typedef struct pass_wrt { int n; const int *arg; } pass_wrt;

/* The axes of vmap. n == 1 and one: the axis applies to every argument. */
#define PASS_NO_AXIS INT64_MIN
typedef struct pass_dims { int n; const int64_t *at; bool one; } pass_dims;

typedef struct pass_vmap_options {
    pass_dims in, out;
    int64_t size;  /* size of the mapped axis; 0: taken from the arguments */
    bool sized;    /* the size is given, even if it is 0 */
    int64_t chunk; /* examples at a time; 0: all */
    int randomness;
    const char *axis_name;
    const char *over; /* "world": the axis is spread over processes; NULL: it is not */
    const char *who;            /* for messages: the mapped function; NULL: "vmap" */
    ir_loc loc;                 /* for messages: the line that mapped it */
    const char *const *in_name; /* for messages: the paths of its arguments, or NULL */
} pass_vmap_options;

typedef struct pass_options {
    pass_wrt wrt;                       /* default: n = PASS_DEFAULT                   */
    int aux;
    int64_t chunk;
    bool strict;        /* jvp: it is an error if an output has the tangent zero */
    bool remove_views;  /* an option of functionalize */
    bool keep_products; /* an option of checkpoint */
    pass_vmap_options vmap;
    /* Names (names.c), instead of wrt, vmap.in, vmap.out. */
    const char *wrt_names, *in_names, *out_names;
} pass_options;

/* names.c: lists by the names of n arguments or results, which may be NULL. dims: "x: 0, layer:
 * {weight: 0, bias: none}", one axis for each; wrt: "layer, x", all leaves at or below a
 * path. */
typedef struct pass_named {
    cot_context *ctx;
    ir_loc loc;
    const char *op;                     /* for messages */
    int n;
    const char *const *name;
    int n_never; /* names of optional arguments, which no list may contain */
    const char *const *never;
} pass_named;
/* Names as the text of a message: the first few, and how many there are. */
const char *pass_names_text(cot_context *ctx, const char *const *name, int n);
cot_status pass_named_dims(const pass_named *s, const char *text, const int64_t **out);
cot_status pass_named_wrt(const pass_named *s, const char *text, pass_wrt *out);

/* Transforms. wrt NULL or n == PASS_DEFAULT: argument 0 for grad, jacobians, hessian; all
 * floating arguments for jvp, vjp, linearize.  Negative argument numbers count from the end. */
cot_status pass_jvp(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
/* jvp's `strict`: it is an error at loc if a floating output that is not aux has a tangent that
 * is zero for every x. */
cot_status pass_check_strict(const ir_graph *f, const pass_wrt *wrt, int aux, ir_loc loc);
cot_status pass_linearize(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_vjp(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_grad(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_grad_and_value(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
cot_status pass_jacfwd(const ir_graph *f, const pass_wrt *wrt, int aux, int64_t chunk,
                       int randomness, ir_graph **out);
cot_status pass_jacrev(const ir_graph *f, const pass_wrt *wrt, int aux, int64_t chunk,
                       ir_graph **out);
cot_status pass_hessian(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);
/* f has the types of one example.  Arguments of the result have the mapped axis that o->in
 * says. */
cot_status pass_vmap(const ir_graph *f, const pass_vmap_options *o, ir_graph **out);
/* From the types of arguments with the mapped axis, find those of one example, with which a
 * shape-polymorphic function must be traced before it is mapped.  Fills o->size. */
cot_status pass_vmap_example(cot_context *ctx, ir_loc loc, int n_in, const ir_type *const *in,
                             pass_vmap_options *o, const ir_type **example);

/* The name of an argument or an output in messages: "argument 1 (layer.bias)". */
const char *pass_argument_text(const ir_graph *f, int i);
const char *pass_output_text(const ir_graph *f, int j);

/* f with the traced rules of custom functions added to its calls, for dumps (custom_text.c); f
 * itself if there are none. */
cot_status pass_custom_with_rules(const ir_graph *f, ir_graph **out);

/* The two functions of linearize and vjp: the first computes results and residuals, the second
 * is linear and takes the residuals. */
cot_status pass_linearize_halves(const ir_graph *f, const pass_wrt *wrt, int aux,
                                 ir_graph **known, ir_graph **linear);
cot_status pass_vjp_halves(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **fwd,
                           ir_graph **bwd);

/* Clean-up passes, whose result is the same function. */
cot_status pass_simplify(const ir_graph *f, ir_graph **out);
cot_status pass_dce(const ir_graph *f, ir_graph **out);
cot_status pass_dce_last(const ir_graph *f, ir_graph **out); /* keeps all results of calls */
/* Also inlines custom functions, whose rules are then lost. */
cot_status pass_inline_all(const ir_graph *f, ir_graph **out);
/* Inlines every call that later passes do not need. */
cot_status pass_inline(const ir_graph *f, ir_graph **out);
/* The same two, except that calls of large functions that are called several times stay
 * (calls.h). */
cot_status pass_inline_small(const ir_graph *f, ir_graph **out);
cot_status pass_inline_last(const ir_graph *f, ir_graph **out);
/* Replaces ops that have an expansion by calls of it; returns f itself if there are none. */
cot_status pass_expand(const ir_graph *f, ir_graph **out);
/* Turns whiles of known length into scans. */
cot_status pass_while_to_scan(const ir_graph *f, ir_graph **out);
/* Moves loop-invariant values out of loops. */
cot_status pass_hoist(const ir_graph *f, ir_graph **out);
/* Turns complex values into pairs of reals, except inputs and outputs (complex.c);
 * pass_complex_memory includes those: c64[S] becomes the f32[S,2] that it is in memory.
 * Returns f itself if nothing is complex. */
cot_status pass_complex(const ir_graph *f, ir_graph **out);
cot_status pass_complex_memory(const ir_graph *f, ir_graph **out);
/* checkpoint: reverse mode of the result saves the arguments, and products if `products`, and
 * recomputes everything else. functionalize: removes in-place writes, and views if `views`;
 * returns f itself if there are none. */
cot_status pass_checkpoint(const ir_graph *f, bool products, ir_graph **out);
cot_status pass_functionalize(const ir_graph *f, bool views, ir_graph **out);
/* Contracts products and sums to fma (docs/numerics.md section 2): the last pass that can
 * change a bit. */
/* Unrolls short loops over large arrays. */
cot_status pass_unroll(const ir_graph *f, ir_graph **out);
/* Would it change anything? */
bool pass_unrolls(const ir_graph *f);
cot_status pass_contract(const ir_graph *f, ir_graph **out);
/* The same for good: folds behind it may depend on sizes (ir/fold.c). */
cot_status pass_contract_last(const ir_graph *f, ir_graph **out);
/* Turns writes of most of a value, at constant places, into concatenations; does f have any? */
cot_status pass_boxes(const ir_graph *f, ir_graph **out);
bool pass_has_boxes(const ir_graph *f);
/* Equal steps that follow each other become a loop; has f enough nodes for that? */
cot_status pass_reroll(const ir_graph *f, ir_graph **out);
bool pass_rerolls(const ir_graph *f);
/* What a loop stacks for another one is made again there where that takes less memory; is there
 * a loop that reads what another one stacks?  Behind contraction, for kernels. */
cot_status pass_rematerialize(const ir_graph *f, ir_graph **out);
bool pass_rematerializes(const ir_graph *f);
/* Sums over short rows of repeated operands are sums over the axis before, of copies; has f
 * such sums?  Behind contraction, for kernels. */
cot_status pass_layout(const ir_graph *f, ir_graph **out);
bool pass_lays_out(const ir_graph *f);
/* An exponential that a sum absorbs is no subnormal number; does f have exponentials? */
cot_status pass_absorb(const ir_graph *f, ir_graph **out);
bool pass_absorbs(const ir_graph *f);
/* What is the same for all groups of a spread axis is no longer repeated for each; has f such
 * an axis?  Only behind all transforms. */
cot_status pass_group_consts(const ir_graph *f, ir_graph **out);
bool pass_has_groups(const ir_graph *f);
/* How many spread axes nest in f: 1 + the largest spread_axis of its scans. */
int64_t pass_spread_axes(const ir_graph *f);
/* own.c: the prepared f as process `rank` of `size` runs it; f itself if it has no spread axis.
 * It calls C code by these names, with attrs:
 *
 *   processes.note    [bytes]: adds those of an argument to a hash, its other operand
 *   processes.begin   [hash]: compares it, and that of arguments
 *   processes.gather  [owners, groups, bytes of a row]: makes whole what each has rows of
 *   processes.start_move, processes.move
 *                     [groups, groups of the result, bytes of a row, runs, owners, from,
 *                     rows, ...]: the own rows of a value made of runs of rows of another;
 *                     below 0: of zeros.  The rule is PASS_OWN_RUNS
 *   processes.reduce  [owners, groups, by, parted, element type, elements, all]: reduces rows
 *                     of all groups by the op of an ir_combine.  Unless parted is -1 the result
 *                     has so many rows, of which each process gets its own.  all: elements of
 *                     the whole result, the same on all processes, which C code does not read
 *   processes.start_sums, processes.sums
 *                     [owners, n, groups, by, element type, elements, ...]: n such reductions
 *                     of n operands, each with all of its result, in the messages of one
 *   processes.rows    [owners, groups]: the numbers of the own groups, [n, 1]
 *
 * owners is a number of pass_world.owners: the rule of ownership, and which processes share the
 * groups.  Processes are a grid, row by row, where spread axes nest: those of a column share
 * the groups of the outer axis, those of a row of the grid the groups of the inner one.
 *
 * Of two names the first sends, and makes room for the second, which takes the same operands
 * and the room.  pass_own makes a processes.move of one operand, and then both of it. */
typedef enum pass_own_rule { PASS_OWN_LEAVES, PASS_OWN_RUNS } pass_own_rule;
/* Which processes share the groups of an axis. */
typedef enum pass_among {
    PASS_AMONG_ALL,
    PASS_AMONG_COLUMN,
    PASS_AMONG_ROW,
    PASS_AMONGS
} pass_among;
/* How many groups a process owns; the first, where they are consecutive (PASS_OWN_RUNS). */
typedef struct pass_owned {
    int64_t first, groups;
} pass_owned;
typedef struct pass_world {
    int rank, size;
    /* columns of the grid of processes; 0, and what does not divide their number: so many that
     * the busiest process has fewest groups of nests, and the least such number */
    int columns;
    /* a number that names owners; columns: of the grid */
    int64_t (*owners)(pass_own_rule rule, pass_among among, int columns);
    /* what a process owns of so many groups; list, unless NULL, gets their numbers.  Programs
     * that are shipped ask the same when they run (runtime/support/owner.h) */
    pass_owned (*owned)(int64_t owners, int64_t groups, int size, int rank, int64_t *list);
    /* 1 + the rule that is wanted; 0: that by which the sums of the program have fewer parts,
     * by this number of them among all processes, unless rows move */
    int wanted;
    int64_t (*parts)(pass_own_rule rule, int64_t groups, int size);
    /* the communicator begins messages before they are waited for */
    bool starts;
    /* the bytes of the room of a call; not asked for any process (below) */
    int64_t (*room)(const char *name, const int64_t *attrs, int size, int rank);
    uint64_t hash; /* of the program, for processes.begin */
    /* the arguments, and results, of which each process has the own rows of the first axis;
     * NULL: none */
    const bool *spread_in, *spread_out;
    /* the program serves any process that owns as many groups: what else it must know of
     * itself it finds when it runs, and it does not begin by comparing */
    bool any;
} pass_world;
#define PASS_WORLD_BEGIN "processes.begin"
#define PASS_WORLD_GATHER "processes.gather"
#define PASS_WORLD_MOVE   "processes.move"
#define PASS_WORLD_NOTE       "processes.note"
#define PASS_WORLD_REDUCE "processes.reduce"
#define PASS_WORLD_ROWS   "processes.rows"
#define PASS_WORLD_START_MOVE "processes.start_move"
#define PASS_WORLD_START_SUMS "processes.start_sums"
#define PASS_WORLD_SUMS       "processes.sums"
/* The places of the runs and of the table among the attrs of processes.move and reduce_all, and
 * how many sums are in one. */
enum { PASS_MOVE_RUNS = 5, PASS_REDUCE_TABLE = 2, PASS_MAX_REDUCED = 16 };
cot_status pass_own(const ir_graph *f, const pass_world *world, ir_graph **out);
/* own_file.c: the prepared f for a file, whose first argument is a cot_comm.  Bodies are graphs
 * of pass_own with .any; body 0 is f itself, for one process.  table: each number of processes
 * that it serves, followed by the body for each of them.  room answers how many bytes a call of
 * C code needs at most. */
typedef struct pass_file {
    int n;
    ir_graph *const *body;
    int64_t n_table;
    const int64_t *table;
    uint64_t hash; /* of the program */
    const bool *spread; /* the arguments that are spread; NULL: none */
    int64_t (*room)(const void *user, const char *name, const int64_t *attrs);
    const void *user;
} pass_file;
cot_status pass_own_file(const ir_graph *f, const pass_file *file, ir_graph **out);
/* The same function, with products that no later pass contracts with sums. */
cot_status pass_uncontract(const ir_graph *f, ir_graph **out);

/* pipeline.c: the passes by name. */
typedef enum pass_option_bit {
    PASS_WRT = 1, PASS_AUX = 2, PASS_CHUNK = 4, PASS_IN = 8, PASS_OUT = 16, PASS_SIZE = 32,
    PASS_RANDOMNESS = 64, PASS_AXIS = 128, PASS_REMOVE = 256, PASS_STRICT = 512,
    PASS_KEEP = 1024, PASS_OVER = 2048
} pass_option_bit;
typedef enum pass_randomness {
    PASS_RANDOM_ERROR,
    PASS_RANDOM_DIFFERENT,
    PASS_RANDOM_SAME
} pass_randomness;
/* Properties that a graph may have, by its marks (graph.h). */
typedef enum pass_property {
    PASS_UNWRITTEN = 1, /* no node writes to memory */
    PASS_VIEWLESS = 2,  /* no node is a view of memory of another value */
    PASS_SHALLOW = 4,   /* calls nest at most IR_MAX_NEST deep */
    PASS_EXPANDED = 8,  /* no op has an expansion */
    PASS_REAL = 16,     /* no value is complex */
    PASS_KEEPS = 32,    /* in `gives`: keeps every property of the input except SHALLOW */
    PASS_PURE = PASS_UNWRITTEN | PASS_VIEWLESS
} pass_property;
unsigned pass_properties(const ir_graph *f);

/* How large what a pass makes of functions that use each other several times may become. */
typedef enum pass_growth {
    PASS_LINEAR,  /* by what is compiled later: each use of a function that does not stay */
    PASS_INLINED, /* by each call, which is inlined */
    PASS_AS_RUN   /* by each op that runs in calls and conds: they return what it keeps */
} pass_growth;

/* Before a pass, pass_run establishes each property that the row wants, by running the pass
 * that gives it.  Afterwards it checks the properties that the row gives. */
typedef struct pass_row {
    const char *name;
    const char *doc;
    bool transform; /* a transform of the user's (otherwise a clean-up) */
    unsigned takes; /* a set of pass_option_bit: the options it takes */
    cot_status (*run)(const ir_graph *f, const pass_options *o, ir_graph **out);
    pass_growth growth;
    unsigned wants, gives; /* sets of pass_property */
} pass_row;
extern const pass_row pass_rows[];
extern const int pass_row_count;
const pass_row *pass_find(const char *name);
/* The defaults of every option. */
pass_options pass_default_options(void);
/* Resolve the names in o among those of f. */
cot_status pass_resolve_names(const pass_row *row, const ir_graph *f, pass_options *o);
/* Run one pass on a graph that has the properties its row wants; in/out arguments are among the
 * results.  Also runs the verifier, COT_TIME and COT_DUMP if the context asks for them. */
cot_status pass_run(const pass_row *row, const ir_graph *f, const pass_options *o,
                    ir_graph **out);
/* f, or if its calls nest deeper than IR_MAX_NEST, f with them inlined: passes that recurse
 * into calls begin with this.  It is an error if f grows beyond IR_MAX_UNFOLDED. */
cot_status pass_shallow(const ir_graph *f, pass_growth growth, ir_graph **out);
/* COT_DUMP at a stage ("trace", "grad", ...): prints f, or one line if it equals `before` (may
 * be NULL). */
void pass_dump(const char *stage, const ir_graph *before, const ir_graph *f);
/* For who follows values through passes (ir/follow.h): *g is the graph of a stage, made from
 * `from`, or NULL where it is a part; it may be replaced by a copy.  Does nothing otherwise. */
cot_status pass_follow(const char *stage, const ir_graph *from, ir_graph **g);
/* The same for a graph on the way through a pass that works in several steps. */
cot_status pass_follow_part(const char *stage, const ir_graph *from, ir_graph **g);
/* Apply the pipeline `grad(wrt=[0]) | vmap(in=[none,0,0], out=0)`, read left to right, to f.
 * after, if not NULL, is called with each result. */
typedef void pass_after(void *user, const char *name, const ir_graph *before,
                        const ir_graph *result);
cot_status pass_pipeline(const ir_graph *f, const char *text, pass_after *after, void *user,
                         ir_graph **out);
/* Parse one pipeline into rows and options, so that vmap's sizes can be inferred by the
 * caller. */
typedef struct pass_step { const pass_row *row; pass_options options; } pass_step;
cot_status pass_parse(cot_context *ctx, ir_loc loc, const char *text, int *n,
                      const pass_step **steps);
/* The passes before kernels are made: expand, inline, simplify, dce, contract. */
cot_status pass_prepare(const ir_graph *f, ir_graph **out);
/* What only kernels take of a prepared f: the evaluator does without, so that it judges these
 * passes.  loops: those that ask for sizes, and suit a processor, may run, too.  f itself if
 * there is nothing to do. */
cot_status pass_prepare_kernels(const ir_graph *f, bool loops, ir_graph **out);

#endif
