/* What StableHLO text says, as a tree: functions, ops, regions, attributes, types.
 *
 * Values have numbers that are unique in the module, so that a region's captures are a list of
 * numbers and an environment is an array.  Names, attributes and types are read here and mean
 * nothing yet: what an op does is said by ops.def.  Everything lives in the arena of one
 * import. */
#ifndef FRONTEND_STABLEHLO_TREE_H
#define FRONTEND_STABLEHLO_TREE_H

#include "ir/graph.h"

/* A piece of the text. */
typedef struct hlo_span {
    const char *at;
    size_t n;
} hlo_span;

typedef enum hlo_type_kind { HLO_TENSOR, HLO_TOKEN, HLO_TUPLE, HLO_OTHER } hlo_type_kind;
#define HLO_DYNAMIC (-1) /* a size that is `?` */

/* What a float of few bits has beside its numbers.  HLO_NO_ZERO: no -0, whose bits are NaN.
 * HLO_EXPONENT: powers of 2 and NaN, no sign and no 0. */
typedef enum hlo_small_kind {
    HLO_IEEE,
    HLO_ONE_NAN,
    HLO_NO_ZERO,
    HLO_FINITE,
    HLO_EXPONENT
} hlo_small_kind;

/* An element type of few bits, which values of a wider one stand for (small.c). */
typedef struct hlo_small {
    const char *name;
    cot_dtype storage;
    int bits, digits, bias; /* digits: of a float, after the point */
    hlo_small_kind kind;    /* of a float */
} hlo_small;

typedef struct hlo_type {
    hlo_type_kind kind;
    cot_dtype dtype; /* COT_DTYPE_NONE: no element type of ours */
    int rank, n;     /* n: of a tuple */
    const int64_t *dims;
    const struct hlo_type *const *item;
    const ir_type *type; /* NULL: it has `?`, or is no array of ours */
    const hlo_small *small; /* NULL, or what dtype stands for */
    hlo_span text;
} hlo_type;

typedef enum hlo_attr_kind {
    HLO_UNIT,
    HLO_INT,
    HLO_REAL,
    HLO_BOOL,
    HLO_STRING,
    HLO_SYMBOL,
    HLO_WORD,
    HLO_LIST,
    HLO_DICT,
    HLO_DENSE,
    HLO_TYPE,
    HLO_RAW /* #dialect.name<...>: text is what is between the brackets */
} hlo_attr_kind;

typedef struct hlo_attr {
    hlo_attr_kind kind;
    const char *at; /* for messages */
    int64_t i;
    double x;
    hlo_span text;                   /* STRING, SYMBOL, WORD, RAW */
    int n;                           /* LIST, DICT */
    const struct hlo_attr *item;     /* LIST */
    const struct hlo_named *named;   /* DICT */
    const hlo_type *type;            /* DENSE, TYPE */
    const void *bytes;               /* DENSE: all elements, or one */
    bool splat;
} hlo_attr;

typedef struct hlo_named {
    const char *name;
    hlo_attr value;
} hlo_named;

typedef struct hlo_region hlo_region;

typedef struct hlo_op {
    const char *name; /* "stablehlo.add" */
    const char *at;
    int line;
    const char *loc; /* after "loc(", or NULL */
    int n_in, n_out;
    const uint32_t *in;
    uint32_t out; /* the first result; the others follow */
    int n_attrs, n_regions;
    const hlo_named *attr;
    hlo_region *const *region;
} hlo_op;

struct hlo_region {
    uint32_t id;
    hlo_region *outer;
    int n_args;
    uint32_t arg; /* the first argument; the others follow */
    uint32_t n_ops, cap_ops, n_captured, cap_captured;
    hlo_op **op;
    uint32_t *captured; /* values from outside, in order of their first use */
};

typedef struct hlo_value {
    const hlo_type *type;
    hlo_region *region; /* where it is defined */
} hlo_value;

typedef struct hlo_alias {
    const char *name, *at; /* at: after '=' */
} hlo_alias;

typedef struct hlo_module {
    uint32_t n_values, cap_values, n_regions;
    hlo_value *value;
    uint32_t n_funcs, cap_funcs;
    /* func.func ops: attributes sym_name, sym_visibility, arg_attrs, res_attrs, results */
    hlo_op **func;
    uint32_t n_aliases, cap_aliases;
    hlo_alias *alias;
    ir_map aliases;
    ir_map captured; /* by region and value */
} hlo_module;

/* A cursor over the text.  Functions answer false or NULL after an error, which the context
 * then holds. */
typedef struct hlo_reader {
    cot_context *ctx;
    ir_arena *a;
    const char *path, *text, *at, *end;
    const char *line_at; /* up to here lines are counted */
    int line, depth;
    bool failed;
    hlo_module *m;
    hlo_region *region;
    struct hlo_names *names;
    struct hlo_resources *resources; /* of the end of the text, once one is asked for */
} hlo_reader;

enum { HLO_DEEPEST = 256 }; /* regions, lists, types within each other */

/* lex.c */
bool fe_hlo_wants(hlo_reader *r, const char *at, const char *want);
bool fe_hlo_refuse(cot_context *ctx, const hlo_reader *r, const char *at, const char *what,
                   const char *why);
void fe_hlo_skip(hlo_reader *r);
bool fe_hlo_peek(hlo_reader *r, const char *s);
bool fe_hlo_try(hlo_reader *r, const char *s);
bool fe_hlo_expect(hlo_reader *r, const char *s);
bool fe_hlo_is_word(char c);
/* A word of letters, digits, `_`, `.`, `$`, `-` inside; empty if none is next. */
hlo_span fe_hlo_word(hlo_reader *r);
bool fe_hlo_try_word(hlo_reader *r, const char *s);
const char *fe_hlo_text(ir_arena *a, hlo_span s);
bool fe_hlo_is(hlo_span s, const char *word);
bool fe_hlo_integer(hlo_reader *r, int64_t *x);
int64_t fe_hlo_unsigned(hlo_reader *r); /* up to 2^64 - 1, as its bits; 0 after an error */
bool fe_hlo_string(hlo_reader *r, hlo_span *s); /* between the quotes, as it is written */
bool fe_hlo_symbol(hlo_reader *r, hlo_span *s); /* after @ */
/* After an opening bracket: up to the one that closes it, and after that. */
bool fe_hlo_balanced(hlo_reader *r, char close, hlo_span *s);
/* of a place not before the one asked for last */
int fe_hlo_line(hlo_reader *r, const char *at);
bool fe_hlo_deeper(hlo_reader *r);

/* type.c */
const hlo_type *fe_hlo_type(hlo_reader *r);
/* (T, T) -> T, or T, T; the results: those of the function type, or all. */
bool fe_hlo_signature(hlo_reader *r, bool *function, int *n, const hlo_type *const **type);

/* attr.c */
bool fe_hlo_attr(hlo_reader *r, hlo_attr *out);
typedef struct hlo_attrs {
    hlo_named *at;
    uint32_t n, cap;
} hlo_attrs;
void fe_hlo_add(hlo_reader *r, hlo_attrs *s, const char *name, hlo_attr value);
/* After '{': name = attribute, ... and the bracket; up to the end where close is "". */
bool fe_hlo_dict(hlo_reader *r, const char *close, hlo_attrs *s);
bool fe_hlo_loc(hlo_reader *r, const char **at); /* loc(...), if it is next */

/* dense.c: after `dense<`, `dense_resource<` */
bool fe_hlo_dense(hlo_reader *r, hlo_attr *out);
bool fe_hlo_dense_resource(hlo_reader *r, hlo_attr *out);

/* small.c: NULL: no small type has the name */
const hlo_small *fe_hlo_small(hlo_span name);
float fe_hlo_small_decode(const hlo_small *s, unsigned bits);
float fe_hlo_small_round(const hlo_small *s, double x);
double fe_hlo_small_greatest(const hlo_small *s); /* its greatest number, of a float */

/* parse.c */
bool fe_hlo_parse(hlo_reader *r);

#endif
