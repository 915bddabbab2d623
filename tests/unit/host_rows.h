/* What the suites about the program around a trace share: functions made at one line of main.c,
 * calls by cot_jit, arrays of numbers, dumps. */
#ifndef TESTS_UNIT_HOST_ROWS_H
#define TESTS_UNIT_HOST_ROWS_H

#include "tests/unit/traced.h"

static inline cot_fn *
fn(const char *name, cot_body *body, int n_in, int n_out)
{
    return cot_fn_new_((cot_place){ "main.c", 1 }, ctx, name, body, n_in, n_out, NULL);
}

/* f on arrays of f64 or f32 by cot_jit; the elements of its only result into out. */
static inline void
jit(cot_fn *f, int n, cot_array *const *args, double *out)
{
    cot_array *y = NULL;

    ck_assert_msg(cot_jit(f, &y, 1, (const cot_array *const *)args, n) == COT_OK, "%s",
                  cot_error(ctx));
    cot_type t = cot_array_type(y);
    for (int64_t i = 0; i < cot_type_count(&t); i++)
        out[i] = traced_element(t.dtype, cot_array_read(y), i);
    cot_array_free(y);
}

/* 1, 2, 3, ... of a type. */
static inline cot_array *
counted(cot_type t)
{
    cot_array *a = cot_array_new(ctx, t);

    for (int64_t i = 0; i < cot_type_count(&t); i++)
        if (t.dtype == COT_F32)
            ((float *)cot_array_data(a))[i] = (float)(i + 1);
        else
            ((double *)cot_array_data(a))[i] = (double)(i + 1);
    return a;
}

static inline void
text_of(cot_fn *f, cot_types types, const char *stage, traced_text *t)
{
    t->n = 0;
    t->text[0] = '\0';
    ck_assert_msg(cot_dump_fn(f, types, stage, traced_write, t) == COT_OK, "%s",
                  cot_error(ctx));
}

#endif
