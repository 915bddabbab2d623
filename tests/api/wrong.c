/* Wrong arguments: a status and a message, and never a crash, from every public function.
 *
 * The calls are written from the headers (wrong.awk): each argument in turn is NULL, a
 * handle that was forged or is of another context, a list without entries, a count below
 * zero.  All calls run in a child process, inside an open trace and outside; where one ends
 * the child, the next child goes on behind it. */
#define _DEFAULT_SOURCE
#include "wrong.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

w_world w, w_other;
cot_body *const w_bodies[] = { w_body, w_body };

/* Where a child is, for its parent. */
typedef struct progress {
    int function, call, silent;
    bool open;                  /* inside an open trace */
} progress;
static progress *at;

void *
w_block(int k)
{
    static max_align_t block[16][8192 / sizeof(max_align_t)];

    return memset(block[k & 15], 0, sizeof *block);
}

FILE *
w_file(void)
{
    static FILE *file;

    return file ? file : (file = fopen("file", "w"));
}

w_said
w_status(cot_status status)
{
    return status == COT_OK || *cot_error(w.ctx) || *cot_error(w_other.ctx) ? w_none : w_silent;
}

void
w_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = in[0];
}

void
w_solver(cot_trace *t, cot_fn *A, const cot_value *b, cot_value *x, void *user)
{
    (void)t, (void)A, (void)user;
    x[0] = b[0];
}

void
w_write(void *user, const char *text, size_t bytes)
{
    (void)user, (void)text, (void)bytes;
}

static void
w_custom_body(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = in[0];
}

/* The trace and its value stay behind as handles of a trace that ended. */
static void
ended(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    w_world *world = user;

    world->trace = t;
    out[0] = world->value = cot_add(in[0], 1);
}

static void
world_new(w_world *world)
{
    const cot_type type = cot_f32(2, 2);

    *world = (w_world){ .ctx = cot_context_new(NULL) };
    cot_fn *f = cot_fn_new(world->ctx, "ended", ended, 1, 1, world);
    world->fn = cot_fn_new(world->ctx, "fn", w_body, 1, 1, NULL);
    if (cot_trace_fn(f, COT_TYPES(type), &world->graph) != COT_OK ||
        cot_compile(world->fn, COT_TYPES(type), &(cot_compile_options){ .backend = "eval" },
                    &world->kernel) != COT_OK)
        abort();
    world->array = cot_array_new(world->ctx, type);
    for (int i = 0; i < 4; i++)
        world->arrays[i] = i == 0 ? cot_array_new(world->ctx, type) : world->array;
    world->tree = cot_tree_new(world->ctx, "x, y", 2 * sizeof(cot_value));
    world->custom = cot_custom_new(world->ctx, "custom", .forward = w_custom_body);
    world->module = cot_module_new(world->ctx, .name = "m", .body = w_body, .params = "p",
                                   .inputs = "x", .results = "y");
    cot_error_clear(world->ctx);
}

/* ---- calls whose options are wrong ---- */

#define BARE ((cot_list){ .n = 1 })
#define VALUES w_right_cot_values
#define NOWHERE ((cot_values){ .n = 9 })

/* Bodies that are NULL, lists of values that point nowhere. */
static w_said
call_flow(int i)
{
    const cot_value x = w.value;

    switch (i) {
    case 0: cot_while(NULL, w_body, .in = VALUES); break;
    case 1: cot_while(w_body, NULL, .in = VALUES); break;
    case 2: cot_while(w_body, w_body, .in = NOWHERE, .t = w.trace); break;
    case 3: cot_scan(NULL, .in = VALUES, .xs = VALUES); break;
    case 4: cot_scan(w_body, .in = VALUES, .xs = NOWHERE); break;
    case 5: cot_fori(3, NULL, .in = VALUES); break;
    case 6: cot_fori(x, NULL, .in = VALUES); break;
    case 7: cot_fori(cot_zeros(w.trace, cot_i32()), NULL, .in = VALUES); break;
    case 8: cot_map(NULL, .xs = VALUES); break;
    case 9: cot_cond(cot_zeros(w.trace, cot_bool()), NULL, w_body, .in = VALUES); break;
    case 10: cot_cond(1, NULL, w_body, .in = VALUES); break;
    case 11: cot_cond(cot_zeros(w.trace, cot_bool()), w_body, w_body, .in = NOWHERE); break;
    case 12: cot_cond(1, w_body, w_body, .in = NOWHERE, .t = w.trace); break;
    case 13: cot_map(w_body, .xs = VALUES, .n_out = -1); break;
    case 14: cot_scan(w_body, .in = VALUES, .xs = VALUES, .n_out = -7); break;
    case 15: cot_call(NULL, x); break;
    case 16: cot_call(w_other.fn, x); break;
    case 17: cot_call(cot_grad(w_other.fn), x); break;
    case 18: cot_call_all(w.fn, VALUES, NULL, 1); break;
    default: break;
    }
    return w_none;
}

static w_said
call_combine(int i)
{
    const cot_value x = w.value;

    switch (i) {
    case 0: cot_reduce(NULL, .xs = VALUES, .inits = VALUES); break;
    case 1: cot_reduce(w_body, .xs = VALUES, .inits = NOWHERE); break;
    case 2: cot_reduce(w_body, .xs = VALUES, .inits = VALUES, .axes = BARE); break;
    case 3:
        cot_reduce_window(NULL, .xs = VALUES, .inits = VALUES, .window = COT_LIST(1, 1));
        break;
    case 4: cot_reduce_window(w_body, .xs = VALUES, .inits = VALUES, .window = BARE); break;
    case 5: cot_sort_by(NULL, .xs = VALUES); break;
    case 6: cot_scatter_by(NULL, .xs = VALUES, .updates = VALUES, .index = COT_AT(0)); break;
    case 7: cot_scatter_by(w_body, .xs = VALUES, .updates = NOWHERE, .index = COT_AT(0)); break;
    case 8:
        cot_scatter_by(w_body, .xs = VALUES, .updates = VALUES, .index = { .n = 13 });
        break;
    case 9: cot_select_and_scatter(NULL, NULL, x, x, x, .window = COT_LIST(1, 1)); break;
    case 10: cot_associative_scan(NULL, .xs = VALUES); break;
    case 11: cot_associative_scan(w_body, .xs = NOWHERE); break;
    case 12: cot_custom_linear_solve(NULL, w_solver, .b = VALUES); break;
    case 13: cot_custom_linear_solve(w_body, NULL, .b = VALUES); break;
    case 14: cot_custom_linear_solve(w_body, w_solver, .b = NOWHERE); break;
    case 15: cot_custom_root(NULL, w_solver, .b = VALUES); break;
    case 16: cot_custom_root(w_body, NULL, .b = VALUES, .tangent = w_solver); break;
    case 17: cot_custom_call(w_other.custom, COT_LIST(), COT_VALUES(x), NULL); break;
    case 18: cot_custom_call(w.custom, BARE, COT_VALUES(x), NULL); break;
    default: break;
    }
    return w_none;
}

/* `.axes = 1` sets the count of a list, and no entry. */
static w_said
call_lists(int i)
{
    const cot_value x = w.value;

    switch (i) {
    case 0: cot_reduce_sum(x, .axes = BARE); break;
    case 1: cot_softmax(x, .axes = BARE); break;
    case 2: cot_slice(x, .start = BARE, .limit = BARE, .stride = BARE); break;
    case 3: cot_pad(x, 0, .low = BARE, .high = BARE, .interior = BARE); break;
    case 4: cot_transpose(x, .perm = BARE); break;
    case 5: cot_reverse(x, .axes = BARE); break;
    case 6: cot_broadcast_in_dim(x, .shape = BARE, .dims = BARE); break;
    case 7: cot_dot_general(x, x, .lhs = BARE, .rhs = BARE); break;
    case 8: cot_dot_general(x, x, .lhs_batch = BARE, .rhs_batch = BARE); break;
    case 9: cot_gather(x, x, .offset_dims = BARE, .collapsed = BARE, .index_map = BARE); break;
    case 10: cot_scatter_add(x, x, x, .offset_dims = BARE, .index_map = BARE); break;
    case 11: cot_fftn(x, .axes = BARE, .sizes = BARE); break;
    case 12: cot_conv(x, x, .strides = BARE, .padding = BARE, .dilation = BARE); break;
    case 13:
        cot_conv_transpose1d(x, x, x, .strides = BARE, .padding = BARE, .dilation = BARE);
        break;
    case 14:
        cot_max_pool(x, COT_LIST(1, 1), .strides = BARE, .axes = BARE, .padding = BARE);
        break;
    case 15: cot_embedding(x, x, .padding = BARE); break;
    case 16: cot_nll(x, x, .ignore = BARE); break;
    case 17: cot_layer_norm(x, .axes = BARE); break;
    case 18: cot_view_slice(x, .start = BARE); break;
    case 19: cot_view_transpose(x, .perm = BARE); break;
    case 20: cot_norm(x, .axes = BARE); break;
    case 21: cot_normal(w.trace, cot_f32(2), .key = w_wrong_cot_value[2]); break;
    default: break;
    }
    return w_none;
}

/* The functions of a transform with a wrong list, and compilations with wrong options. */
static w_said
call_functions(int i)
{
    const cot_types types = COT_TYPES(cot_f32(2, 2));
    const cot_graph *g;
    cot_kernel *k = NULL;
    cot_array *r[4] = { NULL };

    switch (i) {
    case 0: return w_status(cot_trace_fn(cot_grad(w.fn, .wrt = BARE), types, &g));
    case 1: return w_status(cot_trace_fn(cot_vmap(w.fn, .in_dims = BARE), types, &g));
    case 2: return w_status(cot_trace_fn(cot_vmap(w.fn, .out_dims = BARE), types, &g));
    case 3: return w_status(cot_trace_fn(cot_fn_new(w.ctx, "f", NULL, 1, 1, NULL), types, &g));
    case 4:
        return w_status(
            cot_compile(w.fn, types, &(cot_compile_options){ .donated = BARE }, &k));
    case 5:
        return w_status(
            cot_compile(w.fn, types, &(cot_compile_options){ .donated = COT_LIST(9) }, &k));
    case 6:
        return w_status(
            cot_compile(w.fn, types, &(cot_compile_options){ .backend = "none" }, &k));
    case 7:
        return w_status(cot_build_object(
            w.ctx, &(cot_export){ .fn = w_other.fn, .types = types }, 1, NULL, "f.c", NULL));
    case 8:
        return w_status(
            cot_build_object(w.ctx, &(cot_export){ .types = types }, 1, NULL, "f.c", NULL));
    case 9: return w_status(cot_jit(w.fn, r, 3, (const cot_array *const *)w.arrays, 1));
    case 10: return w_status(cot_jit(w.fn, r, -1, (const cot_array *const *)w.arrays, 1));
    case 11: return w_status(cot_jit(w.fn, r, 1, (const cot_array *[]){ NULL }, 1));
    case 12: return w_status(cot_run(w.kernel, r, (const cot_array *const *)w.arrays));
    case 13:
        return w_status(
            cot_module_call(w.module, r, 1, NULL, 0, w.arrays, 1, .fn = w_other.fn));
    case 14:
        return w_status(cot_import_stablehlo(w.ctx, "x", "x", 1,
                                             &(cot_import_options){ .sizes = BARE }, &g));
    case 15:
        return w_status(cot_import_stablehlo(w.ctx, "x", "x", 1,
                                             &(cot_import_options){ .types = { .n = 9 } }, &g));
    default: break;
    }
    return w_none;
}

/* A function that failed says why again, after its error was cleared. */
static w_said
call_again(int i)
{
    cot_fn *const f[] = {
        cot_fn_new(w.ctx, "f", NULL, 1, 1, NULL), cot_pipeline(w.fn, "no such pass"),
        cot_fn_named(w.fn, "x, y", "z"),          cot_with(w.fn, "x", 1.0),
        cot_vmap(w.fn, .in_dims = BARE),          cot_grad(cot_taking(w.fn, "x"))
    };
    const cot_graph *g;

    cot_error_clear(w.ctx);
    if (cot_trace_fn(cot_vmap(f[i]), COT_TYPES(cot_f32(2, 2)), &g) == COT_OK)
        return w_silent;
    return *cot_error(w.ctx) ? w_none : w_silent;
}

static const w_function more[] = {
    { "flow", 19, call_flow },           { "combine", 19, call_combine },
    { "lists", 22, call_lists },         { "functions", 16, call_functions },
    { "functions that failed", 6, call_again }, { NULL, 0, NULL },
};

/* The functions of the headers, then those above. */
static const w_function *
function(int i)
{
    for (int n = 0; w_functions[n].name; n++, i--)
        if (i == 0)
            return &w_functions[n];
    return &more[i];
}

/* ---- the calls of one function ---- */

static void
call(void)
{
    if (function(at->function)->call(at->call) == w_silent)
        at->silent = 1;
}

static void
call_inside(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    w_world *world = user;

    world->trace = t;
    world->value = in[0];
    call();
    out[0] = in[0];
}

/* Functions that free what they are given have a world of their own for each call. */
static bool
frees(const char *name)
{
    return strstr(name, "_free") != NULL;
}

static void
call_once(void)
{
    const cot_value value = w.value;
    cot_trace *const trace = w.trace;
    const cot_graph *g;

    cot_error_clear(w.ctx);
    cot_error_clear(w_other.ctx);
    if (at->open && !frees(function(at->function)->name))
        (void)cot_trace_fn(cot_fn_new(w.ctx, "inside", call_inside, 1, 1, &w),
                           COT_TYPES(cot_f32(2, 2)), &g);
    else
        call();
    w.value = value, w.trace = trace;
}

/* From where *at is, until all are done or one ends the process or is silent. */
static void
child(void)
{
    world_new(&w_other);
    for (; function(at->function)->name; at->function++, at->call = 0) {
        world_new(&w);
        for (; at->call < function(at->function)->n; at->call++) {
            call_once();
            if (at->silent)
                _exit(0);
            if (frees(function(at->function)->name))
                world_new(&w), world_new(&w_other);
        }
        if (!frees(function(at->function)->name))
            cot_context_free(w.ctx);
    }
    _exit(0);
}

static int
all_calls(bool open)
{
    int wrong = 0;

    *at = (progress){ .open = open };
    while (function(at->function)->name) {
        int status;
        const pid_t p = fork();

        if (p == 0)
            child();
        if (p < 0 || waitpid(p, &status, 0) != p)
            return 1;
        if (!function(at->function)->name)
            break;
        printf("%s, call %d, %s a trace: %s\n", function(at->function)->name, at->call,
               open ? "inside" : "outside",
               at->silent            ? "fails without a message"
               : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                     : "ends the process");
        wrong++;
        at->silent = 0;
        at->call++;
    }
    return wrong;
}

int
main(void)
{
    char folder[] = "/tmp/cotrace-wrong-XXXXXX";

    at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || !mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    const int wrong = all_calls(false) + all_calls(true);

    printf("%d calls are wrong\n", wrong);
    return wrong != 0;
}
