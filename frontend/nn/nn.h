/* Layers, losses and optimisers, inside: they are written with the public ops alone. */
#ifndef FRONTEND_NN_NN_H
#define FRONTEND_NN_NN_H

#include "frontend/sugar/written.h"

/* v [c] along axis 1 of x's shape: [c, 1, ..., 1]. */
cot_value fe_channels(cot_place at, cot_value v, cot_value x);
/* Does v, a weight that the user calls `name`, broadcast to x (a weight of one axis: along
 * axis 1 of x, if by_channel)?  Else the error is recorded.  A bad value, or none, counts as
 * right. */
bool fe_fits(cot_place at, const char *op, const char *name, cot_value v, cot_value x,
             bool by_channel);
/* y scale + bias, per channel, where given; op is whose weights these are. */
cot_value fe_scaled(cot_place at, const char *op, cot_value y, cot_value scale, cot_value bias);

#endif
