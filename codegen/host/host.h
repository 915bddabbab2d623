/* The entry of a module, run on the host for kernels that run elsewhere.
 *
 * Kernel 0 calls kernels, copies, tests scalars and loops: no more than a few instructions for
 * each launch.  So nothing is compiled for it.  It is interpreted over a device: a few
 * functions that start a kernel, move bytes and read a scalar.  The simulator is a device, the
 * CUDA driver is one, and so is a test's record of what was asked of it. */
#ifndef CODEGEN_HOST_HOST_H
#define CODEGEN_HOST_HOST_H

#include "codegen/kernel/kernel.h"

/* An argument of a foreign function, at run time. */
typedef struct cg_handed {
    /* a pointer; of this process where the argument has an address */
    void *at;
    size_t bytes;               /* of the buffer from there on; 0: no buffer */
    uint64_t bits;              /* a scalar */
    bool writes;
} cg_handed;

typedef cot_status cg_go(void *arg);

/* Addresses are the device's own.  What is asked is done in order, each thing after all before
 * it; `read` alone is done when it answers.  A status that is not COT_OK ends the run with
 * it. */
typedef struct cg_device {
    void *self;
    /* One kernel of the module: an address for each of its IN and OUT buffers, in their
     * order. */
    cot_status (*launch)(void *self, int kernel, void *const *buffers, const int64_t *params);
    cot_status (*copy)(void *self, void *to, const void *from, size_t bytes);
    cot_status (*read)(void *self, const void *at, size_t bytes, void *to);
    cot_status (*write)(void *self, void *at, size_t bytes, const void *from);
    /* A C function, with what it is handed for each of its arguments; the answer's bits.  One
     * that runs on the device is handed ir_c_stream (ir/foreign.h) where it wants the
     * stream. */
    cot_status (*call)(void *self, const cg_extern *x, const cg_handed *handed, cot_dtype type,
                       uint64_t *answer);
    /* where each CONST buffer of the entry is, by its number; NULL: where its data is */
    void *const *constant;
    /* One of cg_host_pieces, instruction v: go(arg) asks for all that it launches, in the same
     * order each time.  NULL: nobody wants to know. */
    cot_status (*piece)(void *self, cg_val v, cg_go *go, void *arg);
    const bool *is_piece;
} cg_device;

/* Bytes of memory that a run of the entry works in. */
size_t cg_host_bytes(const cg_module *m);
/* Run it: args has the device's address of each argument of the module, work that of its work
 * block; frame is cg_host_bytes of this process's memory, aligned to 16.  Neither allocates nor
 * locks.  COT_ERR_BOUND and other statuses that the entry leaves with; those of the device. */
cot_status cg_host_run(const cg_module *m, const cg_device *d, void *const *args, void *work,
                       void *frame);
/* Does what the entry launches depend on its arguments' addresses alone?  Then one record of
 * the launches serves every call with the same ones. */
bool cg_host_is_straight(const cg_module *m);
/* By number of the entry's instructions: the loops in a while's body whose launches depend on
 * the arguments' addresses alone, whatever turn it is.  Are there any? */
bool cg_host_pieces(const cg_module *m, bool *is);
/* Can it be run?  COT_ERR_INTERNAL with the instruction that a host does not have. */
cot_status cg_host_check(const cg_module *m);

/* manifest.c: "buffers" and "steps" of the entry as members of a JSON object, for programs that
 * run it by themselves (docs/gpu.md has the format). */
void cg_host_print(ir_buf *b, const cg_module *m);
void cg_json_string(ir_buf *b, const char *s);

#endif
