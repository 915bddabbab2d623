/* Packs programs for a machine with a GPU and nothing else:
 *
 *   pack FOLDER FIRST STEP SWEPT BENCH.cot...
 *
 * Of the laws' programs FIRST, FIRST + STEP, ...: text, PTX, manifest, and a file of
 * samples, plain and special, each the bytes of all arguments, of all results, and of the
 * new values of in/out arguments, as the reference evaluator has them.  Of each bench
 * workload: PTX and manifest; its arguments the runner makes from a seed, as rt_random_fill
 * does, and of its results there is a hash, made with the host's kernel, unless a line "; no
 * expectation" says that this takes too long.  A line "; fast" lets tensor cores make it;
 * then the results themselves are packed (NAME.near), for a comparison of sizes.  Of SWEPT
 * programs of the sweeps (swept.h): text and PTX, since the runtime there makes the rest.
 * programs.txt, bench.txt and swept.txt list them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/diag.h"
#include "runtime/build.h"
#include "runtime/check.h"
#include "runtime/values.h"
#include "tests/gpu/swept.h"
#include "tests/laws/programs.h"

enum { SAMPLES = 2, MAX_DATA = 1 << 20, SWEPT_SEED = 20 };

static const char *folder;
static FILE *list;
static int packed, swept, left_out, failures;

static cot_status
write_ptx(cot_context *ctx, const ir_graph *f, const char *name, bool fast)
{
    const rt_export e = { .graph = f, .name = name };
    const cot_compile_options o = { .fast = fast };

    return rt_build(ctx, 1, &e, &o, ir_format(&ctx->arena, "%s/%s.ptx", folder, name), NULL);
}

static void
write_arrays(FILE *to, const ir_graph *f, int n, const ir_ref *v, void *const *at)
{
    for (int i = 0; i < n; i++)
        fwrite(at[i], 1, laws_bytes(ir_type_at(f, v[i])), to);
}

/* Arguments, and what the reference evaluator makes of them. */
static cot_status
write_sample(const laws_program *p, bool special, FILE *to)
{
    const ir_graph *f = p->f;
    uint64_t seed = 9000 + (uint64_t)p->number;
    void **in = laws_sample(f, &seed, p->lo, p->hi, special ? laws_fill_special : laws_fill);
    void **out;
    cot_status s;

    s = rt_run_graph(f, &(cot_compile_options){ .backend = "eval" }, in, &out);
    if (s == COT_OK) {
        write_arrays(to, f, f->n_in, f->in, in);
        write_arrays(to, f, f->n_out, f->out, out);
    }
    laws_free(f->n_in, in);
    return s;
}

static cot_status
write_text(cot_context *ctx, const laws_program *p, const char *name)
{
    FILE *text = fopen(ir_format(&ctx->arena, "%s/%s.cot", folder, name), "w");

    if (text)
        fputs(p->text, text);
    return text && fclose(text) == 0 ? COT_OK : COT_ERR_IO;
}

static cot_status
pack_program(cot_context *ctx, const laws_program *p)
{
    const char *name = ir_format(&ctx->arena, "p%04d", p->number);
    cot_status s;
    FILE *to;

    COT_TRY(write_ptx(ctx, p->f, name, false));
    COT_TRY(write_text(ctx, p, name));
    to = fopen(ir_format(&ctx->arena, "%s/%s.data", folder, name), "wb");
    s = to ? COT_OK : COT_ERR_IO;
    if (!to)
        return s;
    for (int i = 0; i < SAMPLES && s == COT_OK; i++)
        s = write_sample(p, i > 0, to);
    if (fclose(to) != 0 && s == COT_OK)
        s = COT_ERR_IO;
    if (s == COT_OK)
        fprintf(list, "%s %s\n", name, p->op);
    return s;
}

/* A foreign function needs its host, and large arrays the room of the bundle. */
static bool
fits(const ir_graph *f)
{
    int64_t bytes = 0;

    for (int i = 0; i < f->n_in + f->n_out; i++)
        bytes +=
            (int64_t)laws_bytes(ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]));
    ir_each_node(n, f) {
        if (n->op == OP_custom_call)
            return false;
    }
    return bytes <= MAX_DATA;
}

static void
try_program(cot_context *ctx, int i)
{
    laws_program p;

    IR_TRY(ctx) {
        const bool made = laws_make(ctx, i, &p), taken = made && fits(p.f);

        if (!made || (taken && pack_program(ctx, &p) != COT_OK)) {
            fprintf(stderr, "pack: program %d: %s\n", i, cot_error(ctx));
            failures++;
        } else if (taken)
            packed++;
        else
            left_out++;
    }
}

static void
pack_programs(int first, int step)
{
    for (int i = first; i < laws_count(); i += step) {
        cot_context *ctx = cot_context_new(NULL);

        try_program(ctx, i);
        cot_context_free(ctx);
    }
}

static void
try_swept(cot_context *ctx, int k)
{
    const char *name = swept_name(&ctx->arena, SWEPT_SEED, k);
    laws_program p;

    IR_TRY (ctx) {
        if (!swept_make(ctx, name, &p) || write_ptx(ctx, p.f, name, false) != COT_OK ||
            write_text(ctx, &p, name) != COT_OK) {
            fprintf(stderr, "pack: %s: %s\n", name, cot_error(ctx));
            failures++;
        } else {
            fprintf(list, "%s %s\n", name, p.op);
            swept++;
        }
    }
}

static void
pack_swept(int n)
{
    for (int k = 0; k < n; k++) {
        cot_context *ctx = cot_context_new(NULL);

        try_swept(ctx, k);
        cot_context_free(ctx);
    }
}

/* FNV-1a over words of the arrays' bits. */
static uint64_t
hash_bytes(uint64_t h, const unsigned char *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ x[i]) * 0x100000001b3u;
    return h;
}

static cot_status
run_workload(const ir_graph *f, void ***out)
{
    void **in = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        in[i] = ir_alloc(&f->ctx->arena, rt_bytes(t) + 1);
        rt_random_fill(t, (uint64_t)i + 1, in[i]);
    }
    return rt_run_graph(f, &(cot_compile_options){ .backend = "jit" }, in, out);
}

static cot_status
hash_results(const ir_graph *f, uint64_t *hash)
{
    void **out;

    *hash = 0xcbf29ce484222325u;
    COT_TRY(run_workload(f, &out));
    for (int i = 0; i < f->n_out; i++)
        *hash = hash_bytes(*hash, out[i], rt_bytes(ir_type_at(f, f->out[i])));
    return COT_OK;
}

static cot_status
write_results(cot_context *ctx, const ir_graph *f, const char *name)
{
    FILE *to = NULL;
    void **out;

    COT_TRY(run_workload(f, &out));
    if (!(to = fopen(ir_format(&ctx->arena, "%s/%s.near", folder, name), "wb")))
        return COT_ERR_IO;
    write_arrays(to, f, f->n_out, f->out, out);
    return fclose(to) == 0 ? COT_OK : COT_ERR_IO;
}

static cot_status
pack_workload(cot_context *ctx, const char *path)
{
    static char text[1 << 16];
    const char *slash = strrchr(path, '/'),
               *name = ir_copy_string(&ctx->arena, slash ? slash + 1 : path);
    FILE *file = fopen(path, "rb");
    const cot_graph *f;
    uint64_t hash = 0;
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;

    text[n] = '\0';
    if (file)
        fclose(file);
    name = ir_format(&ctx->arena, "%.*s", (int)strcspn(name, "."), name);
    COT_TRY(cot_parse(ctx, path, text, n, NULL, &f));
    const bool fast = strstr(text, "; fast\n") != NULL,
               expects = !strstr(text, "; no expectation");
    COT_TRY(write_ptx(ctx, f, name, fast));
    if (expects)
        COT_TRY(fast ? write_results(ctx, f, name) : hash_results(f, &hash));
    fprintf(list, "%s %016" PRIx64 "\n", name, hash);
    return COT_OK;
}

static void
try_workload(cot_context *ctx, const char *path)
{
    IR_TRY(ctx) {
        if (pack_workload(ctx, path) != COT_OK) {
            fprintf(stderr, "pack: %s: %s\n", path, cot_error(ctx));
            failures++;
        }
    }
}

static void
pack_workloads(int n, char **path)
{
    for (int i = 0; i < n; i++) {
        cot_context *ctx = cot_context_new(NULL);

        try_workload(ctx, path[i]);
        cot_context_free(ctx);
    }
}

static bool
open_list(const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    list = fopen(path, "w");
    if (!list)
        perror(path);
    return list != NULL;
}

int
main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: pack FOLDER FIRST STEP SWEPT BENCH.cot...\n");
        return 2;
    }
    folder = argv[1];
    if (!open_list("programs.txt"))
        return 2;
    pack_programs(atoi(argv[2]), atoi(argv[3]) > 0 ? atoi(argv[3]) : 1);
    fclose(list);
    if (!open_list("bench.txt"))
        return 2;
    pack_workloads(argc - 5, argv + 5);
    fclose(list);
    if (!open_list("swept.txt"))
        return 2;
    pack_swept(atoi(argv[4]));
    fclose(list);
    printf("pack: %d programs, %d left out, %d of the sweeps, %d workloads, %d failures\n",
           packed, left_out, swept, argc - 5, failures);
    return failures > 0;
}
