/* Cotrace: named arrays in files: npz, as numpy.savez writes it, and safetensors.
 *
 * A file read gives new arrays: free them with cot_state_free; the list and its names belong to
 * the context.
 * The formats need libzip and jansson where the library is built; one that was left out answers
 * COT_ERR_TARGET.  Nothing in a file is believed before it is compared with the bytes that are
 * there. */
#ifndef COTRACE_FILE_H
#define COTRACE_FILE_H

#include "cotrace/module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* By the ending of path: .npz or .safetensors.  Arrays come in the order of the file.
 *
 * npz          names are those of its members, less ".npy"; stored or deflated; bf16 travels as
 *              uint16
 * safetensors  element types BOOL, I8 to I64, U8 to U64, F16, BF16, F32, F64, C64; its metadata
 *              are left out
 *
 * Errors   COT_ERR_ARG     another ending
 *          COT_ERR_TARGET  the format was left out of this build
 *          COT_ERR_IO      the file cannot be read
 *          COT_ERR_PARSE   it is none of the format, it lies, two arrays have one name, or one
 *                          is of an element type that is not here: the message names the array
 * Source: NumPy Enhancement Proposal 1; https://github.com/huggingface/safetensors (Format). */
COT_API cot_status cot_load(cot_context *ctx, const char *path, cot_state *out);
/* The file is replaced when all of it is written.  Names are UTF-8, not empty, each there once.
 *
 * Errors   COT_ERR_ARG     another ending; a name is missing, empty or there twice; no array; a
 *                          name that is not UTF-8
 *          COT_ERR_TARGET, COT_ERR_IO  as above */
COT_API cot_status cot_save(cot_context *ctx, const char *path, const cot_state *s);

/* The distinct parameters and buffers of a module that have arrays, under their names: to save.
 * The arrays stay the caller's; the list belongs to the context. */
COT_API cot_status cot_module_state(const cot_module *m, cot_state *out);
/* Each array of s becomes the module's own under its name; all of them or, after an error,
 * none.  The arrays stay the caller's, who keeps them alive.  partial: 1: names may be missing.
 *
 * Errors   COT_ERR_ARG    a name is unknown, or there twice; one is missing (partial == 0);
 *                         tied names have different arrays
 *          COT_ERR_SHAPE  the module has an array of another type under the name */
COT_API cot_status cot_module_set_state(cot_module *m, const cot_state *s, int partial);

#ifdef __cplusplus
}
#endif
#endif
