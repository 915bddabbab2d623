/* Type inference, inside: one function per `infer` column of ops.def.
 *
 * A rule reads the operands' types and the attributes, which may be anything a parser or a user
 * made up, and fills the types of the results.  What is wrong is one error at the builder's
 * location; no sum or product of attributes is formed before its factors are known to be
 * small. */
#ifndef IR_INFER_INFER_H
#define IR_INFER_INFER_H

#include "ir/build.h"

typedef struct infer_ctx {
    ir_build *b;
    ir_op op;
    int n_in;
    const ir_type *const *in;
    const ir_attrs *at;
    const ir_type **out;
    int cap;                            /* room in out; a rule counts on beyond it */
} infer_ctx;

typedef int infer_rule(const infer_ctx *c);     /* the number of results, or -1 */

#define OP(name, n_in, attrs, flags, infer, ...) infer_rule infer_##infer;
#include "ir/ops.def"
#undef OP

/* Record an error; the value of the whole is -1. */
static inline int infer_failed(cot_status s) { (void)s; return -1; }
#define INFER_FAIL(c, ...)                                                                     \
    infer_failed(ir_build_fail((c)->b, ir_ops[(c)->op].name, __VA_ARGS__))

/* Sets the only result; t may be NULL, after an error. */
int infer_one(const infer_ctx *c, const ir_type *t);
/* The type, or NULL with an error that names the op. */
const ir_type *infer_type(const infer_ctx *c, cot_dtype t, int rank, const int64_t *dims);
const ir_type *infer_shaped(const infer_ctx *c, const ir_type *like, int rank,
                            const int64_t *dims);
const char *infer_str(const infer_ctx *c, const ir_type *t);

/* Checks: 0, or -1 with the error recorded. */
int infer_dtype_is(const infer_ctx *c, int operand, bool ok, const char *wanted);
int infer_length(const infer_ctx *c, const char *what, ir_ints s, int n);
int infer_axis(const infer_ctx *c, int64_t axis, const ir_type *t);
/* Checks that entries are in 0 ... n-1 and none is there twice; *set becomes their set. */
int infer_axis_list(const infer_ctx *c, const char *what, ir_ints s, int n, ir_axes *set);
int infer_ascending(const infer_ctx *c, const char *what, ir_ints s);
int infer_disjoint(const infer_ctx *c, ir_axes a, ir_axes b);
/* Checks that each entry s[i] is in 0 ... limit[i]. */
int infer_sizes(const infer_ctx *c, const char *what, ir_ints s, const int64_t *limit);

static inline bool infer_is_number(cot_dtype t) { return t >= COT_I8; }
static inline bool infer_is_real(cot_dtype t) { return t >= COT_I8 && t <= COT_F64; }
/* What is wanted instead of t. */
static inline const char *
infer_real_name(cot_dtype t)
{
    return ir_is_complex(t) ? "a real number" : "a number";
}
static inline bool infer_is_bits(cot_dtype t) { return t >= COT_BOOL && t <= COT_U64; }

#endif
