/* The rows of codegen/tuning.def as constants. */
#ifndef CODEGEN_TUNING_H
#define CODEGEN_TUNING_H

enum {
#define TUNE(name, value, unit, reason, measured) CG_##name = (value),
#include "codegen/tuning.def"
#undef TUNE
};

#endif
