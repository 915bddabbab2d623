/* Object code that is kept between processes: what a back end asks, and what names code.
 *
 * The store is the runtime's (runtime/store.c); a back end finds it by its context.  A key is
 * the digest of all that the code follows from: the text of the kernels, the target, and the
 * builds of the code generator and of LLVM, so that code of another build is never found. */
#ifndef CODEGEN_STORE_H
#define CODEGEN_STORE_H

#include "codegen/backend.h"
#include "ir/digest.h"

typedef struct cg_object {
    const void *bytes;
    size_t size;
} cg_object;
enum { CG_MAX_OBJECTS = 64 }; /* of one module */

typedef struct cg_code_store {
    void *self;
    /* The objects under a key, from malloc, each to be freed: how many; 0: there are none. */
    int (*find)(void *self, const ir_digest *key, cg_object out[CG_MAX_OBJECTS]);
    /* Keep them, if that can be done; what cannot is not an error. */
    void (*keep)(void *self, const ir_digest *key, int n, const cg_object *object);
} cg_code_store;

/* The context's store, which stays the caller's; NULL: there is none. */
void cg_code_store_attach(cot_context *ctx, cg_code_store *store);
const cg_code_store *cg_code_store_of(cot_context *ctx);

/* The identity of the file (program or library) that holds the address: its build id, which the
 * linker computes from its content, as hexadecimal digits in the arena.  NULL: it has none. */
const char *cg_build_of(ir_arena *arena, const void *address);
/* The same of a file that need not be loaded, nor be sound. */
const char *cg_build_of_file(ir_arena *arena, const char *path);
/* What a module's code follows from, but for the back end's own part, which the caller adds.
 * False: it follows from addresses of this process, or the builds are not known. */
bool cg_code_key(const cg_target *t, const cg_module *m, ir_arena *scratch,
                 ir_digest_state *out);

#endif
