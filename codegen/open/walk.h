/* Modules as lists of tokens, and of the places of their numbers. */
#ifndef CODEGEN_OPEN_WALK_H
#define CODEGEN_OPEN_WALK_H

#include "codegen/kernel/kernel.h"

typedef enum cg_number_kind {
    CG_NUMBER_OPERAND,          /* a constant operand of an instruction */
    CG_NUMBER_ELEMENTS,         /* of a buffer */
    CG_NUMBER_OFFSET,           /* of a buffer in the work block */
    CG_NUMBER_BYTES,            /* that an instruction copies */
    CG_NUMBER_PROOF,            /* in a declaration for the verifier */
    CG_NUMBER_WORK              /* bytes of a work block */
} cg_number_kind;

/* A number of a kernel that may depend on sizes: an operand, or an integer. */
typedef struct cg_number {
    cg_number_kind kind;
    cot_dtype type;             /* of an operand */
    uint64_t value;             /* its bits */
    cg_kernel *k;               /* NULL: the module's */
    cg_val *operand; /* NULL: at `offset` of the kernel's instructions, which move */
    size_t offset;
    int64_t *integer; /* NULL: of an instruction */
    uint32_t buffer; /* of elements, offset */
    cg_val at; /* the instruction, for its line; 0: none */
} cg_number;

/* What else a module is: two modules with equal tokens are one program but for its numbers. */
typedef struct cg_token {
    uint64_t bits;
    ir_loc loc;
} cg_token;

typedef struct cg_tokens {
    ir_arena *arena;
    cg_token *token;
    uint32_t n, cap;
    cg_number *number;
    uint32_t n_numbers, cap_numbers;
} cg_tokens;

/* The place of an operand, of an integer. */
cg_val *cg_operand_at(const cg_number *x);
int64_t *cg_integer_at(const cg_number *x);

/* Equal for modules with equal tokens. */
uint64_t cg_tokens_hash(const cg_tokens *t);
/* List a module; NULL, or why it is none that can be listed. */
const char *cg_tokens_of(cg_module *m, ir_arena *a, cg_tokens *out);

#endif
