/* Cotrace: effects inside traced functions: lines that are printed, conditions that are
 * checked.
 *
 * Both happen once where they stand, in the order of the trace, by every back end: the
 * evaluator, kernels, and object files, which then link libcotrace_rt.a.  Under vmap a
 * cot_print prints a line for each example before the next effect happens, and a check holds if
 * it does for all.  Under grad and its kin they happen once, with the values of the function,
 * not with those of derivatives; a checkpointed function does not repeat them.  Where the
 * predicate of a cond or while is mapped, its examples run one after the other, each with its
 * own. */
#ifndef COTRACE_EFFECTS_H
#define COTRACE_EFFECTS_H

#include "cotrace/custom.h"

#ifdef __cplusplus
extern "C" {
#endif

COT_API cot_value cot_print_(cot_place at, cot_value x, const char *text);
COT_API cot_value cot_check_(cot_place at, cot_value p, const char *text);

#ifndef __cplusplus
/* x, and a line on stdout: text with x in the place of the first {}, or behind it.  Numbers
 * have the digits that tell them apart (9 for f32 and shorter types, 17 for f64), arrays are
 * nested in brackets, a complex number is (re, im). */
#define cot_print(x, text) cot_print_(COT_HERE, x, text)
/* p, bool of any shape; where an element is false, the run ends with COT_ERR_FOREIGN and a
 * message that has the text and this line.  Of a compiled function with several checks the
 * message names them all.  The header of an object has NAME_STATUS_TEXT(status), which is
 * the same as a string.  Results are not defined then. */
#define cot_check(p, text) cot_check_(COT_HERE, p, text)
#endif

#ifdef __cplusplus
}
#endif
#endif
