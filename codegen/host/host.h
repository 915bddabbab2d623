/* Executes the entry of a module on the host, for kernels that run elsewhere.
 *
 * Kernel 0 calls kernels, copies, tests scalars and loops: only a few instructions for each
 * launch.  So it is not compiled but interpreted, over a device: a few functions that start a
 * kernel, copy bytes and read a scalar.  The simulator is a device, the CUDA driver is one, and
 * so is a test that records the calls. */
#ifndef CODEGEN_HOST_HOST_H
#define CODEGEN_HOST_HOST_H

#include "codegen/kernel/kernel.h"

/* An argument of a foreign function at run time. */
typedef struct cg_handed {
    /* A pointer to memory of the device; to that of this process if the argument has an
     * address. */
    void *at;
    size_t bytes;  /* size of the buffer from there on; 0: no buffer */
    uint64_t bits; /* the value of a scalar */
    bool writes;
} cg_handed;

typedef cot_status cg_go(void *arg);

/* Addresses are those of the device.  Operations are executed in order, each after all earlier
 * ones; only `read` has to be complete when it returns.  A status other than COT_OK ends the
 * run with it. */
typedef struct cg_device {
    void *self;
    /* Launches a kernel of the module, with an address for each of its IN and OUT buffers, in
     * order.  blocks: of the grid; -1: cg_launch_of knows how many. */
    cot_status (*launch)(void *self, int kernel, int64_t blocks, void *const *buffers,
                         const int64_t *params);
    cot_status (*copy)(void *self, void *to, const void *from, size_t bytes);
    cot_status (*read)(void *self, const void *at, size_t bytes, void *to);
    cot_status (*write)(void *self, void *at, size_t bytes, const void *from);
    /* Calls a C function with these arguments; *answer receives the bits of its result.  A
     * function that runs on the device and takes the stream gets ir_c_stream (ir/foreign.h) for
     * it. */
    cot_status (*call)(void *self, const cg_extern *x, const cg_handed *handed, cot_dtype type,
                       uint64_t *answer);
    /* The address of each CONST buffer of the entry, by number; NULL: the address of its
     * data. */
    void *const *constant;
    /* Executes loop v of cg_host_captured_loops: go(arg) makes all of its launches, in the
     * same order each time, so that the device may record them.  NULL: the device does not
     * record. */
    cot_status (*capture)(void *self, cg_val v, cg_go *go, void *arg);
    const bool *is_captured;
} cg_device;

/* The bytes of memory that a run of the entry needs. */
size_t cg_host_bytes(const cg_module *m);
/* Run the entry. args has the device address of each argument of the module, the last one being
 * that of the sizes in memory of this process, where they are open, and work that of its work
 * block; frame is cg_host_bytes of memory of this process, aligned to 16.  The
 * function neither allocates nor locks.  Errors: COT_ERR_BOUND and other statuses that the
 * entry returns; those of the device. */
cot_status cg_host_run(const cg_module *m, const cg_device *d, void *const *args, void *work,
                       void *frame);
/* Do the launches of the entry depend only on the addresses of its arguments, and on the sizes
 * where these are open?  Then a record of them can be replayed for every call with the same
 * ones. */
bool cg_host_is_straight(const cg_module *m);
/* By instruction number of the entry: is it a loop in the body of a while whose launches depend
 * only on the addresses of the arguments, and not on the iteration?  Returns whether there are
 * any. */
bool cg_host_captured_loops(const cg_module *m, bool *is);
/* Can the entry be interpreted?  COT_ERR_INTERNAL names an instruction that cannot be. */
cot_status cg_host_check(const cg_module *m);

/* manifest.c: prints "buffers" and "steps" of the entry as members of a JSON object, for
 * programs that execute it themselves (docs/gpu.md has the format). */
void cg_host_print(ir_buf *b, const cg_module *m);
void cg_json_string(ir_buf *b, const char *s);

#endif
