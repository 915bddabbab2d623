/* A cursor over the bytes of a text, and the tokens that all our text formats share.
 *
 * Functions return false, NULL or COT_DTYPE_NONE after an error, which the context then holds
 * with the line; the first one sticks, and nothing is read after it. */
#ifndef IR_READER_H
#define IR_READER_H

#include "ir/graph.h"

typedef struct ir_reader {
    cot_context *ctx;
    ir_arena *a;                        /* scratch: what is read is copied out of it */
    const char *file, *at, *end;
    int line;
    bool failed;
    const char *begin;                  /* of the text: errors say the column; or NULL */
    struct ir_sizes *sizes; /* numbers may be made of these (sized.h); or NULL */
} ir_reader;

/* An error at the current line: what was found; what was wanted.  Always false. */
bool ir_read_wants(ir_reader *p, const char *want);
/* Spaces, newlines, and comments from ';' to the end of the line. */
void ir_read_skip(ir_reader *p);
/* If s is next, moves behind it. */
bool ir_read_try(ir_reader *p, const char *s);
bool ir_read_expect(ir_reader *p, const char *s);
bool ir_is_word(char c);
/* A name from C, which may be any text, as a word. */
const char *ir_word_of(ir_arena *a, const char *name);
/* A word, copied. */
const char *ir_read_word(ir_reader *p, const char *want);
bool ir_read_integer(ir_reader *p, int64_t *x);
/* [1, 2, 3] */
bool ir_read_ints(ir_reader *p, ir_ints *out);
cot_dtype ir_read_dtype(ir_reader *p);
const ir_type *ir_read_type(ir_reader *p);
/* One number of type t: decimal; for floats also nan, inf, and 0x with the bits. */
bool ir_read_element(ir_reader *p, cot_dtype t, void *out);

#endif
