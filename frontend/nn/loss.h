/* Losses, inside. */
#ifndef FRONTEND_NN_LOSS_H
#define FRONTEND_NN_LOSS_H

#include "frontend/nn/nn.h"

/* One number for each example, reduced as the options say, in an element type. */
cot_value fe_reduced(cot_place at, cot_value each, const cot_loss_options *o, cot_dtype to);

#endif
