/* The elements of a buffer that are written, as a list of ranges whose first element is an
 * affine form.
 *
 * At the end of a loop a range whose stride from iteration to iteration is no more than its
 * length becomes the range of all of them; one of a larger stride becomes blocks, which become
 * blocks of blocks.  Lists do not change: a new one shares what it can of the old one. */
#ifndef CODEGEN_VERIFY_SPANS_H
#define CODEGEN_VERIFY_SPANS_H

#include "codegen/tuning.h"
#include "codegen/verify/written.h"

/* `count` blocks, the first elements of which are `stride` from each other. */
typedef struct span_dim {
    int64_t stride, count;
} span_dim;

/* `count` elements, as blocks, and blocks of blocks, n times: those of the largest stride
 * first.  unknown: something more was written, of which it is not known where. */
struct cg_span {
    cg_form first;
    int64_t count;
    bool unknown;
    int n;
    span_dim dim[CG_VERIFY_MAX_SPAN_DIMS];
    const cg_span *next;
};

bool cg_span_is_range(const cg_span *s);
/* The list and `count` elements from the first one on; and a span; and some more, of which it
 * is not known where. */
const cg_span *cg_span_with(cg_written *w, const cg_span *list, cg_form first, int64_t count);
const cg_span *cg_span_with_span(cg_written *w, const cg_span *list, const cg_span *x);
const cg_span *cg_span_with_unknown(cg_written *w, const cg_span *list);
bool cg_span_has_unknown(const cg_span *list);
/* Are `count` elements from the first one on in the list?  Proved by what w knows. */
bool cg_span_contains(cg_written *w, const cg_span *list, const cg_form *first, int64_t count);
/* Are there several ranges?  A read across two of them lies in neither, though both were
 * written: whole blocks and the last one, say. */
bool cg_span_has_parts(const cg_span *list);
/* Makes s what all iterations write, which the atom counts; false: that is not known. */
bool cg_span_of_all_iterations(cg_written *w, cg_span *s, uint32_t counter, int64_t times);

#endif
