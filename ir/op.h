/* The op table as data: enum, names, flags, attribute records and their schema. */
#ifndef IR_OP_H
#define IR_OP_H

#include "ir/axes.h"
#include "ir/buf.h"
#include "ir/type.h"

struct ir_graph_s;

typedef enum ir_op {
    OP_none = 0,
#define OP(name, ...) OP_##name,
#include "ir/ops.def"
#undef OP
    OP_COUNT
} ir_op;
#define OP_FIRST 1

typedef enum ir_op_flag {
    IR_POINTWISE = 1,
    IR_MOVE,
    IR_REDUCE,
    IR_CONTRACT,
    IR_LINE,
    IR_INDEX,
    IR_COLLECTIVE,
    IR_FLOW,
    /* runs once where it stands: never shared, dropped or moved */
    IR_EFFECT,
    IR_EXPAND                           /* defined by a graph of smaller ops (expand.h) */
} ir_op_flag;

typedef enum ir_record {
    IR_AT_none,
#define RECORD(name) IR_AT_##name,
#define FIELD(...)
#define END(name)
#include "ir/attrs.def"
#undef RECORD
#undef FIELD
#undef END
    IR_AT_COUNT
} ir_record;

typedef enum ir_field_kind {
    IR_F_INT,
    IR_F_INTS,
    IR_F_AXES,
    IR_F_DTYPE,
    IR_F_FLAG,
    IR_F_MODE,
    IR_F_DATA,
    IR_F_GRAPH,
    IR_F_GRAPHS,
    IR_F_TEXT
} ir_field_kind;

/* Out-of-bounds modes of gather and scatter. */
typedef enum ir_mode { IR_MODE_CLIP = 0, IR_MODE_FILL, IR_MODE_PROMISE, IR_MODE_COUNT } ir_mode;
extern const char *const ir_mode_name[IR_MODE_COUNT];

/* What reverse mode saves of a call: what the cost model chooses; only the operands; the
 * operands and the products, which cost most to compute again. */
typedef enum ir_remat {
    IR_REMAT_NONE = 0,
    IR_REMAT_ALL,
    IR_REMAT_BUT_PRODUCTS,
    IR_REMAT_COUNT
} ir_remat;

typedef struct ir_ints { int n; const int64_t *at; } ir_ints;
typedef struct ir_graphs { int n; struct cot_graph *const *at; } ir_graphs;

/* A constant: its type, and its bytes: one element repeated if splat, else a list of all in
 * row-major order.  A list stays one whatever its elements and their number are, up to
 * contraction: what is folded before must not depend on sizes (ir/fold.c). */
typedef struct ir_data {
    const ir_type *type;
    const void *bytes;
    size_t n;
    bool splat;
    uint64_t hash;
} ir_data;

/* A node's attributes: the op's record says which member holds them.  The members are the
 * records of attrs.def; records with an axis by name have it first, and so do those with
 * consts. */
typedef struct ir_attrs {
    union {
#define IR_OF_INT                       int64_t
#define IR_OF_INTS                      ir_ints
#define IR_OF_AXES                      ir_axes
#define IR_OF_DTYPE                     cot_dtype
#define IR_OF_FLAG                      int
#define IR_OF_MODE                      int
#define IR_OF_DATA                      ir_data
#define IR_OF_GRAPH                     struct cot_graph *
#define IR_OF_GRAPHS                    ir_graphs
#define IR_OF_TEXT                      const char *
#define RECORD(name)                    struct {
#define FIELD(record, kind, name, init) IR_OF_##kind name;
#define END(name)                                                                              \
    }                                                                                          \
    name;
#include "ir/attrs.def"
#undef RECORD
#undef FIELD
#undef END
#undef IR_OF_INT
#undef IR_OF_INTS
#undef IR_OF_AXES
#undef IR_OF_DTYPE
#undef IR_OF_FLAG
#undef IR_OF_MODE
#undef IR_OF_DATA
#undef IR_OF_GRAPH
#undef IR_OF_GRAPHS
#undef IR_OF_TEXT
    };
} ir_attrs;

#define IR_REQUIRED INT64_MIN           /* no default: always printed */

typedef struct ir_field {
    const char *name;
    ir_field_kind kind;
    size_t offset;                      /* in ir_attrs */
    int64_t init;                       /* the default, or IR_REQUIRED */
} ir_field;

/* How two numbers become one: of reductions, cumulative ops, scatters and collectives. */
typedef enum ir_combine {
    IR_BY_NONE,
    IR_BY_SUM,
    IR_BY_PROD,
    IR_BY_MAX,
    IR_BY_MIN,
    IR_BY_AND,
    IR_BY_OR
} ir_combine;

/* The cost of computing a result again: none, as for an index map or a constant; an instruction
 * or two; or more. */
typedef enum ir_cost { IR_EXPENSIVE, IR_CHEAP, IR_FREE } ir_cost;

/* In which operands an op that has a transpose is linear; the others must be known. */
typedef enum ir_linear {
    IR_LINEAR_JOINTLY, /* in all floating operands at once */
    IR_LINEAR_FIRST,
    IR_LINEAR_SECOND,
    IR_LINEAR_EITHER, /* in one of two, or in the other */
    IR_LINEAR_FMA /* either of the first two, jointly with the third */
} ir_linear;

/* The kernels that ops have of their own; none: the op is computed inside another kernel. */
typedef enum ir_kernel {
    IR_KERNEL_none,
    IR_KERNEL_dot,
    IR_KERNEL_argsort,
    IR_KERNEL_fft,
    IR_KERNEL_cumulate,
    IR_KERNEL_update,
    IR_KERNEL_call,
    IR_KERNEL_cond,
    IR_KERNEL_while,
    IR_KERNEL_scan,
    IR_KERNEL_foreign
} ir_kernel;

#define IR_OF_BODY (-1)

/* A row of ops.def, where the facts are described. */
typedef struct ir_op_info {
    const char *name;
    int n_in;                           /* -1: any number */
    ir_record record;
    ir_op_flag flag;
    int results; /* 0: one; or IR_OF_BODY */
    ir_cost cost;
    ir_combine by;
    ir_kernel kernel;
    ir_linear linear;
    ir_op alias; /* the op without `view_`, or OP_none */
    bool view, through, writes, updates, loop, quiet, stored;
    int16_t normal[2]; /* in f32, in f64; 0: not known */
    const char *doc;
} ir_op_info;

extern const ir_op_info ir_ops[OP_COUNT];
/* Does the op show memory of its operand, or make or write such memory?  Functionalize removes
 * all three. */
static inline bool
ir_is_alias(unsigned op)
{
    return ir_ops[op].alias != OP_none;
}
static inline bool
ir_is_mutation(unsigned op)
{
    return ir_ops[op].writes;
}
/* Is the result the operand under a map of indices: no arithmetic, and nothing from
 * elsewhere? */
static inline bool
ir_is_view(unsigned op)
{
    return ir_ops[op].view;
}
/* Is a product still one behind the op (docs/numerics.md section 2)? */
static inline bool
ir_shows_product(unsigned op)
{
    return ir_ops[op].through;
}
/* Is the result operand 0 but for the elements that the other operands give? */
static inline bool
ir_is_update(unsigned op)
{
    return ir_ops[op].updates;
}
/* A reduction to the place of an extreme, and one that combines the elements. */
static inline bool
ir_is_arg_reduce(unsigned op)
{
    return ir_ops[op].flag == IR_REDUCE && ir_ops[op].record == IR_AT_arg;
}
static inline bool
ir_is_fold(unsigned op)
{
    return ir_ops[op].flag == IR_REDUCE && ir_ops[op].record == IR_AT_axes;
}
/* Does the node run sub-functions that are part of the program?  Those of a custom function
 * are its own. */
static inline bool
ir_runs_bodies(unsigned op)
{
    return ir_ops[op].flag == IR_FLOW && ir_ops[op].record != IR_AT_custom;
}
/* Does the result depend on the order in which elements are combined? */
static inline bool
ir_is_ordered(unsigned op)
{
    return ir_ops[op].by == IR_BY_SUM || ir_ops[op].by == IR_BY_PROD;
}
/* The op of the same family as `like` that combines as `by` says; OP_none if there is none. */
ir_op ir_op_by(ir_op like, ir_combine by);
ir_op ir_op_find(const char *name);                     /* OP_none if there is none */
/* The fields of a record; their number in *n. */
const ir_field *ir_record_fields(ir_record r, int *n);
/* The sub-function whose results are those of the node: the last GRAPH, or the first of the
 * GRAPHS; NULL if there is none. */
const struct cot_graph *ir_attrs_body(ir_record r, const ir_attrs *at);
/* The number of leading operands that all sub-functions take and that do not change from step
 * to step (consts); NULL if the record has no such field. */
int64_t *ir_attrs_consts(ir_record r, ir_attrs *at);

bool ir_attrs_equal(ir_record r, const ir_attrs *a, const ir_attrs *b);
/* Compares likewise, but sub-functions that have to be equal are added to `graphs` instead of
 * being compared (graph.c). */
typedef struct ir_pairs ir_pairs;
void ir_pairs_add(ir_pairs *p, const struct cot_graph *a, const struct cot_graph *b);
bool ir_attrs_equal_but(ir_record r, const ir_attrs *a, const ir_attrs *b, ir_pairs *graphs);
uint64_t ir_attrs_hash(ir_record r, const ir_attrs *a);
/* A copy whose lists and bytes live in the arena; sub-functions are shared (they are
 * immutable). */
ir_attrs ir_attrs_copy(ir_arena *arena, ir_record r, const ir_attrs *a);
/* Such a copy in the arena, which takes the bytes of its record only: no other member of it may
 * be read, and ir_attrs_of copies it.  Ops without attributes share one, of zeros. */
const ir_attrs *ir_attrs_keep(ir_arena *arena, ir_record r, const ir_attrs *a);
ir_attrs ir_attrs_of(ir_record r, const ir_attrs *a);
/* bytes holds all the elements: a list of them, or the one of a scalar, which is a splat. */
ir_data ir_data_new(ir_arena *arena, const ir_type *type, const void *bytes);
/* The same, where the element of a scalar is a list of one: such that fewer or more elements
 * than FOLD_SMALL make (ir/fold.c). */
ir_data ir_data_list(ir_arena *arena, const ir_type *type, const void *bytes);
/* The attributes of a constant, in which a list of equal elements is a splat. */
const ir_attrs *ir_constant_attrs(ir_arena *arena, const ir_attrs *at);
ir_data ir_data_splat(ir_arena *arena, const ir_type *type, const void *element);

ir_ints ir_ints_copy(ir_arena *a, int n, const int64_t *at);
static inline bool
ir_ints_equal(ir_ints a, ir_ints b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, sizeof(int64_t) * (size_t)a.n) == 0);
}
static inline bool
ir_ints_has(ir_ints s, int64_t x)
{
    for (int i = 0; i < s.n; i++)
        if (s.at[i] == x)
            return true;
    return false;
}

#endif
