/* Products run on other machines, in an image of memory (sizes.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/laws/sizes_inside.h"

enum { GAP = 256 };

static size_t image_bytes;

static unsigned char
pattern(size_t at)
{
    return (unsigned char)((unsigned)(at * 37 % 251) ^ 0xa5);
}

/* Values are apart by more than a vector, each an element off a multiple of 64, the work block
 * at one.  The statuses of the calls come first. */
static void
lay_out(void)
{
    size_t at = GAP + 4 * SIZES_BATCH;

    for (int i = 0; i < sizes.n; i++) {
        item *x = &sizes.item[i];
        for (int k = 0; k <= sizes_values(x); k++) {
            const bool work = k == sizes_values(x);
            at = (at + GAP + 63) / 64 * 64 +
                 (work ? 0 : cot_dtype_size(ir_part_type(sizes_type(x, k)->dtype)));
            x->at[k] = at;
            at += work ? (size_t)x->work : laws_bytes(sizes_type(x, k));
        }
    }
    image_bytes = (at + GAP + 63) / 64 * 64;
}

static void
write_harness(void)
{
    ir_buf b, calls;

    ir_buf_init(&b, &sizes.ctx->arena);
    ir_buf_init(&calls, &sizes.ctx->arena);
    for (int i = 0; i < sizes.n; i++) {
        const item *x = &sizes.item[i];
        ir_buf_printf(&b, "int p%d(", i);
        ir_buf_printf(&calls, "    ((int *)out)[%d] = p%d(", i, i);
        for (int k = 0; k <= sizes_values(x); k++) {
            ir_buf_printf(&b, "%svoid *", k ? ", " : "");
            ir_buf_printf(&calls, "%sout + %zu", k ? ", " : "", x->at[k]);
        }
        ir_buf_str(&b, ");\n");
        ir_buf_str(&calls, ");\n");
    }
    ir_buf_printf(&b, "__attribute__((aligned(64))) unsigned char in[%zu], out[%zu];\n%s%s",
                  image_bytes, image_bytes, sizes.to->linux_header ? machine_linux : "",
                  machine_moves);
    ir_buf_printf(&b,
                  "void run(void)\n{\n    for (long i = 0; i < (long)sizeof in; i++)\n        "
                  "out[i] = in[i];\n%s}\n",
                  calls.text);
    sizes_write("harness.c", b.text, b.n);
    ir_buf_init(&b, &sizes.ctx->arena);
    ir_buf_printf(&b, "const OUT = %zu;\n%s", image_bytes, machine_node);
    sizes_write("run.js", b.text, b.n);
}

/* What memory is before the calls, or what it is to be after them. */
static unsigned char *
image(bool after)
{
    unsigned char *m = malloc(image_bytes);

    for (size_t i = 0; i < image_bytes; i++)
        m[i] = pattern(i);
    memset(m, after ? 0 : 0x5b, sizeof(int) * (size_t)sizes.n);
    for (int i = 0; i < sizes.n; i++) {
        const item *x = &sizes.item[i];
        for (int k = 0; k < sizes_values(x); k++)
            if (k < x->f->n_in || after)
                memcpy(m + x->at[k], k < x->f->n_in ? x->in[k] : x->want[k - x->f->n_in],
                       laws_bytes(sizes_type(x, k)));
    }
    return m;
}

/* Whose is the byte: the item whose values are behind it, or around it. */
static item *
owner(size_t at)
{
    for (int i = 0; i + 1 < sizes.n; i++)
        if (at < sizes.item[i + 1].at[0] - GAP / 2)
            return &sizes.item[i];
    return &sizes.item[sizes.n - 1];
}

/* Results are compared as numbers, all NaNs being one; then whatever is neither a result nor a
 * work block. */
static void
compare_images(const char *way, unsigned char *got, unsigned char *want)
{
    for (int i = 0; i < sizes.n; i++) {
        const item *x = &sizes.item[i];
        for (int k = x->f->n_in; k < sizes_values(x); k++) {
            const int64_t at = laws_differ(sizes_type(x, k), want + x->at[k], got + x->at[k]);
            if (at >= 0)
                sizes_wrong(x, way,
                            ir_format(&sizes.ctx->arena,
                                      "element %lld of result %d differs from the evaluator's",
                                      (long long)at, k - x->f->n_in));
            memcpy(got + x->at[k], want + x->at[k], laws_bytes(sizes_type(x, k)));
        }
        memcpy(got + x->at[sizes_values(x)], want + x->at[sizes_values(x)], (size_t)x->work);
    }
    for (size_t i = 0; i < image_bytes; i++)
        if (got[i] != want[i]) {
            const item *x = owner(i);
            sizes_wrong(x, way,
                        ir_format(&sizes.ctx->arena,
                                  "byte %zu of memory is changed; its values begin at %zu", i,
                                  x->at[0]));
            return;
        }
}

static bool
says(const char *file, const char *what)
{
    return sizes_shell("grep -q", ir_format(&sizes.ctx->arena, "'%s' %s", what, file)) == 0;
}

static void
run_there(const char *command)
{
    unsigned char *before = image(false), *want = image(true), *got = calloc(1, image_bytes);

    sizes_write("in", before, image_bytes);
    const bool ended = sizes_shell(command, "<in >out 2>err") == 0;
    FILE *file = ended ? fopen(sizes_path("out"), "r") : NULL;
    if (file && fread(got, 1, image_bytes, file) == image_bytes)
        compare_images(command, got, want);
    else if (says("err", "Assertion")) /* of the emulator's own: it says nothing about us */
        sizes.left_out += sizes.n;
    else
        sizes_wrong(&sizes.item[0], command,
                    "this program, or one after it in the batch, crashes");
    if (file)
        fclose(file);
    free(before);
    free(want);
    free(got);
}

void
sizes_batch_there(void)
{
    const cot_compile_options o = { .target = sizes.to->target,
                                    .cpu = sizes.to->cpu,
                                    .features = sizes.to->features,
                                    .threads = 1,
                                    .backend = sizes.to->cc ? "c" : NULL,
                                    .vector_bits = 32 * sizes.to->lanes };

    if (!sizes_emit(&o, sizes.to->cc != NULL))
        return;
    lay_out();
    write_harness();
    if ((sizes.to->cc && sizes_shell(sizes.to->cc, "") != 0) ||
        sizes_shell(machine_linker(sizes.to), "") != 0) {
        sizes_wrong(&sizes.item[0], sizes.to->name, "the batch does not compile or link");
        return;
    }
    for (int k = 0; k < 3 && sizes.to->run[k]; k++)
        if (machine_installed(sizes.to->run[k]))
            run_there(sizes.to->run[k]);
}
