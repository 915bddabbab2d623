/* The only reader of environment variables: COT_DUMP, COT_DUMP_FN, COT_DUMP_DIR, COT_VERIFY,
 * COT_TIME, COT_OFF, COT_TARGET, COT_CUDA_DRIVER, COT_THREADS, COT_DEBUG, COT_PERF,
 * COT_ISOLATE, COT_COMPILE_THREADS, COT_TRAP, COT_TRAPPING_MATH, COT_PROFILE, COT_CACHE_DIR,
 * XDG_CACHE_HOME, HOME, COT_CC, COT_LLVM, TMPDIR.  A field of cot_options that is set wins. */
#ifndef IR_CONFIG_H
#define IR_CONFIG_H

#include "ir/context.h"

void ir_config_read(cot_context *ctx, const cot_options *options);
/* COT_CC, the C compiler and its options, or NULL; COT_LLVM, the file of LLVM's library, or
 * NULL, which it is in a program that runs with another user's rights; the folder of temporary
 * files.  They are read from the environment at each call. */
const char *ir_config_compiler(void);
const char *ir_config_llvm(void);
const char *ir_config_temporary(void);
/* The folder in which compiled code is kept for later processes, in the context's arena; NULL:
 * it is not kept.  Read when asked. */
const char *ir_config_cache_dir(cot_context *ctx);
/* Is `name` in the comma-separated list (or the list "all")? */
bool ir_config_lists(const char *list, const char *name);

#endif
