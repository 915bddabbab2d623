/* Objects of the code generator, linked into this process without LLVM. */
#ifndef CODEGEN_LLVM_LINK_H
#define CODEGEN_LLVM_LINK_H

#include "codegen/store.h"

/* Linked code: the memory that it and its constants lie in, and its entry. */
typedef struct cg_ll_image {
    void *base;                 /* NULL: there is none */
    size_t bytes;
    void *entry;
} cg_ll_image;

/* The address of what the process has under a name; NULL: it has no such thing. */
typedef const void *cg_ll_find_symbol(void *user, const char *name);

/* Link n objects that refer to each other.  False: the objects have something that this linker
 * does not know, or memory is short; then there is no image.  Any bytes may be given. */
bool cg_ll_link(ir_arena *scratch, int n, const cg_object *object, const char *entry,
                cg_ll_find_symbol *find, void *user, cg_ll_image *out);
void cg_ll_unlink(cg_ll_image *image);

#endif
