/* Object code in a folder of the user's, from one process to the next. */
#ifndef RUNTIME_STORE_H
#define RUNTIME_STORE_H

#include "codegen/store.h"

/* Open the context's store, once; nothing happens where it is off.  The caller holds the
 * context's lock. */
void rt_store_open(cot_context *ctx);

#endif
