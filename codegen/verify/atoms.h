/* How facts.c and divide.c create atoms and forms. */
#ifndef CODEGEN_VERIFY_ATOMS_H
#define CODEGEN_VERIFY_ATOMS_H

#include "codegen/verify/facts.h"

#define CG_ANY ((cg_interval){ INT64_MIN, INT64_MAX })

bool cg_is_integer(cot_dtype t);
cg_interval cg_type_interval(cot_dtype t);
bool cg_fits(cg_interval x, cot_dtype t);
cg_interval cg_common(cg_interval x, cg_interval y);
cg_interval cg_either(cg_interval x, cg_interval y);
cg_form cg_form_of_atom(cg_facts *f, uint32_t atom);
uint32_t cg_new_atom(cg_facts *f, cg_val v, cg_interval in);
int64_t cg_form_multiple(const cg_facts *f, const cg_form *x);
void cg_add_fact(cg_facts *f, uint32_t atom, int64_t c, int64_t d, const cg_form *x, int64_t k);
/* Returns x with at most `most` terms: the sum of the earliest ones becomes one new atom. */
cg_form cg_form_shortened(cg_facts *f, const cg_form *x, int most);
void cg_set_form(cg_facts *f, cg_val v, cg_form form, bool exact);
void cg_set_atom(cg_facts *f, cg_val v, cg_interval in);
void cg_set_opaque(cg_facts *f, cg_val v);
cg_interval cg_value_interval(cg_facts *f, cg_val v);

void cg_define_quotient(cg_facts *f, cg_val v, const cg_insn *i, bool shift);
void cg_define_rest(cg_facts *f, cg_val v, const cg_insn *i);
void cg_define_bits(cg_facts *f, cg_val v, const cg_insn *i);
void cg_define_mixed_bits(cg_facts *f, cg_val v, const cg_insn *i);

#endif
