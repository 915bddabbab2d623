/* Object files, C source, and their descriptions: a C header, JSON. */
#ifndef RUNTIME_BUILD_H
#define RUNTIME_BUILD_H

#include "runtime/compile.h"

/* One function of a file: a graph with a C name. n_res: so many of its last results are
 * residuals for the second half. */
typedef struct rt_export {
    const ir_graph *graph;
    const char *name;
    int n_res;
    /* with open sizes: the function, whose graph is that of one size; lowering sets *opened */
    const struct rt_open_source *open;
    struct rt_sizes *sizes;
    struct rt_open **opened;
} rt_export;

/* Write the functions to `path`, in the format of its ending (.o, .a, .c, .s, .ll); their
 * header if header is not NULL, and their description in JSON if o->manifest is not.  The
 * caller holds the lock and a recovery point. */
cot_status rt_build(cot_context *ctx, int n, const rt_export *fn, const cot_compile_options *o,
                    const char *path, const char *header);

/* Do two paths name the same file, whether it exists or not? */
bool rt_is_same_file(const char *a, const char *b);

/* ptx.c: kernels for GPUs as PTX, and the manifest with which a host runs them: f.ptx and
 * f.json. */
bool rt_is_ptx(const char *path);
/* The options, or defaults where o is NULL, for a GPU that need not be that of this machine. */
cot_compile_options rt_ptx_options(cot_context *ctx, const cot_compile_options *o);
cot_status rt_build_ptx(cot_context *ctx, int n, const rt_export *fn,
                        const cot_compile_options *o, const char *path, const char *header);

/* The kernels of a function in a file, over all of its forms: profile_file.c. */
typedef struct rt_file_row {
    const char *name;
    int64_t bytes, flops; /* of one run; 0 where sizes are open */
} rt_file_row;

typedef struct rt_file_rows {
    uint32_t n, cap;
    rt_file_row *row;
} rt_file_rows;

/* A pointer parameter of a C function: an argument or a result. */
typedef struct rt_parameter {
    const char *name, *type; /* in C: "x", "const float *" */
    const char *constant;    /* prefix of its constants: "STEP_X" */
    /* One of in, inout, donated, captured, generator, out. */
    const char *role;
    const ir_type *is;
    const struct cg_size_form *dims; /* its lengths; NULL: none is open */
} rt_parameter;

enum { RT_MAX_FORMS = 8 };

/* A function in the form that its callers see. */
typedef struct rt_function {
    const char *name, *constant; /* in C; prefix of its constants: "STEP" */
    const rt_export *of;
    const cg_module *module;
    bool comm; /* it takes a cot_comm before its arguments */
    int n_in, n_out;
    /* n_in arguments, then n_out results */
    const rt_parameter *parameter;
    /* estimates; traffic: bytes read and written */
    int64_t flops, traffic;
    /* with open sizes: their names in C, and the module of each form of the file */
    const struct rt_open *open;
    const char *const *size_name;
    int n_forms;
    const struct cg_open *form[RT_MAX_FORMS];
    const rt_file_rows *rows; /* of its profile; NULL: it has none */
    /* its bodies for some sizes, and their bytes of work in the form that has most */
    int n_fixed;
    const struct cg_fixed *fixed;
    int64_t *fixed_work;
} rt_function;

/* header.c. rt_is_word: does s consist of characters of names? rt_functions: the functions of a
 * file, with distinct names in C. */
bool rt_is_c_name(const char *s);
bool rt_is_word(const char *s);
rt_function *rt_functions(ir_arena *a, const rt_plan *p, int n, const rt_export *e,
                          cg_natural *fn);
int rt_externs(ir_arena *a, int n, const rt_function *fn, bool of_runtime,
               const cg_extern ***out);
void rt_print_header(ir_buf *b, const char *path, const rt_plan *p, int n,
                     const rt_function *fn);
/* header_open.c: the parts of functions with open sizes, in the header and in JSON.  A
 * length or a number of bytes is an expression in C. */
void rt_print_open_type(ir_buf *b, const rt_function *fn, const rt_parameter *x);
void rt_print_open_facts(ir_buf *b, const rt_function *fn);
void rt_print_open_work(ir_buf *b, const rt_function *fn);
void rt_print_open_parameter(ir_buf *b, const rt_function *fn, const rt_parameter *x);
void rt_describe_open(ir_buf *b, const rt_function *fn);
void rt_describe_open_parameter(ir_buf *b, const rt_function *fn, const rt_parameter *x);
/* profile_file.c.  Put probes into a module of the function of that name; the parts of the
 * header, and of JSON. */
void rt_profile_file(cg_module *m, const char *name, rt_file_rows *rows, ir_arena *a);
void rt_print_profile(ir_buf *b, const rt_function *fn);
void rt_print_profile_clock(ir_buf *b);
void rt_describe_profile(ir_buf *b, const rt_function *fn);
/* describe.c: the same in JSON. */
void rt_print_manifest(ir_buf *b, const char *path, const rt_plan *p,
                       const cot_compile_options *o, int n, const rt_function *fn);
/* archive.c: an archive in System V's ar format: an index of names, then the one member. */
void rt_print_archive(ir_buf *b, int n, const cg_natural *fn, const void *object, size_t bytes);

#endif
