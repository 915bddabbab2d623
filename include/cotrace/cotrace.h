/* Cotrace: trace a C function, transform it, compile it.
 *
 *     static void
 *     loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
 *     {
 *         cot_value miss = cot_sub(cot_dot(in[1], in[0]), in[2]);
 *         out[0] = cot_mean(cot_mul(miss, miss));
 *     }
 *     ...
 *     cot_fn *f  = cot_fn_new(ctx, "loss", loss, 3, 1, NULL);
 *     cot_fn *df = cot_grad(f, .wrt = COT_LIST(0));
 *     COT_TRY(cot_compile(df, COT_TYPES(cot_f32(3), cot_f32(n, 3), cot_f32(n)), NULL,
 *     &step)); */
#ifndef COTRACE_COTRACE_H
#define COTRACE_COTRACE_H

#include "cotrace/base.h"
#include "cotrace/tensor.h"
#include "cotrace/half.h"
#include "cotrace/device.h"
#include "cotrace/trace.h"
#include "cotrace/mutate.h"
#include "cotrace/sugar.h"
#include "cotrace/special.h"
#include "cotrace/numpy.h"
#include "cotrace/index.h"
#include "cotrace/order.h"
#include "cotrace/fft.h"
#include "cotrace/window.h"
#include "cotrace/combine.h"
#include "cotrace/linalg.h"
#include "cotrace/random.h"
#include "cotrace/nn.h"
#include "cotrace/image.h"
#include "cotrace/loss.h"
#include "cotrace/optim.h"
#include "cotrace/transform.h"
#include "cotrace/open.h"
#include "cotrace/collective.h"
#include "cotrace/comm.h"
#include "cotrace/nccl.h"
#include "cotrace/implicit.h"
#include "cotrace/custom.h"
#include "cotrace/effects.h"
#include "cotrace/compile.h"
#include "cotrace/explore.h"
#include "cotrace/lint.h"
#include "cotrace/module.h"
#include "cotrace/file.h"
#include "cotrace/spread.h"
#include "cotrace/stablehlo.h"

#endif
