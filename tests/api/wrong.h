/* The right and the wrong arguments of the calls that wrong.awk writes. */
#ifndef TESTS_API_WRONG_H
#define TESTS_API_WRONG_H

/* The calls are of every function, the old spellings too. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <limits.h>
#include <math.h>

#include "cotrace/collective.h"
#include "cotrace/combine.h"
#include "cotrace/cotrace.h"
#include "cotrace/device.h"
#include "cotrace/stablehlo.h"

/* A call that failed without a message is silent. */
typedef enum w_said { w_none, w_silent } w_said;

typedef struct w_function {
    const char *name;
    int n;                      /* calls: the first with right arguments only */
    w_said (*call)(int i);
} w_function;
extern const w_function w_functions[];

/* Two contexts, each with one of everything. */
typedef struct w_world {
    cot_context *ctx;
    cot_fn *fn;
    const cot_graph *graph;
    cot_kernel *kernel;
    cot_array *array, *arrays[4];
    cot_trace *trace;           /* open, or ended                         */
    cot_value value;            /* of that trace                          */
    cot_tree *tree;
    cot_module *module;
    const cot_custom *custom;
} w_world;
extern w_world w, w_other;

/* Memory of zeros for what argument k points to: an option record, room for results. */
void *w_block(int k);
FILE *w_file(void);             /* whose content nobody reads */
w_said w_status(cot_status status);
cot_body w_body;
cot_solver w_solver;
cot_write w_write;
extern cot_body *const w_bodies[];

#define w_right_cot_place ((cot_place){ "wrong.c", 1 })
#define w_right_cot_value w.value
#define w_right_cot_operand cot_operand_value(w.value)
#define w_right_cot_values cot_values_of(2, (const cot_value[]){ w.value, w.value })
#define w_right_cot_list COT_LIST(0)
#define w_right_cot_type cot_f32(2, 2)
#define w_right_cot_types COT_TYPES(cot_f32(2, 2))
#define w_right_cot_bodies COT_BODIES(w_body, w_body)
#define w_right_cot_ats COT_AT(0)
#define w_right_cot_at cot_at_int(0)
#define w_right_cot_dtype COT_F32
#define w_right_cot_status COT_OK
#define w_right_cot_update_kind COT_UPDATE_SET
#define w_right_cot_scatter_kind COT_SCATTER_SET
#define w_right_cot_overlap COT_OVERLAP_FULL
#define w_right_cot_sampling COT_SAMPLE_LINEAR
#define w_right_cot_bag_kind COT_BAG_SUM
#define w_right_cot_rate_kind COT_RATE_LINEAR
#define w_right_cot_matrix_norm_kind ((cot_matrix_norm_kind)0)
#define w_right_int 1
#define w_right_int64_t 1
#define w_right_long_long 1
#define w_right_unsigned_long_long 1
#define w_right_uint64_t 1
#define w_right_uint32_t 1
#define w_right_size_t 1
#define w_right_double 0.5

/* Never set; of no trace; of no value; of the other context; a zero derivative; of a trace that
 * ended. */
#define w_wrong_cot_value                                                                      \
    ((const cot_value[]){ { NULL, 0, 0 },                                                      \
                          { w.ctx, 7777, 3 },                                                  \
                          { w.ctx, w.value.trace, 0xffffff },                                  \
                          w_other.value,                                                       \
                          { NULL, 0, UINT32_MAX },                                             \
                          { w.ctx, 0, 0 } })
#define w_wrong_cot_operand                                                                    \
    ((const cot_operand[]){ { COT_IS_VALUE, w_wrong_cot_value[0], 0, 0 },                      \
                            { COT_IS_VALUE, w_wrong_cot_value[1], 0, 0 },                      \
                            { COT_IS_VALUE, w_wrong_cot_value[2], 0, 0 },                      \
                            { COT_IS_VALUE, w_wrong_cot_value[3], 0, 0 },                      \
                            { COT_IS_VALUE, w_wrong_cot_value[4], 0, 0 },                      \
                            { (cot_operand_kind)77, w.value, 0, 0 } })
#define w_wrong_cot_values                                                             \
    ((const cot_values[]){ { .n = 2 }, { .n = 9 }, { .n = -1 }, { .n = 0 },             \
                           { .n = 1, .at = &w_wrong_cot_value[3] } })
#define w_wrong_cot_list                                                                 \
    ((const cot_list[]){ { .n = 1 }, { .n = -1, .at = (const int64_t[]){ 0 } },          \
                         { .n = 1, .one = COT_BY_NAME }, COT_LIST(INT64_MIN, INT64_MAX) })
#define w_wrong_cot_types ((const cot_types[]){ { .n = 2 }, { .n = 9 }, { .n = -1 } })
#define w_wrong_cot_type                                                                       \
    ((const cot_type[]){ { .dtype = (cot_dtype)99 }, { .dtype = COT_F32, .rank = -1 },         \
                         { .dtype = COT_F32, .rank = 65 }, { .dtype = COT_F32, .rank = 9 },    \
                         { .dtype = COT_F32, .rank = 2, .dims = { INT64_MAX, 2 } } })
#define w_wrong_cot_bodies ((const cot_bodies[]){ { .n = 2 }, { .n = 9 }, { .n = -1 } })
#define w_wrong_cot_ats ((const cot_ats[]){ { .n = 2 }, { .n = 13 }, { .n = -1 } })
#define w_wrong_int ((const int[]){ -1, INT_MIN })
#define w_wrong_int64_t ((const int64_t[]){ -1, INT64_MIN })
#define w_wrong_cot_overlap ((const cot_overlap[]){ (cot_overlap)99 })
#define w_wrong_cot_sampling ((const cot_sampling[]){ (cot_sampling)99 })
#define w_wrong_cot_bag_kind ((const cot_bag_kind[]){ (cot_bag_kind)99 })
#define w_wrong_cot_dtype ((const cot_dtype[]){ COT_DTYPE_NONE, (cot_dtype)99 })
#define w_wrong_double ((const double[]){ -1, (double)NAN })

#endif
