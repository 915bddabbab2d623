/* Cotrace: functions with rules of their own.
 *
 * A custom function is a name, a forward (a traced body, or C code that no trace looks into)
 * and rules for the transforms.  Its rules are authoritative: every transform at every depth
 * uses them and nothing else, and differentiates and maps the rules themselves for what
 * follows.  Bodies and rules run in traces of their own: what they need is passed to them, and
 * a value of a trace around them is an error. */
#ifndef COTRACE_CUSTOM_H
#define COTRACE_CUSTOM_H

#include "cotrace/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cot_custom cot_custom;

/* What a body or rule is told, all host data.  Types are those of one example, except in a vmap
 * rule. */
typedef struct cot_custom_info {
    void *user;
    int n_attrs;
    /* of the call */
    const int64_t *attrs;
    int n_data;
    /* what setup kept */
    const int64_t *data;
    /* vjp: input i wants a cotangent.  jvp: it has a tangent */
    const bool *needs;
    /* vmap: of the level at hand; under .chunk, the chunk's */
    int64_t batch_size;
    /* vmap: of the level at hand, what draws are to do */
    cot_randomness randomness;
    /* vmap: 0 (the mapped axis is the first) or COT_NONE */
    const int64_t *in_dims;
    /* vmap: to be filled; 0 as given */
    int64_t *out_dims;
} cot_custom_info;

/* A traced body.  `in` and `out`:
 *   forward  the inputs -> the results
 *   vjp      what setup saved, in order, then a cotangent for each floating result that is
 *            not marked -> a cotangent for each floating input
 *   jvp      the inputs, the results, a tangent for each floating input -> a tangent for
 *            each floating result that is not marked
 *   vmap     the inputs, the mapped ones with the mapped axis first -> the results, out_dims
 *            of each
 * A rule may answer COT_ZERO for a derivative that is zero, and so may jvp's tangents be
 * (cot_is_zero). */
typedef void cot_custom_body(cot_trace *t, const cot_custom_info *info, const cot_value *in,
                             cot_value *out);

/* C code on dense row-major arrays of one example; bool is a byte.  0, or a status of its own,
 * which ends the run with COT_ERR_FOREIGN.  Called from any thread that runs a kernel; never
 * from an object file, which wants .symbol. */
typedef int cot_custom_run(const cot_custom_info *info, const void *const *in,
                           void *const *out);

/* What setup may do: it sees types, never values, and adds no computation. */
typedef struct cot_setup cot_setup;
typedef void cot_custom_setup(cot_setup *s, const cot_custom_info *info);
/* The type of input i, counted from 0, of one example. An i that is out of range fails the call
 * of the custom function (COT_ERR_ARG). */
COT_API cot_type cot_setup_in_type(const cot_setup *s, int i);
/* The type of result j, counted from 0, of one example. A j that is out of range fails the call
 * of the custom function (COT_ERR_ARG). */
COT_API cot_type cot_setup_out_type(const cot_setup *s, int j);
/* Keep the value of input i for the vjp rule, whose `in` begins with what is kept, in the order
 * of these calls. Errors are as of cot_setup_in_type. */
COT_API void cot_save_in(cot_setup *s, int i);
/* Keep the value of result j for the vjp rule, in order with the inputs kept by cot_save_in.
 * Errors are as of cot_setup_out_type. */
COT_API void cot_save_out(cot_setup *s, int j);
/* Append an integer to info->data, which rules and the forward see: a number that setup
 * computed from types or attributes. */
COT_API void cot_save_data(cot_setup *s, int64_t x);    /* appended to info->data */
/* Say that result j has no derivative: the vjp rule gets no cotangent of it, and the jvp rule
 * gives no tangent. Results of integers or bool never have one. */
COT_API void cot_mark_nondiff(cot_setup *s, int j);

/* A C function of any signature is .symbol with its .prototype, which says what each parameter
 * is handed:
 *
 *     .symbol = (cot_symbol *)gsl_sort, .prototype = "void gsl_sort(double *out0 = in0, size_t
 *     1, size_t data0)"
 *
 * Arrays of one example are passed as pointers: `const T *inN`, `T *outN`, or `T *outN = inN`
 * where C code overwrites its argument (the traced value does not change: the result is a value
 * of its own).  Operands without axes (`T inN`), attributes of the call and data of setup
 * (`T attrN`, `T dataN`) and numbers are passed by value; `void *user` is .user.  The return
 * value is a result without axes (`outN = double f(...)`), or a status (`status = int f(...)`),
 * of which any but 0 ends the run with COT_ERR_FOREIGN; otherwise it is ignored.  The name is
 * that of an external symbol of object files and C source, whose header declares it.  Compiled
 * code calls it as C does, the evaluator through libffi.  The function is pure, or has
 * .effects; calls are made one after the other. */
typedef void cot_symbol(void);

typedef struct COT_NAMED_ cot_custom_options {
    COT_BEGIN_
    int n_in, n_out;                    /* 0: 1 */
    cot_custom_body *forward;           /* traced; or */
    cot_custom_run *run;                /* opaque; or */
    cot_symbol *symbol;                 /* opaque, of any signature: */
    const char *prototype;
    /* result types of what is opaque */
    void (*types)(const cot_custom_info *info, const cot_type *in, cot_type *out);
    cot_custom_setup *setup;            /* absent: nothing is saved */
    cot_custom_body *vjp, *jvp, *vmap;
    bool generate_vmap;                 /* map the traced forward and rules */
    bool sequential;                    /* vmap calls it for one example after the other */
    bool once_differentiable;           /* the vjp rule has no derivative */
    /* the vjp rule sees COT_ZERO for a cotangent that is zero */
    bool symbolic_zeros;
    /* run once where it stands, in order; else it may be merged or dropped */
    bool effects;
    void *user;                         /* must outlive the context */
} cot_custom_options;

/* A derivative that is zero everywhere. */
#define COT_ZERO ((cot_value){NULL, 0, UINT32_MAX})
/* Whether a tangent, or a cotangent of a rule with .symbolic_zeros, is COT_ZERO: a derivative
 * that is zero everywhere and was never computed. */
static inline bool cot_is_zero(cot_value v) { return v.ctx == NULL && v.id == UINT32_MAX; }

/* Register a function under a name that is new in the context ("lib.sort"); it belongs to the
 * context.
 * NULL, with the error recorded, if the name is taken or the options contradict each other. */
COT_API const cot_custom *cot_custom_new_(cot_place at, cot_context *ctx, const char *name,
                                          const cot_custom_options *o, size_t size);
/* Call it on traced values.  The first result is answered; out, if not NULL, gets all of
 * them. */
COT_API cot_value cot_custom_call_(cot_place at, const cot_custom *c, cot_list attrs,
                                   cot_values in, cot_value *out);
/* v with the mapped axis dim first; one that is not mapped (COT_NONE) is repeated to size.  For
 * vmap rules. */
COT_API cot_value cot_move_batch_front_(cot_place at, cot_value v, int64_t dim, int64_t size);

#ifndef __cplusplus
#define cot_custom_new(ctx, ...) COT_CUSTOM_NEW_(ctx, __VA_ARGS__, .end_ = 0)
#define COT_CUSTOM_NEW_(ctx, name, ...)                                                        \
    cot_custom_new_(COT_HERE, ctx, name, &(const cot_custom_options){ __VA_ARGS__ },           \
                    sizeof(cot_custom_options))
#define cot_custom_call(c, attrs, in, out) cot_custom_call_(COT_HERE, c, attrs, in, out)
#define cot_move_batch_front(v, dim, size) cot_move_batch_front_(COT_HERE, v, dim, size)
#endif

#ifdef __cplusplus
}
#endif
#endif
