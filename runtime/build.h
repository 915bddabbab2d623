/* Object files, C source and their headers. */
#ifndef RUNTIME_BUILD_H
#define RUNTIME_BUILD_H

#include "runtime/compile.h"

/* One function of a file: a graph under a C name.  n_res: its last results are residuals for another half. */
typedef struct rt_export { const ir_graph *graph; const char *name; int n_res; } rt_export;

/* Write the functions to `path`, in the form its ending says (.o, .a, .c, .s, .ll), and their header if
 * header is not NULL.  The caller holds the lock and a recovery point. */
cot_status rt_build(cot_context *ctx, int n, const rt_export *fn, const cot_compile_options *o,
                    const char *path, const char *header);

/* ptx.c: kernels for GPUs as PTX, and the manifest by which a host runs them: f.ptx and f.json. */
bool rt_is_ptx(const char *path);
cot_status rt_build_ptx(cot_context *ctx, int n, const rt_export *fn, const cot_compile_options *o, const char *path,
                        const char *header);

#endif
