/* An op while it is read, and the pieces of the parser that read parts of it.  All answer false
 * after an error, which the context then holds. */
#ifndef FRONTEND_STABLEHLO_PARSE_H
#define FRONTEND_STABLEHLO_PARSE_H

#include "frontend/stablehlo/read/tree.h"

typedef struct hlo_draft {
    hlo_op *op;
    hlo_attrs attrs;
    uint32_t *in, n_in, cap_in;
    uint32_t *init, n_init, cap_init;
    hlo_region **region;
    uint32_t n_regions, cap_regions;
    int n_words;
    bool typed;
    /* check.expect_..._const: the elements have their type, and nothing has any other */
    bool compared;
    bool function;
    int n_types;
    const hlo_type *const *type;
} hlo_draft;

/* names.c: values by name.  Names end in the order they began. */
void fe_hlo_names_begin(hlo_reader *r);
uint32_t fe_hlo_names_count(const hlo_reader *r);
/* For n values from `value`. */
void fe_hlo_bind(hlo_reader *r, hlo_span name, uint32_t value, uint32_t n);
void fe_hlo_unbind(hlo_reader *r, uint32_t n); /* forget all but the first n names */
uint32_t fe_hlo_new_value(hlo_reader *r, const hlo_type *type);
bool fe_hlo_value_name(hlo_reader *r, hlo_span *s); /* %name, without what follows: #1, :2 */
bool fe_hlo_operand(hlo_reader *r, uint32_t *out);

/* region.c */
hlo_region *fe_hlo_open_region(hlo_reader *r, hlo_draft *d);
void fe_hlo_add_argument(hlo_reader *r, hlo_region *s, hlo_span name, const hlo_type *type);
/* Ops up to '}' and after it, whose region is open; names from n on end with it. */
bool fe_hlo_region_body(hlo_reader *r, uint32_t n);
bool fe_hlo_read_region(hlo_reader *r, hlo_draft *d);
bool fe_hlo_read_while(hlo_reader *r, hlo_draft *d);
bool fe_hlo_read_reducer(hlo_reader *r, hlo_draft *d);

/* pretty.c */
hlo_attr fe_hlo_word_attr(hlo_attr_kind kind, hlo_span s);
/* After the name of an op. */
bool fe_hlo_read_pretty(hlo_reader *r, hlo_draft *d);

/* func.c: after `func.func`, `module` */
bool fe_hlo_read_function(hlo_reader *r, hlo_draft *d);
bool fe_hlo_read_module(hlo_reader *r, hlo_draft *d);

/* parse.c */
bool fe_hlo_read_op(hlo_reader *r);

#endif
