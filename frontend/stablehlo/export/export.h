/* Graphs to StableHLO text: what the rules of export.def may use.
 *
 * A rule writes one op of ours as ops of StableHLO.  Where StableHLO has no such op, the
 * text has a composite: `stablehlo.composite "cotrace.NAME"`, which holds the attributes of
 * the op of ours, and a private function that computes it by other ops (its legalised form).
 * Other tools run the function; import takes the op by its name. */
#ifndef FRONTEND_STABLEHLO_EXPORT_H
#define FRONTEND_STABLEHLO_EXPORT_H

#include "ir/build.h"

typedef struct hlo_write hlo_write;

/* An op to write: in a graph, or as the body of its legalised form. */
typedef struct hlo_site {
    hlo_write *w;
    ir_op op;
    ir_loc loc;
    const ir_attrs *at;
    int n_in, n_out;
    const char *const *in; /* names of the operands, as %4 */
    const ir_type *const *in_type;
    const ir_type *const *out_type;
    const char **out; /* the rule puts the names of the results here */
    const char *name; /* of StableHLO's op, where the row has one */
    bool (*rule)(struct hlo_site *s); /* of the row */
    bool alone;       /* it is written as the body of its legalised form */
} hlo_site;
typedef bool fe_hlo_writer(hlo_site *s); /* false: the error is recorded */

#define EXPORT(op, how, rule, types, name) fe_hlo_writer fe_hlo_write_##rule;
#include "frontend/stablehlo/export/export.def"
#undef EXPORT

/* A function of the text: a graph of the user's, or a legalised form. */
typedef struct hlo_written {
    const char *name;
    const ir_graph *g;
    ir_op op; /* of a legalised form, with what tells it from others */
    const ir_attrs *at;
    int n_in, n_out;
    const ir_type *const *in_type;
    const ir_type *const *out_type;
    ir_loc loc;
    fe_hlo_writer *rule; /* writes the decomposition; NULL: g is written */
    const char *row;     /* the row's name, for the rule */
} hlo_written;

struct hlo_write {
    cot_context *ctx;
    ir_arena *a;
    ir_buf *text;
    hlo_written *fn;
    uint32_t n_fns, cap_fns;
    ir_map by_hash, by_name;
    int next, indent; /* the number of the next value */
};

void fe_hlo_indent(hlo_write *w);
void fe_hlo_put(hlo_write *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *fe_hlo_new(hlo_write *w); /* a new name: %7 */
const char *fe_hlo_type_text(hlo_write *w, const ir_type *t);
void fe_hlo_put_ints(hlo_write *w, int n, const int64_t *at); /* 1, 2 */
void fe_hlo_put_list(hlo_write *w, const char *name, ir_ints at); /* name = [1, 2] */
void fe_hlo_put_names(hlo_write *w, int n, const char *const *name);
void fe_hlo_put_types(hlo_write *w, int n, const ir_type *const *type);
/* " : (T, T) -> T" and the end of the line. */
void fe_hlo_put_signature(hlo_write *w, int n_in, const ir_type *const *in, int n_out,
                          const ir_type *const *out);
/* dense<...> : T */
void fe_hlo_put_data(hlo_write *w, const ir_type *t, const void *bytes, bool splat);
/* composite_attributes: all fields of the record that are not at their default. */
void fe_hlo_put_attrs(hlo_write *w, ir_op op, const ir_attrs *at);

/* Lines: name = stablehlo.op operands REST : types; the name of the result. */
const char *fe_hlo_line1(hlo_write *w, const ir_type *t, const char *op, int n,
                         const char *const *in, const ir_type *const *type, const char *format,
                         ...) __attribute__((format(printf, 7, 8)));
/* a constant, every element x */
const char *fe_hlo_number(hlo_write *w, const ir_type *t, double x);
const char *fe_hlo_number_int(hlo_write *w, const ir_type *t, int64_t x);
const char *fe_hlo_compared(hlo_write *w, const char *how, const ir_type *t, const char *x,
                            const char *y);
const char *fe_hlo_select2(hlo_write *w, const ir_type *t, const char *p, const char *x,
                           const char *y);
const char *fe_hlo_spread_text(hlo_write *w, const ir_type *to, const ir_type *from,
                               const char *x, int n, const int64_t *dims);
const char *fe_hlo_cast(hlo_write *w, const ir_type *to, const ir_type *from, const char *x);
/* reshape */
const char *fe_hlo_as(hlo_write *w, const ir_type *to, const ir_type *from, const char *x);
/* n results of one op: names %5#0, ... into out; answers what stands before '='. */
const char *fe_hlo_results(hlo_write *w, int n, const char **out);
void fe_hlo_calls(hlo_write *w, const char *f, int n_in, const char *const *in,
                  const ir_type *const *in_type, int n_out, const ir_type *const *out_type,
                  const char **out, int64_t remat);
/* "stablehlo.return %a, %b : T, T" */
void fe_hlo_returns(hlo_write *w, int n, const char *const *x, const ir_type *const *type);

/* The base, of letters that a symbol may have, and a number where it is taken. */
const char *fe_hlo_function_name(hlo_write *w, const char *base);
/* The hash is that of what tells f from other functions; answers the name of f. */
const char *fe_hlo_add_function(hlo_write *w, hlo_written f, uint64_t hash);
const char *fe_hlo_function_of(hlo_write *w, const ir_graph *g);
bool fe_hlo_no_counterpart(hlo_site *s); /* the error is recorded; false */

/* decomposition.c: a composite, whose legalised form is written by the row's rule, or is a
 * graph. */
bool fe_hlo_composite_of(hlo_site *s, bool by_rule);
/* legalise.c: the op as a graph of others, for a function; NULL, the error recorded, if
 * there is none. */
ir_graph *fe_hlo_stand_in(hlo_site *s);

/* The module: its entry is @main. */
cot_status fe_hlo_export(const ir_graph *g, ir_arena *scratch, ir_buf *text);

#endif
