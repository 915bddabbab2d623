/* The one struct through which kernels reach a back end.  Only the back end in codegen/llvm
 * uses LLVM. */
#ifndef CODEGEN_BACKEND_H
#define CODEGEN_BACKEND_H

#include "codegen/kernel/kernel.h"

typedef enum cg_output { CG_TO_OBJECT, CG_TO_ASM, CG_TO_LLVM, CG_TO_C, CG_TO_PTX } cg_output;

typedef struct cg_target {
    const char *triple;         /* NULL: this machine's  */
    const char *cpu;            /* NULL: this machine's ("generic" for a portable object) */
    const char *features;       /* NULL: the cpu's       */
    /* width by which schedules choose lanes: 32 (scalar), 128, 256, 512; 0: the target's */
    int vector_bits;
    int registers;              /* vector registers: 16 or 32 */
    /* of the widest vectors with 4-way dot products of bytes (SC_quads); 0: none */
    int dot_bits;
    int64_t l1, l2, l3;         /* cache sizes in bytes; stated defaults where unknown */
    bool grid;                  /* a GPU: kernels are scheduled for grids of threads (grid.h) */
    /* multiprocessors of a GPU, which tiles should keep busy; 0: a stated default */
    int processors;
    bool fast;                  /* results may differ within a tolerance: tensor cores */
    bool debug;                 /* emit line tables that point to the user's source */
    bool trapping_math; /* as cg_module.trapping_math; a GPU has no floating-point traps */
} cg_target;

/* A function that an object exports: the entry of a module under its natural C signature. */
/* A body of a function with open sizes for some of them; it takes none. */
typedef struct cg_fixed {
    const int64_t *size;
    const cg_module *module;
} cg_fixed;

typedef struct cg_natural {
    const char *name;
    const cg_module *module;
    int n_in, n_out;
    const char *const *arg_name;
    /* in C, "const float *"; NULL: the types of the module's buffers */
    const char *const *arg_type;
    /* open sizes, which are the first parameters (codegen/open); NULL: there are none */
    const struct cg_open *open;
    const char *const *size_name;
    bool comm; /* the first of n_in is a cot_comm */
    const cg_module *alone; /* as one process runs it, for its cost; NULL: `module` */
    int n_fixed;
    const cg_fixed *fixed;
} cg_natural;

/* The functions of an object, lowered for one of the processors that the object serves. */
typedef struct cg_version { cg_target target; const cg_natural *fn; } cg_version;

typedef int cg_entry(void *const *args, void *work);

/* Compiled code in this process. */
typedef struct cg_code {
    cg_entry *entry;
    /* int name(const T0 *x0, ..., T *out0, ..., void *work); scalars by pointer.  NULL: made on
     * request by `natural` below */
    void *natural;
    void *handle;               /* owned by the back end */
    size_t bytes;
} cg_code;

typedef struct cg_backend {
    const char *name;
    /* Fill the fields of t that the caller left open, from this machine or from t's cpu and
     * features.  The names of this machine may stay open. */
    cot_status (*target)(cot_context *ctx, cg_target *t);
    /* Fill triple, cpu and features.  NULL: the back end has no such names. */
    cot_status (*name_target)(cot_context *ctx, cg_target *t);
    cot_status (*load)(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out);
    /* The same for code that is loaded or stored already: it compiles nothing, and out->entry
     * is NULL where there is none.  NULL: the back end neither shares nor stores code, and
     * `load` needs the thread of the context. */
    cot_status (*find)(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out);
    void (*unload)(cg_code *code);                          /* any thread */
    /* From now on a fork of this process waits until no thread compiles: for who compiles in
     * a thread of which the user, who forks, knows nothing. */
    bool (*guard_forks)(void); /* false: memory is short */
    /* Make the natural entry of an entry with n_args pointers, as separate code that is valid
     * while that entry is loaded; separate, because most kernels are never called that way.
     * NULL: `load` makes it. */
    cot_status (*natural)(cot_context *ctx, const cg_target *t, cg_entry *entry, int n_args,
                          bool parallel, cg_code *out);
    /* Text or object bytes of modules with their natural entries, allocated in the arena. */
    cot_status (*emit)(cot_context *ctx, const cg_target *t, cg_output what, int n,
                       const cg_natural *fn, ir_arena *arena, const void **bytes, size_t *size);
    /* The same functions for several processors of one architecture, with a dispatcher that
     * chooses at the first call.  NULL where a back end has no multiversioning. */
    cot_status (*emit_versions)(cot_context *ctx, int n_versions, const cg_version *v,
                                cg_output what, int n, ir_arena *arena, const void **bytes,
                                size_t *size);
} cg_backend;

const cg_backend *cg_llvm(void);        /* NULL when built with COT_LLVM=OFF */
/* compiles and loads through the system's compiler: COT_CC, or cc */
const cg_backend *cg_c(void);

/* C source for several widths, narrowest first: the same functions lowered for vectors of
 * `lanes` floats, 1, 4, 8 or 16. in_process: foreign functions are called by their address in
 * this process.  If the widths have x86-64 levels (lowest first), all of them are compiled, and
 * each function chooses its level when it is first called. */
typedef struct cg_c_width {
    int lanes;
    const cg_natural *fn;
    int level;
} cg_c_width;
/* The level of a cpu name ("x86-64-v3": 3; 0: no level), and the float lanes of a level's
 * vectors. */
int cg_c_x86_level(const char *cpu);
int cg_c_x86_lanes(int level);
/* Where a module has a record (kernel/record.h), a line of a function has in front of it the
 * locations of the instructions that it computes, as numbers between two of these bytes:
 * "\1" "12,7\1x[i] = ...". */
enum { CG_C_MARK = 1 };
cot_status cg_c_write(cot_context *ctx, int n_widths, const cg_c_width *w, int n,
                      bool in_process, ir_arena *arena, const void **bytes, size_t *size);
/* Is s a keyword or a name that no C variable may have? */
bool cg_c_is_word(const char *s);
/* Is s a parameter of the functions of the written file?  A function may have that name,
 * another parameter may not. */
bool cg_c_is_parameter(const char *s);
/* Is s a name of the C standard library, which no function may have? */
bool cg_c_is_library_name(const char *s);

#endif
