/* The one struct through which kernels reach a back end.  LLVM stays behind it. */
#ifndef CODEGEN_BACKEND_H
#define CODEGEN_BACKEND_H

#include "codegen/kernel/kernel.h"

typedef enum cg_output { CG_TO_OBJECT, CG_TO_ASM, CG_TO_LLVM, CG_TO_C, CG_TO_PTX } cg_output;

typedef struct cg_target {
    const char *triple;         /* NULL: this machine's  */
    const char *cpu;            /* NULL: this machine's ("generic" for a portable object) */
    const char *features;       /* NULL: the cpu's       */
    /* what schedules choose lanes by: 32 (scalar), 128, 256, 512; 0: the target's */
    int vector_bits;
    int registers;              /* vector registers: 16 or 32 */
    int64_t l1, l2, l3;         /* bytes of cache; stated defaults where unknown */
    bool grid;                  /* a GPU: kernels are scheduled for grids of threads (grid.h) */
    int processors;             /* of a GPU, that tiles are to keep busy; 0: a stated default */
    bool fast;                  /* results may differ within a tolerance: tensor cores */
    bool debug;                 /* line tables that lead to the user's source    */
    bool trapping_math; /* cg_module.trapping_math; a grid has none      */
} cg_target;

/* A function to be visible in an object: the entry of a module under its natural C
 * signature. */
typedef struct cg_natural {
    const char *name;
    const cg_module *module;
    int n_in, n_out;
    const char *const *arg_name;
    const char *const *arg_type; /* in C, "const float *"; NULL: as the module's buffers say */
} cg_natural;

/* The functions of an object, lowered for one of the processors that it serves. */
typedef struct cg_version { cg_target target; const cg_natural *fn; } cg_version;

typedef int cg_entry(void *const *args, void *work);

/* Compiled code in this process. */
typedef struct cg_code {
    cg_entry *entry;
    /* int name(const T0 *x0, ..., T *out0, ..., void *work); scalars by pointer.  NULL:
     * asked for apart */
    void *natural;
    void *handle;               /* the back end's */
    size_t bytes;
} cg_code;

typedef struct cg_backend {
    const char *name;
    /* Fill what the caller left open in t from this machine or from its cpu and features. */
    cot_status (*target)(cot_context *ctx, cg_target *t);
    cot_status (*load)(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out);
    void (*unload)(cg_code *code);                          /* any thread */
    /* The natural entry for an entry of n_args pointers, as code of its own, for use while that
     * is loaded: most kernels are never called that way.  NULL: load brings it. */
    cot_status (*natural)(cot_context *ctx, const cg_target *t, cg_entry *entry, int n_args,
                          bool parallel, cg_code *out);
    /* Text or object bytes of modules with their natural entries, in the arena. */
    cot_status (*emit)(cot_context *ctx, const cg_target *t, cg_output what, int n,
                       const cg_natural *fn, ir_arena *arena, const void **bytes, size_t *size);
    /* The same functions for several processors of one architecture, and what chooses at the
     * first call.  NULL where a back end has no such thing. */
    cot_status (*emit_versions)(cot_context *ctx, int n_versions, const cg_version *v,
                                cg_output what, int n, ir_arena *arena, const void **bytes,
                                size_t *size);
} cg_backend;

const cg_backend *cg_llvm(void);        /* NULL when built with COT_LLVM=OFF */
/* loads by way of the system's compiler: COT_CC, or cc */
const cg_backend *cg_c(void);

/* C source for several widths, narrowest first: the same functions lowered for vectors of
 * `lanes` floats, 1, 4, 8 or 16.  in_process: foreign functions are called by their address
 * here.  With levels of x86-64, lowest first, all are compiled, and the functions choose when
 * they are first called. */
typedef struct cg_c_width {
    int lanes;
    const cg_natural *fn;
    int level;
} cg_c_width;
/* "x86-64-v3": 3; 0: no level.  The lanes of its vectors. */
int cg_c_x86_level(const char *cpu);
int cg_c_x86_lanes(int level);
cot_status cg_c_write(cot_context *ctx, int n_widths, const cg_c_width *w, int n,
                      bool in_process, ir_arena *arena, const void **bytes, size_t *size);
/* What no C variable should be called. */
bool cg_c_is_word(const char *s);
/* A parameter of the file's own functions: a function may have that name, another parameter
 * not. */
bool cg_c_is_parameter(const char *s);
/* What no C function should be called: the standard library has it. */
bool cg_c_is_library_name(const char *s);

#endif
