/* The C header of a file: prototypes, and constants for everything that a caller must allocate
 * or may ask.
 *
 * The header is C99 and C++ and includes only stdint.h.  Constants are macros, since sizes may
 * exceed the range of an enum; their names begin with those of the function and the parameter,
 * and are unique. */
#include "runtime/build.h"

#include "codegen/kernel/cost.h"
#include "runtime/open/open.h"
#include "runtime/world.h"

/* ---- names ---- */

/* A parameter's C name from a value's name: an identifier that differs from those before it. */
static const char *
parameter_name(ir_arena *a, const char *from, const char *otherwise, const rt_parameter *taken,
               int n)
{
    char *name = ir_copy_string(a, from ? from : otherwise);
    const char *base;

    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    if ((*name >= '0' && *name <= '9') || cg_c_is_word(name) || cg_c_is_parameter(name) ||
        !*name)
        name = ir_format(a, "%s_",
                         *name >= '0' && *name <= '9' ? ir_format(a, "x%s", name) : name);
    base = name;
    for (int k = 2, i = 0; i < n; i++) {
        if (strcmp(taken[i].name, name) != 0)
            continue;
        name = ir_format(a, "%s_%d", base, k++);
        i = -1;
    }
    return name;
}

bool
rt_is_c_name(const char *s)
{
    return rt_is_word(s) && !cg_c_is_word(s) && !cg_c_is_library_name(s);
}

bool
rt_is_word(const char *s)
{
    if (!*s || (*s >= '0' && *s <= '9'))
        return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
              (*s >= '0' && *s <= '9') || *s == '_'))
            return false;
    return true;
}

static const char *
upper(ir_arena *a, const char *s)
{
    char *out = ir_copy_string(a, s);

    for (char *c = out; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
        else if (!((*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return out;
}

/* The prefixes of the constants of a file.  They are made unique: f's argument g_x and f_g's
 * argument x would have the same one. */
typedef struct words {
    ir_arena *a;
    const char **at;
    uint32_t n, cap;
} words;

static const char *
own_word(words *w, const char *s)
{
    const char *name = s;

    for (uint32_t k = 2, i = 0; i < w->n; i++)
        if (strcmp(w->at[i], name) == 0) {
            name = ir_format(w->a, "%s_%u", s, k++);
            i = UINT32_MAX;
        }
    IR_PUSH(w->a, w->at, w->n, w->cap, name);
    return name;
}

/* ---- functions ---- */

static const char *const c_types[COT_DTYPE_COUNT] = {
    [COT_BOOL] = "uint8_t", [COT_I8] = "int8_t",     [COT_I16] = "int16_t",
    [COT_I32] = "int32_t",  [COT_I64] = "int64_t",   [COT_U8] = "uint8_t",
    [COT_U16] = "uint16_t", [COT_U32] = "uint32_t",  [COT_U64] = "uint64_t",
    [COT_F16] = "uint16_t", [COT_BF16] = "uint16_t", [COT_F32] = "float",
    [COT_F64] = "double",  [COT_C64] = "float",   [COT_C128] = "double",
};

static const char *
role_of(const rt_plan *p, const ir_graph *f, int i)
{
    static const char *const hidden[] = { "in", "captured", "generator" };

    if (i >= f->n_in)
        return "out";
    for (int k = 0; k < f->n_inout; k++)
        if (f->inout[k].arg == i)
            return "inout";
    return ir_ints_has(p->donated, i) ? "donated" : hidden[f->hidden[i].kind];
}

/* The type of argument i, or of result k, of a function of the file: of what is spread, the
 * rows of one process, which are as many on each. */
static const ir_type *
type_in_file(const rt_plan *p, const ir_graph *f, bool comm, int i, int k)
{
    const ir_type *t = ir_type_at(f, k < 0 ? f->in[i] : f->out[k]);

    if (!comm || !ir_ints_has(k < 0 ? p->spread : p->spread_results, k < 0 ? i : k))
        return t;
    const int size = (int)p->counts.at[p->counts.n - 1];
    const ir_type *row = ir_type_close(f->ctx, t, 0);
    return ir_type_open(f->ctx, row, 0,
                        rt_world_owned(PASS_OWN_RUNS, t->dims[0], size, 0, NULL).groups);
}

static const rt_parameter *
parameters(words *w, const rt_plan *p, rt_function *fn)
{
    const ir_graph *f = fn->of->graph;
    const int n_sizes = fn->open ? fn->open->sizes->n : 0;
    const int before = n_sizes + fn->comm;
    rt_parameter *all = IR_NEW_N(w->a, rt_parameter, before + fn->n_in + fn->n_out + 1),
                 *x = all + before;
    const char **size = IR_NEW_N(w->a, const char *, n_sizes + 1);

    for (int i = 0; i < n_sizes; i++)
        size[i] = all[i].name =
            parameter_name(w->a, fn->open->sizes->size[i].name, NULL, all, i);
    fn->size_name = size;
    if (fn->comm)
        all[n_sizes] = (rt_parameter){ .name = "comm", .type = "const struct cot_comm *" };
    for (int i = 0; i < fn->n_in + fn->n_out; i++) {
        const int k = i - fn->n_in;
        const char *name = k < 0 ? f->in_name[i] : f->out_name ? f->out_name[k] : NULL;
        const char *role = role_of(p, f, i);
        const bool written =
            strcmp(role, "inout") == 0 || strcmp(role, "donated") == 0 || k >= 0;

        x[i].name = parameter_name(w->a, name,
                                   ir_format(w->a, k < 0 ? "arg%d" : "out%d", k < 0 ? i : k),
                                   all, before + i);
        x[i].is = type_in_file(p, f, fn->comm, i, k);
        x[i].dims = fn->open ? rt_open_axes(fn->open, f, i, w->a) : NULL;
        x[i].role = role;
        x[i].type =
            strcmp(role, "generator") == 0
                ? "const uint64_t *"
                : ir_format(w->a, "%s%s *", written ? "" : "const ", c_types[x[i].is->dtype]);
        x[i].constant =
            own_word(w, ir_format(w->a, "%s_%s", fn->constant, upper(w->a, x[i].name)));
    }
    return x;
}

rt_function *
rt_functions(ir_arena *a, const rt_plan *p, int n, const rt_export *e, cg_natural *natural)
{
    rt_function *fn = IR_NEW_N(a, rt_function, n + 1);
    words w = { .a = a };

    for (int i = 0; i < n; i++) {
        fn[i] =
            (rt_function){ .name = natural[i].name, .of = &e[i], .module = natural[i].module };
        fn[i].open = e[i].opened ? *e[i].opened : NULL;
        fn[i].comm = natural[i].comm;
        fn[i].n_in = e[i].graph->n_in;
        fn[i].n_out = e[i].graph->n_out - e[i].graph->n_inout;
        fn[i].constant = own_word(&w, upper(a, fn[i].name));
        own_word(&w, ir_format(a, "%s_WORK", fn[i].constant));
        own_word(&w, ir_format(a, "%s_RES", fn[i].constant));
        own_word(&w, ir_format(a, "%s_PROFILE", fn[i].constant));
        if (fn[i].open)
            own_word(&w, ir_format(a, "%s_MOST", fn[i].constant));
        if (!fn[i].open)
            cg_module_cost(natural[i].alone ? natural[i].alone : fn[i].module, &fn[i].flops,
                           &fn[i].traffic);
    }
    for (int i = 0; i < n; i++) {
        const int comm = fn[i].comm, all = comm + fn[i].n_in + fn[i].n_out;
        const char **name = IR_NEW_N(a, const char *, all + 1),
                   **type = IR_NEW_N(a, const char *, all + 1);

        fn[i].parameter = parameters(&w, p, &fn[i]);
        for (int k = 0; k < all; k++) {
            name[k] = fn[i].parameter[k - comm].name;
            type[k] = fn[i].parameter[k - comm].type;
        }
        natural[i].n_in = comm + fn[i].n_in;
        natural[i].n_out = fn[i].n_out;
        natural[i].arg_name = name;
        natural[i].arg_type = type;
        natural[i].size_name = fn[i].size_name;
    }
    return fn;
}

/* ---- the text ---- */

static void
print_list(ir_buf *b, int n, const int64_t *x)
{
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s%lld", i ? ", " : "{ ", (long long)x[i]);
    ir_buf_str(b, " }\n");
}

/* A scalar has no list of dims, since C has no empty initialiser. */
static void
print_parameter_constants(ir_buf *b, const rt_parameter *x)
{
    const int width = (int)cot_dtype_size(x->is->dtype);
    int64_t *stride = IR_NEW_N(b->arena, int64_t, x->is->rank + 1);

    ir_strides(x->is, stride);
    ir_buf_printf(b, "#define %s_RANK %d\n#define %s_SIZE %lld\n", x->constant, x->is->rank,
                  x->constant, (long long)x->is->size);
    ir_buf_printf(b, "#define %s_BYTES %lld\n#define %s_ALIGN %d\n", x->constant,
                  (long long)x->is->size * width, x->constant,
                  ir_is_complex(x->is->dtype) ? width / 2 : width);
    if (x->is->rank == 0)
        return;
    ir_buf_printf(b, "#define %s_SHAPE ", x->constant);
    print_list(b, x->is->rank, x->is->dims);
    ir_buf_printf(b, "#define %s_STRIDES ", x->constant);
    print_list(b, x->is->rank, stride);
}

static void
print_signature(ir_buf *b, const rt_function *fn)
{
    ir_buf_printf(b, "\n/* %s(", fn->name);
    for (int i = 0; i < fn->n_in + fn->n_out; i++) {
        const rt_parameter *x = &fn->parameter[i];
        const bool plain = strcmp(x->role, "in") == 0 || i >= fn->n_in;

        ir_buf_str(b, i == fn->n_in ? ") -> (" : i ? ", " : "");
        if (strcmp(x->role, "inout") == 0 || strcmp(x->role, "donated") == 0)
            ir_buf_printf(b, "%s: %s ", x->name, x->role);
        else
            ir_buf_printf(b, "%s%s%s: ", plain ? "" : x->role, plain ? "" : " ", x->name);
        if (x->dims)
            rt_print_open_type(b, fn, x);
        else
            ir_type_print(b, x->is);
    }
    if (fn->open) {
        ir_buf_str(b, fn->n_out ? ")\n" : ") -> ()\n");
        rt_print_open_facts(b, fn);
        return;
    }
    ir_buf_printf(b, "%s)\n * About %lld flops; %lld bytes moved; %lld bytes of work. */\n",
                  fn->n_out ? "" : ") -> (", (long long)fn->flops, (long long)fn->traffic,
                  (long long)fn->module->work_bytes);
}

static void
print_c_string(ir_buf *b, const char *s)
{
    ir_buf_str(b, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || *s == '?')
            ir_buf_printf(b, "\\%c", *s);
        else if ((unsigned char)*s < ' ' || *s == 0x7f)
            ir_buf_printf(b, "\\%03o", (unsigned char)*s);
        else
            ir_buf_add(b, s, 1);
    ir_buf_str(b, "\"");
}

#define comm_failed "the processes: what comm->error says; or the file was not made for so many"

/* The texts of statuses that the function may return, as an expression: an object contains no
 * table. */
static void
print_status_text(ir_buf *b, const rt_function *fn)
{
    static const cot_status may[] = { COT_ERR_BOUND, COT_ERR_FOREIGN };
    bool any = false;

    for (size_t i = 0; i < sizeof may / sizeof *may; i++) {
        const char *text = rt_failure_text(fn->of->graph, may[i], b->arena);

        if (fn->comm && may[i] == COT_ERR_FOREIGN)
            text = ir_format(b->arena, "%s%s", text ? text : "",
                             text ? "; or " comm_failed : comm_failed);
        if (!text)
            continue;
        if (!any)
            ir_buf_printf(b, "#define %s_STATUS_TEXT(status) (", fn->constant);
        any = true;
        ir_buf_printf(b, " \\\n    (status) == %d ? ", (int)may[i]);
        print_c_string(b, text);
        ir_buf_str(b, " :");
    }
    if (any)
        ir_buf_str(b, " \"\")\n");
}

static void
print_function(ir_buf *b, const rt_function *fn)
{
    const int align = fn->module->work_align > 0 ? fn->module->work_align : 1;

    print_signature(b, fn);
    if (fn->open) {
        rt_print_open_work(b, fn);
    } else {
        ir_buf_printf(b, "#define %s_WORK_BYTES %lld\n#define %s_WORK_ALIGN %d\n", fn->constant,
                      (long long)fn->module->work_bytes, fn->constant, align);
        ir_buf_printf(b, "#define %s_FLOPS %lld\n#define %s_TRAFFIC %lld\n", fn->constant,
                      (long long)fn->flops, fn->constant, (long long)fn->traffic);
    }
    print_status_text(b, fn);
    for (int i = 0; i < fn->n_in + fn->n_out; i++)
        if (fn->parameter[i].dims)
            rt_print_open_parameter(b, fn, &fn->parameter[i]);
        else
            print_parameter_constants(b, &fn->parameter[i]);
    ir_buf_printf(b, "int %s(", fn->name);
    for (int i = 0; fn->open && i < fn->open->sizes->n; i++)
        ir_buf_printf(b, "int64_t %s, ", fn->size_name[i]);
    if (fn->comm)
        ir_buf_str(b, "const struct cot_comm *comm, ");
    for (int i = 0; i < fn->n_in + fn->n_out; i++) {
        const rt_parameter *x = &fn->parameter[i];

        if (strcmp(x->role, "generator") == 0)
            ir_buf_printf(b, "const uint64_t %s[2], ", x->name);
        else
            ir_buf_printf(b, "%s%s, ", x->type, x->name);
    }
    ir_buf_printf(b, "%svoid *work);\n",
                  fn->module->parallel ? "const struct cot_parallel *pool, " : "");
}

/* The residuals that the first of two halves passes to the second, in one block: its size, and
 * its parts as a list of arguments for both. */
static void
print_residuals(ir_buf *b, const rt_function *fn)
{
    enum { ALIGN = 64 };
    const char *big = fn->constant;
    const ir_graph *f = fn->of->graph;
    long long at = 0;

    if (fn->of->n_res == 0)
        return;
    ir_buf_printf(b, "#define %s_RES(block)", big);
    for (int i = f->n_out - fn->of->n_res; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);

        ir_buf_printf(b, "%s \\\n    (%s *)((char *)(block) + %lld)", at ? "," : "",
                      c_types[t->dtype], at);
        at += ((long long)t->size * (long long)cot_dtype_size(t->dtype) / ALIGN + 1) * ALIGN;
    }
    ir_buf_printf(b, "\n#define %s_RES_BYTES %lld\n#define %s_RES_ALIGN %d\n", big, at, big,
                  ALIGN);
}

/* The functions that the linker must find, each once: those of libcotrace_rt.a (of_runtime), or
 * the caller's own. */
int
rt_externs(ir_arena *a, int n, const rt_function *fn, bool of_runtime, const cg_extern ***out)
{
    const cg_extern **at = NULL;
    uint32_t count = 0, cap = 0;

    for (int i = 0; i < n; i++)
        for (uint32_t j = 0; j < fn[i].module->n_ext; j++) {
            const cg_extern *x = fn[i].module->ext[j];
            bool old = (x->symbol && strncmp(x->symbol, "cot_rt_", 7) == 0) != of_runtime;

            for (uint32_t k = 0; k < count && !old; k++)
                old = strcmp(at[k]->prototype, x->prototype) == 0;
            if (!old)
                IR_PUSH(a, at, count, cap, x);
        }
    *out = at;
    return (int)count;
}

static void
print_prototypes(ir_buf *b, int n, const rt_function *fn, bool of_runtime, const char *title)
{
    const cg_extern **x;
    const int count = rt_externs(b->arena, n, fn, of_runtime, &x);

    for (int i = 0; i < count; i++)
        ir_buf_printf(b, "%s%s\n", i ? "" : title, x[i]->prototype);
}

/* The sentence of the preface that says which library must be linked. */
static void
print_links(ir_buf *b, int n, const rt_function *fn, bool parallel)
{
    const cg_extern **x;
    const int count = rt_externs(b->arena, n, fn, true, &x);

    ir_buf_printf(b, "\n *\n * Links with %s",
                  count      ? "libcotrace_rt.a, which has"
                  : parallel ? "nothing of Cotrace, but for a pool of cot_rt_pool_new, which "
                               "libcotrace_rt.a has"
                             : "nothing of Cotrace");
    for (int i = 0; i < count; i++)
        ir_buf_printf(b, "%s %s", i ? "," : "", x[i]->symbol);
    ir_buf_str(b, ".");
}

static const char *
file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The include guard: begins with a letter even if the file name begins with a digit. */
static const char *
guard_of(ir_arena *a, const char *path)
{
    const char *word = upper(a, file_name(path));

    return *word >= '0' && *word <= '9' ? ir_format(a, "H_%s", word) : word;
}

static void
print_preface(ir_buf *b, const char *path, int n, const rt_function *fn, bool donated)
{
    bool inout = false, parallel = false;

    for (int i = 0; i < n; i++) {
        inout |= fn[i].of->graph->n_inout > 0;
        parallel |= fn[i].module->parallel;
    }
    ir_buf_printf(
        b, "/* %s: written by Cotrace %s.  This file belongs to you: use it as you like.\n *\n",
        file_name(path), COT_VERSION);
    ir_buf_str(b, " * Arrays are dense, row-major and aligned to their element; no array "
                  "overlaps one that is written.\n"
                  " * f16, bf16 are bits in uint16_t; bool is one byte, 0 or 1; c64, c128 are "
                  "pairs of float, double, the\n"
                  " * real part first, as float _Complex and std::complex<float>.  work has "
                  "NAME_WORK_BYTES bytes aligned\n"
                  " * to NAME_WORK_ALIGN, and may be NULL if that is 0 bytes.  The answer is "
                  "0; or a number\n");
    ir_buf_printf(b,
                  " * of cotrace/base.h, as %d where a loop passed its bound or %d where a "
                  "foreign function failed: then\n * no result is defined, and "
                  "F_STATUS_TEXT(answer) of function F says what failed in which line.",
                  COT_ERR_BOUND, COT_ERR_FOREIGN);
    if (inout)
        ir_buf_str(
            b,
            "\n * An argument marked inout is updated: it holds its new value after the call.");
    if (donated)
        ir_buf_str(b,
                   "\n * An argument marked donated holds nothing defined after the call; each "
                   "result, in order, may be the\n * array of the first of them of its type "
                   "that no result before it has.");
    print_links(b, n, fn, parallel);
    ir_buf_str(b, "\n *\n"
                  " * Of function F and its parameter X: F_FLOPS and F_TRAFFIC (bytes read and "
                  "written) estimate a call;\n"
                  " * F_X_SIZE counts elements, F_X_STRIDES are in elements, F_X_ALIGN is in "
                  "bytes; F_X_SHAPE and\n"
                  " * F_X_STRIDES initialise arrays of F_X_RANK integers. */\n");
}

static const char pool_text[] =
    "\n/* A parallel-for: run calls body for ranges that cover [0, n) once each, in any "
    "threads, and returns when\n"
    " * all are done; a range shorter than grain is not worth a thread.  Yours, or "
    "cot_rt_pool_new's of\n"
    " * cotrace/pool.h and libcotrace_rt.a.  NULL runs all in the calling thread.  Results are "
    "the same bits in\n"
    " * any case. */\n"
    "#ifndef COT_PARALLEL_DEFINED\n#define COT_PARALLEL_DEFINED\n"
    "struct cot_parallel {\n"
    "    void (*run)(const struct cot_parallel *self, void (*body)(void *ctx, int64_t lo, "
    "int64_t hi), void *ctx,\n"
    "                int64_t n, int64_t grain);\n"
    "};\n#endif\n";

static const char comm_text[] =
    "\n/* The processes that share a call: this one is number rank of size.  All of them make "
    "the same calls in the\n"
    " * same order, with the same arguments, and each has all results, whose bits do not "
    "depend "
    "on size.  exchange\n"
    " * sends bytes to another process, which calls it with the sizes exchanged, and receives "
    "bytes from it, both at\n"
    " * the same time; 0, or it failed: then the call answers a status, after it has called "
    "abort, by which the\n"
    " * calls of the others fail as well.  After any other status that is not 0, call abort "
    "yourself.  barrier is not\n"
    " * called; abort and error may be NULL.  cotrace/comm.h has one for processes that share "
    "memory, and\n"
    " * cotrace/mpi.h for MPI.  comm may be NULL: one process does all. */\n"
    "#ifndef COT_COMM_DEFINED\n#define COT_COMM_DEFINED\n"
    "struct cot_comm {\n"
    "    void *user; /* handed to each function */\n"
    "    int rank, size;\n"
    "    int (*exchange)(void *user, int partner, const void *send, size_t send_bytes, void "
    "*receive,\n"
    "                    size_t receive_bytes);\n"
    "    int (*barrier)(void *user);\n"
    "    void (*abort)(void *user);\n"
    "    const char *(*error)(void *user);\n"
    "    int64_t (*start)(void *user, int partner, const void *send, size_t send_bytes, void "
    "*receive,\n"
    "                     size_t receive_bytes);\n"
    "    int (*wait)(void *user, int64_t exchange);\n"
    "};\n#endif\n";

void
rt_print_header(ir_buf *b, const char *path, const rt_plan *p, int n, const rt_function *fn)
{
    const char *guard = guard_of(b->arena, path);
    bool parallel = false, foreign = false, comm = false;

    for (int i = 0; i < n; i++) {
        comm |= fn[i].comm;
        parallel |= fn[i].module->parallel;
        foreign |= fn[i].module->n_ext > 0;
    }
    print_preface(b, path, n, fn, p->donated.n > 0);
    ir_buf_printf(b, "#ifndef %s\n#define %s\n\n#include <stdint.h>\n\n", guard, guard);
    ir_buf_str(b, foreign ? "#include <stdbool.h>\n#include <stddef.h>\n" : "");
    ir_buf_str(b, fn[0].rows ? "#include <time.h>\n" : "");
    ir_buf_str(b, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    print_prototypes(b, n, fn, true, "\n/* Of libcotrace_rt.a. */\n");
    print_prototypes(b, n, fn, false, "\n/* Foreign functions: yours to link. */\n");
    if (parallel)
        ir_buf_str(b, pool_text);
    if (comm)
        ir_buf_str(b, comm_text);
    for (int i = 0; i < n; i++) {
        print_function(b, &fn[i]);
        print_residuals(b, &fn[i]);
    }
    if (fn[0].rows)
        rt_print_profile_clock(b);
    for (int i = 0; i < n && fn[0].rows; i++)
        rt_print_profile(b, &fn[i]);
    ir_buf_str(b, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
