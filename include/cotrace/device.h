/* Cotrace: arrays on GPUs, and arrays of other libraries.
 *
 * A device is named "host", "cuda" (the first GPU) or "cuda:1".  Kernels compiled for a GPU
 * take arrays of both kinds: those of the host are copied there and back in the call, those of
 * the GPU are used where they are, and a call that meets only such ones does not wait for its
 * result.  What asks for elements waits.  docs/gpu.md says more. */
#ifndef COTRACE_DEVICE_H
#define COTRACE_DEVICE_H

#include "cotrace/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many devices of a kind there are: "cuda".  0 where there is no driver; no error is
 * recorded. */
COT_API int cot_device_count(cot_context *ctx, const char *kind);

/* New memory on a device, zeroed.  NULL with the error recorded: COT_ERR_TARGET (no such
 * device), COT_ERR_MEMORY (it is full), or the type is wrong.  Arrays of a device may outlive
 * their context. */
COT_API cot_array *cot_array_new_on(cot_context *ctx, cot_type type, const char *device);
/* A copy of a on a device, which may be the same.  NULL with the error recorded. */
COT_API cot_array *cot_array_to(cot_context *ctx, const cot_array *a, const char *device);
/* Copy the elements of `from` to `to`, of one type, wherever both are.  Errors: COT_ERR_SHAPE,
 * COT_ERR_DTYPE (the types differ), COT_ERR_TARGET (the device failed, and may have before). */
COT_API cot_status cot_array_assign(cot_context *ctx, cot_array *to, const cot_array *from);
/* Where an array is: "host", "cuda:0", ...; a constant text. The addresses that cot_array_data
 * and cot_array_read give are those of that device. */
COT_API const char *cot_array_device(const cot_array *a);
/* Wait until all that was asked of the context's GPUs is done.  Errors: COT_ERR_TARGET, what
 * failed. */
COT_API cot_status cot_device_wait(cot_context *ctx);

/* DLPack, version 1 (github.com/dmlc/dlpack, include/dlpack/dlpack.h): tensors as Python's
 * libraries exchange them; of the host and of CUDA.  The unversioned forms are those before
 * version 1.
 *
 * From: the array has the tensor's memory, and calls its deleter when it is freed.  A tensor of
 * the host whose elements are not dense or not aligned is copied, and deleted at once.  What
 * was written to it on another stream must be done.  A read-only tensor may be an argument,
 * never what is written.  After an error the tensor is still the caller's.  Errors: COT_ERR_ARG
 * (version, device, layout), COT_ERR_DTYPE.
 * To: a tensor that keeps the array alive until its deleter is called; all that was asked of
 * the device is done.  NULL if memory is short or the device failed. */
struct DLManagedTensorVersioned;
struct DLManagedTensor;
/* An array that has the memory of a DLPack tensor of version 1, as described above; the caller
 * frees it. NULL, with the error recorded, where it cannot be one. */
COT_API cot_array *cot_from_dlpack(cot_context *ctx, struct DLManagedTensorVersioned *tensor);
/* cot_from_dlpack of a tensor of the form before version 1, as older libraries give it. It has
 * no mark that it may only be read. */
COT_API cot_array *cot_from_dlpack_unversioned(cot_context *ctx,
                                               struct DLManagedTensor *tensor);
/* An array as a DLPack tensor of version 1, as described above; the receiver calls its deleter.
 * NULL where memory is short or the device failed. */
COT_API struct DLManagedTensorVersioned *cot_to_dlpack(cot_context *ctx, const cot_array *a);
/* cot_to_dlpack with a tensor of the form before version 1, for libraries that take only that
 * form. */
COT_API struct DLManagedTensor *cot_to_dlpack_unversioned(cot_context *ctx, const cot_array *a);

#ifdef __cplusplus
}
#endif
#endif
