/* Programs through every back end (batch.h). */
#include "tests/laws/batch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/call.h"
#include "runtime/check.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"
#include "tests/redzone.h"

const char *const batch_backend_names[N_BACKENDS] = { "JIT", "object", "C by gcc", "C by clang",
                                                      "C by tcc" };

static const int widths[] = { 1, 4, 8, 16 };

void
batch_begin(batch *b, cot_context *ctx)
{
    *b = (batch){ .ctx = ctx };
    strcpy(b->folder, "/tmp/cotrace-batch-XXXXXX");
    if (!mkdtemp(b->folder))
        exit(2);
}

void
batch_end(batch *b)
{
    char line[128];

    snprintf(line, sizeof line, "rm -rf %s", b->folder);
    if (system(line) != 0)
        b->failures++;
    if (b->pool)
        cot_rt_pool_free(b->pool);
    for (int i = 0; i < b->n; i++) {
        laws_free(b->p[i].f->n_in, b->p[i].in);
        laws_free(b->p[i].f->n_out, b->p[i].want);
        laws_free(b->p[i].f->n_out, b->p[i].got);
    }
}

bool
batch_has(const char *compiler)
{
    char folder[] = "/tmp/cotrace-batch-XXXXXX", line[256];
    bool has;

    if (!mkdtemp(folder))
        exit(2);
    snprintf(line, sizeof line, "cd %s && echo 'int x;' >x.c && %s -c x.c >said 2>&1", folder,
             compiler);
    has = system(line) == 0;
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line) == 0 && has;
}

/* -- answers -- */

static void
answer(batch *b, batch_program *p, batch_backend by, batch_answer a, const char *why)
{
    p->answer[by] = a;
    p->why[by] = ir_copy_string(&b->ctx->arena, why);
    if (a != BATCH_DIFFERS)
        return;
    b->failures++;
    fprintf(stderr, "law_backends_page: %s: %s: %s\n%s", p->name, batch_backend_names[by], why,
            p->text ? p->text : "");
}

/* What the context says is why: a back end that has no way to call a function in this process
 * refuses. */
static void
refuse(batch *b, batch_program *p, batch_backend by)
{
    const char *why = cot_error(b->ctx);

    answer(b, p, by,
           strstr(why, "foreign") || strstr(why, "address") ? BATCH_REFUSED : BATCH_DIFFERS,
           why);
    cot_error_clear(b->ctx);
}

static void
compare(batch *b, batch_program *p, batch_backend by)
{
    for (int k = 0; k < p->f->n_out; k++)
        if (laws_differ(ir_type_at(p->f, p->f->out[k]), p->want[k], p->got[k]) >= 0) {
            answer(b, p, by, BATCH_DIFFERS, "differs from the evaluator");
            return;
        }
    answer(b, p, by, BATCH_SAME, "");
}

/* -- one program: evaluated, lowered, by the JIT -- */

static cot_status
lower(batch *b, batch_program *p, const char *backend, int bits, cg_natural *out,
      cg_target *target)
{
    const cot_compile_options o = { .backend = backend,
                                    .vector_bits = bits,
                                    .threads = p->two_threads ? 2 : 1 };
    rt_lowered low;
    rt_plan plan;

    b->ctx->shares_all = true; /* with several threads */
    COT_TRY(rt_plan_new(b->ctx, &o, p->f->name, &plan));
    COT_TRY(rt_lower(p->f, &plan, &b->ctx->arena, &low));
    *out = (cg_natural){ .name = ir_format(&b->ctx->arena, "p%d", (int)(p - b->p)),
                         .module = low.module,
                         .n_in = p->f->n_in,
                         .n_out = p->f->n_out - p->f->n_inout };
    COT_TRY(cg_check_externs(low.module, "a file"));
    p->work_bytes =
        low.module->work_bytes > p->work_bytes ? low.module->work_bytes : p->work_bytes;
    *target = plan.target;
    return COT_OK;
}

static cot_status
run_kernel(batch *b, batch_program *p, const char *backend, void **out)
{
    void **args = IR_NEW_N(&b->ctx->arena, void *, p->f->n_in + p->f->n_out + 1);
    cot_status status;
    cot_kernel *k;

    COT_TRY(cot_compile_graph(p->f, &(cot_compile_options){ .backend = backend }, &k));
    rt_arguments(k, p->in, out, args);
    status = rt_call_kernel(k, args, NULL);
    cot_kernel_free(k);
    return status;
}

static void
make_arrays(batch_program *p)
{
    uint64_t seed = p->seed;

    if (!p->in)
        p->in =
            laws_sample(p->f, &seed, p->lo, p->hi, p->special ? laws_fill_special : laws_fill);
    p->want = laws_values(p->f->n_out, p->f->out, p->f);
    p->got = laws_values(p->f->n_out, p->f->out, p->f);
}

/* At the widths that are asked for, and for scalars. */
static bool
lower_c(batch *b, batch_program *p)
{
    cg_target target;

    if (lower(b, p, "c", 32, &p->plain, &target) != COT_OK)
        return false;
    p->c[0] = p->lanes <= 1 ? p->plain : (cg_natural){ 0 };
    for (int k = 1; k < 4; k++)
        if ((p->lanes == 0 || p->lanes == widths[k]) &&
            lower(b, p, "c", 32 * widths[k], &p->c[k], &target) != COT_OK)
            return false;
    return true;
}

bool
batch_add(batch *b, const batch_program *from)
{
    batch_program *p = &b->p[b->n];
    bool ends;

    *p = *from;
    make_arrays(p);
    if (rt_check_points(p->f, p->in, &ends) != COT_OK || !ends ||
        run_kernel(b, p, "eval", p->want) != COT_OK) {
        cot_error_clear(b->ctx);
        laws_free(p->f->n_in, p->in);
        laws_free(p->f->n_out, p->want);
        laws_free(p->f->n_out, p->got);
        return false;
    }
    b->n++;
    if (!lower_c(b, p)) {
        refuse(b, p, BY_GCC);
        for (int by = BY_CLANG; by <= BY_TCC; by++) {
            p->answer[by] = p->answer[BY_GCC];
            p->why[by] = p->why[BY_GCC];
        }
        p->plain.module = NULL;
        for (int k = 0; k < 4; k++)
            p->c[k].module = NULL;
    }
    return true;
}

void
batch_jit(batch *b)
{
    for (int i = 0; i < b->n; i++)
        if (run_kernel(b, &b->p[i], "jit", b->p[i].got) == COT_OK)
            compare(b, &b->p[i], BY_JIT);
        else
            refuse(b, &b->p[i], BY_JIT);
}

/* -- files -- */

static bool
write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    bool good = file && fwrite(bytes, 1, size, file) == size;

    return file && fclose(file) == 0 && good;
}

/* -- one call, between red zones -- */

typedef struct zones {
    int n, n_args;
    redzone *z;
    rt_arg *arg;
} zones;

static void
add_zone(zones *s, size_t bytes, size_t align, redzone_kind kind)
{
    s->arg[s->n_args++].at = redzone_new(&s->z[s->n++], bytes, align, kind);
}

static cot_parallel *
pool_of(batch *b)
{
    if (!b->pool && !(b->pool = cot_rt_pool_new(2)))
        exit(2);
    return b->pool;
}

/* The arguments, the results that are not arguments, the pool, the work block. */
static void
zones_new(batch *b, const batch_program *p, const cg_natural *fn, zones *s)
{
    static const redzone_kind kinds[] = { REDZONE_BOTH, REDZONE_END, REDZONE_BEGIN };
    const redzone_kind kind = kinds[p->seed % 3];
    const int n = fn->n_in + fn->n_out;

    *s = (zones){ .z = IR_NEW_N(&b->ctx->arena, redzone, n + 1),
                  .arg = IR_NEW_N(&b->ctx->arena, rt_arg, n + 2) };
    for (int i = 0; i < n; i++) {
        const ir_ref v = i < fn->n_in ? p->f->in[i] : p->f->out[i - fn->n_in];
        const ir_type *t = ir_type_at(p->f, v);
        const size_t align = t->size ? cot_dtype_size(ir_part_type(t->dtype)) : 1;
        add_zone(s, laws_bytes(t), align, kind);
        if (i < fn->n_in && laws_bytes(t))
            memcpy(s->arg[i].at, p->in[i], laws_bytes(t));
        else
            memset(s->arg[i].at, 0x5a, laws_bytes(t));
    }
    if (fn->module->parallel)
        s->arg[s->n_args++].at = pool_of(b);
    add_zone(s, (size_t)p->work_bytes, 64, kind == REDZONE_BEGIN ? kind : REDZONE_END);
}

static bool
updates(const ir_graph *f, int argument)
{
    for (int k = 0; k < f->n_inout; k++)
        if (f->inout[k].arg == argument)
            return true;
    return false;
}

/* What the call wrote where it may not, or NULL. */
static const char *
judge_zones(batch *b, const batch_program *p, const cg_natural *fn, const zones *s)
{
    ptrdiff_t at;

    for (int i = 0; i < s->n; i++)
        if (!redzone_good(&s->z[i], &at))
            return ir_format(&b->ctx->arena, "writes beside array %d, at byte %lld", i,
                             (long long)at);
    for (int i = 0; i < fn->n_in; i++) {
        const size_t bytes = laws_bytes(ir_type_at(p->f, p->f->in[i]));
        if (bytes && !updates(p->f, i) && memcmp(p->in[i], s->arg[i].at, bytes) != 0)
            return ir_format(&b->ctx->arena, "writes to argument %d", i);
    }
    return NULL;
}

/* The last results are the arguments that the function updates. */
static void
take_results(const batch_program *p, const cg_natural *fn, const zones *s)
{
    for (int k = 0; k < p->f->n_out; k++) {
        const size_t bytes = laws_bytes(ir_type_at(p->f, p->f->out[k]));
        const int at = k < fn->n_out ? fn->n_in + k : p->f->inout[k - fn->n_out].arg;
        if (bytes)
            memcpy(p->got[k], s->arg[at].at, bytes);
    }
}

/* Call it; what is wrong, or NULL. */
static const char *
call(batch *b, batch_program *p, const cg_natural *fn, void *library)
{
    const char *why = "fails";
    int result = -1;
    zones s;
    union {
        void *p;
        void (*f)(void);
    } entry = { dlsym(library, fn->name) };

    zones_new(b, p, fn, &s);
    if (b->calling)
        *b->calling = (int)(p - b->p);
    if (entry.p && rt_call_c(b->ctx, entry.f, s.n_args, s.arg, &result) == COT_OK &&
        result == 0) {
        why = judge_zones(b, p, fn, &s);
        take_results(p, fn, &s);
    }
    for (int i = 0; i < s.n; i++)
        redzone_free(&s.z[i]);
    return why;
}

/* The function that a back end has of a program; NULL: it has none. */
static const cg_natural *
function_of(const batch_program *p, batch_backend by)
{
    if (by == BY_OBJECT)
        return p->native.module ? &p->native : NULL;
    if (by == BY_TCC)
        return p->plain.module ? &p->plain : NULL;
    for (int k = 0; k < 4; k++)
        if (p->c[k].module)
            return &p->c[k];
    return NULL;
}

void
batch_c(batch *b, batch_backend by, const char *command, const char *name)
{
    char line[1024], path[128];
    void *library;

    snprintf(line, sizeof line, "cd %s && %s", b->folder, command);
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    library = system(line) == 0 ? dlopen(path, RTLD_NOW) : NULL;
    for (int i = 0; i < b->n; i++) {
        const cg_natural *fn = function_of(&b->p[i], by);
        if (!fn)
            continue;
        const char *why =
            library ? call(b, &b->p[i], fn, library) : "its file does not compile or load";
        if (why)
            answer(b, &b->p[i], by, BATCH_DIFFERS, why);
        else
            compare(b, &b->p[i], by);
    }
    if (library)
        dlclose(library);
}

void
batch_object(batch *b)
{
    const void *bytes;
    cg_natural fn[MAX_BATCH];
    size_t size;
    int n = 0;

    for (int i = 0; i < b->n; i++) {
        batch_program *p = &b->p[i];
        if (lower(b, p, "jit", 0, &p->native, &b->native) == COT_OK) {
            fn[n++] = p->native;
            continue;
        }
        refuse(b, p, BY_OBJECT);
        p->native.module = NULL;
    }
    if (n == 0)
        return;
    if (cg_llvm()->emit(b->ctx, &b->native, CG_TO_OBJECT, n, fn, &b->ctx->arena, &bytes,
                        &size) == COT_OK &&
        write_file(ir_format(&b->ctx->arena, "%s/x.o", b->folder), bytes, size))
        batch_c(b, BY_OBJECT, "cc -shared -o x.so x.o", "x.so");
    else
        refuse(b, &b->p[0], BY_OBJECT);
}

/* The functions of those that want the width alone, or all of them. */
static int
of_width(const batch *b, int lanes, int k, cg_natural *out)
{
    int n = 0;

    for (int i = 0; i < b->n; i++)
        if (b->p[i].c[k].module && b->p[i].lanes == lanes)
            out[n++] = b->p[i].c[k];
    return n;
}

static const char *
write_one(batch *b, const char *name, int n_widths, const cg_c_width *w, int n,
          const char *names)
{
    const void *bytes;
    size_t size;

    if (cg_c_write(b->ctx, n_widths, w, n, false, &b->ctx->arena, &bytes, &size) == COT_OK &&
        write_file(ir_format(&b->ctx->arena, "%s/%s", b->folder, name), bytes, size))
        return ir_format(&b->ctx->arena, "%s %s", names, name);
    refuse(b, &b->p[0], BY_GCC);
    return names;
}

const char *
batch_write_c(batch *b)
{
    cg_natural fn[4][MAX_BATCH];
    cg_c_width w[4];
    const char *names = "";
    int n = 0;

    for (int k = 0; k < 4; k++) {
        w[k] = (cg_c_width){ widths[k], fn[k], 0 };
        n = of_width(b, widths[k], k, fn[k]);
        names =
            n ? write_one(b, ir_format(&b->ctx->arena, "c%d.c", widths[k]), 1, &w[k], n, names)
              : names;
    }
    for (int k = 0; k < 4; k++)
        n = of_width(b, 0, k, fn[k]);
    return n ? write_one(b, "c0.c", 4, w, n, names) : names;
}

const char *
batch_write_plain(batch *b)
{
    cg_natural fn[MAX_BATCH];
    int n = 0;

    for (int i = 0; i < b->n; i++)
        if (b->p[i].plain.module)
            fn[n++] = b->p[i].plain;
    return n ? write_one(b, "plain.c", 1, &(cg_c_width){ 1, fn, 0 }, n, "") : "";
}
