/* Text whose numbers are made of named sizes: "format 2" in docs/ir.md.
 *
 * A size is a name in the argument types of a function.  The text is parsed at numbers for its
 * sizes, each time anew, and what is parsed is a graph of fixed types that knows its text. */
#ifndef IR_SIZED_H
#define IR_SIZED_H

#include "ir/graph.h"
#include "ir/reader.h"

enum { IR_MAX_SIZES = 8, IR_MOST_SIZE = 1 << 30 };

/* least <= value <= most, and `multiple` divides it, where facts are heeded. */
typedef struct ir_named_size {
    const char *name;
    int64_t value, least, most, multiple;
} ir_named_size;

/* The sizes that a reader knows. */
typedef struct ir_sizes {
    int n;
    ir_named_size at[IR_MAX_SIZES];
    bool declares; /* a name that is new is a size, too */
    uint32_t used; /* a bit for each that was read */
} ir_sizes;

/* A length of an argument: its text, and the number of the size in it, where it is factor * n +
 * offset; -1: it is no such number. */
typedef struct ir_length {
    const char *text;
    int size;
    int64_t factor, offset;
} ir_length;

typedef struct ir_head_argument {
    const char *name;
    int rank;
    const ir_length *length;
} ir_head_argument;

/* The head of a function. */
typedef struct ir_head {
    const char *name;
    int line, n;
    const ir_head_argument *argument;
} ir_head;

/* A text, kept for other sizes, which are those of all its functions. */
typedef struct ir_sized_text {
    cot_context *ctx;
    const char *path, *text;
    size_t bytes;
    ir_sizes sizes;
    uint32_t n;
    const ir_head *head;
} ir_sized_text;

/* Where a graph comes from that was parsed at sizes. */
typedef struct ir_sized {
    const ir_sized_text *text;
    const ir_head *head;
    uint32_t used; /* the sizes that its own text names */
    const int64_t *size; /* at which it was parsed */
} ir_sized;

/* expression.c.  A number that is made of sizes, where `sizes` of the reader are not NULL:
 * integers with + - * min max and / by a positive one, rounded down; or a real number, with /
 * and sqrt of real numbers. */
bool ir_read_expression(ir_reader *p, int64_t *out);
bool ir_read_real(ir_reader *p, double *out);
/* Is a number next, without an operator behind it? */
bool ir_read_is_plain(const ir_reader *p);
/* " at n = 8, m = 8", or nothing where there is no size. */
const char *ir_sizes_text(const ir_sizes *s, ir_arena *a);
/* The number of a size; -1: there is none of that name. */
int ir_sizes_find(const ir_sizes *s, const char *name);
/* "where n >= 1, n % 4 == 0": reads the facts if they are next. */
bool ir_read_facts(ir_reader *p);

/* heads.c.  Reads the heads of a text's functions; *out is NULL where none has a size. */
cot_status ir_read_heads(cot_context *ctx, const char *path, const char *text, size_t bytes,
                         const ir_sized_text **out);
/* The functions of a text at sizes, in its order; NULL: at 8, or what is nearest to that of
 * what the facts allow.  The numbers need not agree with the facts. */
cot_status ir_parse_at(const ir_sized_text *t, const int64_t *size, ir_module *out);
/* f, which was parsed, at other sizes of its text. */
cot_status ir_sized_at(const ir_graph *f, const int64_t *size, ir_graph **out);
/* The sizes of a function, in the order of its head: each is found in a length of an argument,
 * and they are all that it and what it calls name. */
cot_status ir_sized_order(const ir_graph *f, int *n, int order[IR_MAX_SIZES]);
/* The sizes of the text, as arguments of these types have them, which may be fewer or more. */
void ir_sized_solve(const ir_graph *f, int n, const ir_type *const *type, int64_t *size);
/* Do the types, and the facts, agree with f, which was parsed at sizes that were found in
 * these types? Otherwise the error says which argument does not, and why. */
cot_status ir_sized_check(const ir_graph *f, int n, const ir_type *const *type);

#endif
