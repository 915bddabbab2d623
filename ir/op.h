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
#define RECORD(name) IR_AT_##name,
#define FIELD(...)
#include "ir/attrs.def"
#undef RECORD
#undef FIELD
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

/* What reverse mode keeps of a call: what it wants; only the operands; those and products,
 * which cost most. */
typedef enum ir_remat {
    IR_REMAT_NONE = 0,
    IR_REMAT_ALL,
    IR_REMAT_BUT_PRODUCTS,
    IR_REMAT_COUNT
} ir_remat;

typedef struct ir_ints { int n; const int64_t *at; } ir_ints;
typedef struct ir_graphs { int n; struct cot_graph *const *at; } ir_graphs;

/* A constant: its type, and its bytes: one element repeated if splat, else all in row-major
 * order. */
typedef struct ir_data {
    const ir_type *type;
    const void *bytes;
    size_t n;
    bool splat;
    uint64_t hash;
} ir_data;

/* A node's attributes: the op's record says which member holds them. */
typedef struct ir_attrs {
    union {
        struct { char none_; } none;
        struct { ir_axes axes; int first; } axes;
        struct { int64_t axis; } axis;
        struct { int64_t axis; cot_dtype dtype; } arg;
        struct { int64_t axis, k; cot_dtype dtype; } top;
        struct { int64_t axis; int reverse; } cumulate;
        struct { int inverse; } fft;
        struct { int64_t y; } ipow;
        struct { int64_t word; } word;
        struct { int64_t exponent_bits, mantissa_bits; } precision;
        struct { cot_dtype dtype; } dtype;
        struct { ir_ints shape, dims; } broadcast;
        struct { ir_ints shape; } shape;
        struct { ir_ints perm; } perm;
        struct { ir_ints start, limit, stride; } slice;
        struct { ir_ints low, high, interior; } pad;
        struct { int64_t axis, size, stride, dilation; } windows;
        struct { cot_dtype dtype; ir_ints shape; int64_t axis; } iota;
        struct { ir_data data; } constant;
        struct { ir_ints lhs, rhs, lhs_batch, rhs_batch; } dot;
        struct { ir_ints strides, dilation; } conv;
        /* an axis by name comes first in each record that has one */
        struct { const char *over; } over;
        struct { const char *over; int64_t axis, size; } stack;
        struct { const char *over; ir_ints pairs; } permute;
        struct { int right, upper, transposed, unit; } triangle;
        struct { int full; } qr;
        struct { ir_ints sizes; } sizes;
        struct {
            ir_ints offset_dims, collapsed, operand_batch, indices_batch, index_map, sizes;
            int mode;
        } gather;
        struct {
            ir_ints window_dims, inserted, operand_batch, indices_batch, index_map;
            int mode;
            int unique;
        } scatter;
        struct { int64_t remat; struct cot_graph *body; } call;   /* remat: an ir_remat */
        struct { ir_graphs branches; } cond;
        struct {
            const char *name, *prototype, *by;
            ir_ints attrs, data, save, nondiff, size, mapped, random, active;
            int effects, opaque;
            struct cot_graph *forward;
            ir_graphs rules;            /* in text: those of `by` */
        } custom;
        struct { int64_t consts; ir_graphs parts; } implicit;
        struct { int64_t consts, max; struct cot_graph *cond, *body; } loop;
        struct { int64_t consts, carries, length; int reverse; struct cot_graph *body; } scan;
    };
} ir_attrs;

#define IR_REQUIRED INT64_MIN           /* no default: always printed */

typedef struct ir_field {
    const char *name;
    ir_field_kind kind;
    size_t offset;                      /* in ir_attrs */
    int64_t init;                       /* the default, or IR_REQUIRED */
} ir_field;

typedef struct ir_op_info {
    const char *name;
    int n_in;                           /* -1: any number */
    ir_record record;
    ir_op_flag flag;
    const char *doc;
} ir_op_info;

/* A row that shows its operand, and the row that copies instead; a row that functionalize
 * removes. */
static inline bool
ir_is_view(unsigned op)
{
    return op >= OP_view_slice && op <= OP_view_broadcast;
}
static inline bool ir_is_mutation(unsigned op) { return op == OP_clone || op == OP_assign; }
ir_op ir_view_copy(ir_op view);

extern const ir_op_info ir_ops[OP_COUNT];
ir_op ir_op_find(const char *name);                     /* OP_none if there is none */
/* The fields of a record; their number in *n. */
const ir_field *ir_record_fields(ir_record r, int *n);

bool ir_attrs_equal(ir_record r, const ir_attrs *a, const ir_attrs *b);
/* The same, but of sub-functions that are to be equal pairs are kept instead (graph.c). */
typedef struct ir_pairs ir_pairs;
void ir_pairs_add(ir_pairs *p, const struct cot_graph *a, const struct cot_graph *b);
bool ir_attrs_equal_but(ir_record r, const ir_attrs *a, const ir_attrs *b, ir_pairs *graphs);
uint64_t ir_attrs_hash(ir_record r, const ir_attrs *a);
/* A copy whose lists and bytes live in the arena; sub-functions are shared (they are
 * immutable). */
ir_attrs ir_attrs_copy(ir_arena *arena, ir_record r, const ir_attrs *a);
/* bytes holds all the elements; equal ones are kept once. */
ir_data ir_data_new(ir_arena *arena, const ir_type *type, const void *bytes);
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
