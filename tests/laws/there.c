/* Calls on other machines, in an image of memory (there.h).
 *
 * The image is read into `in` and copied to `out`, where the calls are; `out` is what comes
 * back.  It begins with the number of the only call to make, from 1 on, or 0 for all of them,
 * and the status of each. */
#include "tests/laws/there.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/laws/programs.h"

enum { GAP = 256, STATUS = 4 };

static unsigned char
pattern(size_t at)
{
    return (unsigned char)((unsigned)(at * 37 % 251) ^ 0xa5);
}

/* Values are apart by more than a vector, each an element off a multiple of 64, the work block
 * at one. */
static void
lay_out(there *t)
{
    size_t at = GAP + STATUS * (1 + (size_t)t->n);

    for (int i = 0; i < t->n; i++) {
        there_call *x = &t->call[i];
        for (int k = 0; k <= x->n; k++) {
            const bool work = k == x->n;
            at = (at + GAP + 63) / 64 * 64 +
                 (work ? 0 : cot_dtype_size(ir_part_type(x->type[k]->dtype)));
            x->at[k] = at;
            at += work ? (size_t)x->work : laws_bytes(x->type[k]);
        }
    }
    t->bytes = (at + GAP + 63) / 64 * 64;
}

static const char *
path(const there *t, const char *name)
{
    return ir_format(&t->ctx->arena, "%s/%s", t->folder, name);
}

static void
write_file(const there *t, const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path(t, name), "w");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(2);
}

static int
shell(const there *t, const char *command, const char *more)
{
    return system(ir_format(&t->ctx->arena, "cd %s && %s %s", t->folder, command, more));
}

static void
print_call(const there_call *x, int i, ir_buf *declared, ir_buf *calls)
{
    ir_buf_printf(declared, "int %s(", x->function);
    ir_buf_printf(calls, "    if (which == 0 || which == %d)\n        ((int *)out)[%d] = %s(",
                  i + 1, i + 1, x->function);
    for (int k = 0; k < x->n_sizes; k++) {
        ir_buf_str(declared, "long long, ");
        ir_buf_printf(calls, "%lldLL, ", (long long)x->size[k]);
    }
    for (int k = 0; k <= x->n; k++) {
        ir_buf_printf(declared, "%svoid *", k ? ", " : "");
        ir_buf_printf(calls, "%sout + %zu", k ? ", " : "", x->at[k]);
    }
    ir_buf_str(declared, ");\n");
    ir_buf_str(calls, ");\n");
}

static void
write_harness(const there *t)
{
    ir_buf b, calls;

    ir_buf_init(&b, &t->ctx->arena);
    ir_buf_init(&calls, &t->ctx->arena);
    for (int i = 0; i < t->n; i++)
        print_call(&t->call[i], i, &b, &calls);
    ir_buf_printf(&b, "__attribute__((aligned(64))) unsigned char in[%zu], out[%zu];\n%s%s",
                  t->bytes, t->bytes, t->to->linux_header ? machine_linux : "", machine_moves);
    ir_buf_printf(&b,
                  "void run(void)\n{\n    const int which = *(int *)in;\n"
                  "    for (long i = 0; i < (long)sizeof in; i++)\n        "
                  "out[i] = in[i];\n%s}\n",
                  calls.text);
    write_file(t, "harness.c", b.text, b.n);
    ir_buf_init(&b, &t->ctx->arena);
    ir_buf_printf(&b, "const OUT = %zu;\n%s", t->bytes, machine_node);
    write_file(t, "run.js", b.text, b.n);
}

/* What memory is before the calls, or what it is to be after them; `only`: that of one call. */
static unsigned char *
image(const there *t, int only, bool after)
{
    unsigned char *m = malloc(t->bytes);

    for (size_t i = 0; i < t->bytes; i++)
        m[i] = pattern(i);
    memset(m, 0x5b, STATUS * (1 + (size_t)t->n));
    memset(m, 0, STATUS);
    memcpy(m, &(int){ only + 1 }, sizeof(int));
    for (int i = 0; i < t->n; i++) {
        const there_call *x = &t->call[i];
        const bool called = after && (only < 0 || only == i);

        if (called)
            memset(m + STATUS * (1 + (size_t)i), 0, STATUS);
        for (int k = 0; k < x->n; k++)
            if (k < x->n_in || called)
                memcpy(m + x->at[k], k < x->n_in ? x->in[k] : x->want[k - x->n_in],
                       laws_bytes(x->type[k]));
    }
    return m;
}

/* Whose is the byte: the call whose values are behind it, or around it. */
static int
owner(const there *t, size_t at)
{
    for (int i = 0; i + 1 < t->n; i++)
        if (at < t->call[i + 1].at[0] - GAP / 2)
            return i;
    return t->n - 1;
}

/* Results are compared as numbers, all NaNs being one; then whatever is neither a result nor a
 * work block. */
static void
compare(const there *t, const char *way, unsigned char *got, unsigned char *want)
{
    for (int i = 0; i < t->n; i++) {
        const there_call *x = &t->call[i];
        for (int k = x->n_in; k < x->n; k++) {
            const int64_t at = laws_differ(x->type[k], want + x->at[k], got + x->at[k]);
            if (at >= 0)
                t->wrong(t->user, i, way,
                         ir_format(&t->ctx->arena, "element %lld of result %d differs",
                                   (long long)at, k - x->n_in));
            memcpy(got + x->at[k], want + x->at[k], laws_bytes(x->type[k]));
        }
        memcpy(got + x->at[x->n], want + x->at[x->n], (size_t)x->work);
    }
    for (size_t i = 0; i < t->bytes; i++)
        if (got[i] != want[i]) {
            const int of = owner(t, i);
            t->wrong(t->user, of, way,
                     ir_format(&t->ctx->arena,
                               "byte %zu of memory is changed; its values "
                               "begin at %zu",
                               i, t->call[of].at[0]));
            return;
        }
}

/* Make one call, or all (only < 0); false: it crashes. */
static bool
run(const there *t, const char *command, int only)
{
    unsigned char *before = image(t, only, false), *want = image(t, only, true),
                  *got = calloc(1, t->bytes);

    write_file(t, "in", before, t->bytes);
    const bool ended = shell(t, command, "<in >out 2>err") == 0;
    FILE *file = ended ? fopen(path(t, "out"), "r") : NULL;
    const bool read = file && fread(got, 1, t->bytes, file) == t->bytes;
    if (read)
        compare(t, command, got, want);
    if (file)
        fclose(file);
    free(before);
    free(want);
    free(got);
    return read;
}

/* Which call crashes?  An emulator that fails an assertion of its own says nothing about us. */
static void
run_each(there *t, const char *command)
{
    for (int i = 0; i < t->n; i++)
        if (run(t, command, i))
            continue;
        else if (shell(t, "grep -q", "Assertion err") == 0)
            t->left_out++;
        else
            t->wrong(t->user, i, command, "crashes");
}

void
there_run(there *t)
{
    lay_out(t);
    write_harness(t);
    if ((t->to->cc && shell(t, t->to->cc, "") != 0) ||
        shell(t, machine_linker(t->to), "") != 0) {
        t->wrong(t->user, -1, t->to->name, "does not compile or link");
        return;
    }
    for (int k = 0; k < 3 && t->to->run[k]; k++)
        if (machine_installed(t->to->run[k]) && !run(t, t->to->run[k], -1))
            run_each(t, t->to->run[k]);
}
