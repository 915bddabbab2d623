/* The elements of a buffer that are written, as a list of ranges whose first element is an
 * affine form.
 *
 * At the end of a loop, a range whose stride from iteration to iteration is at most its length
 * becomes the range of all iterations; with a larger stride it becomes blocks, and later blocks
 * of blocks.  Lists are immutable: a new list shares nodes with the old one. */
#ifndef CODEGEN_VERIFY_SPANS_H
#define CODEGEN_VERIFY_SPANS_H

#include "codegen/tuning.h"
#include "codegen/verify/written.h"

/* `count` blocks, whose first elements are `stride` apart. */
typedef struct span_dim {
    int64_t stride, count;
} span_dim;

/* `count` elements, repeated in n dimensions of blocks, the largest stride first. unknown:
 * further elements were written, at unknown places. */
struct cg_span {
    cg_form first;
    int64_t count;
    bool unknown;
    int n;
    span_dim dim[CG_VERIFY_MAX_SPAN_DIMS];
    const cg_span *next;
};

bool cg_span_is_range(const cg_span *s);
/* The list with `count` more elements from the first one on; with one more span; with a span of
 * unknown elements. */
const cg_span *cg_span_with(cg_written *w, const cg_span *list, cg_form first, int64_t count);
const cg_span *cg_span_with_span(cg_written *w, const cg_span *list, const cg_span *x);
const cg_span *cg_span_with_unknown(cg_written *w, const cg_span *list);
bool cg_span_has_unknown(const cg_span *list);
/* Proves that `count` elements from the first one on are in the list, using what w knows. */
bool cg_span_contains(cg_written *w, const cg_span *list, const cg_form *first, int64_t count);
/* Does the list have several ranges?  A read that spans two of them is in neither, though both
 * were written, as with whole blocks and a last partial one. */
bool cg_span_has_parts(const cg_span *list);
/* Extends s to what all iterations of the loop write, which the atom counts; false: that is not
 * known. */
bool cg_span_of_all_iterations(cg_written *w, cg_span *s, uint32_t counter, int64_t times);

#endif
