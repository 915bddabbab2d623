/* The arguments of a function on the command line: npy files in order, named arrays by name.
 *
 * An array of a file of named arrays goes to the argument called so; what numpy.savez names
 * arr_0, arr_1 for want of a name goes by number where no argument has the name.  npy files
 * fill the rest from the left. */
#include <stdlib.h>
#include <string.h>

#include "cotrace/file.h"
#include "ir/array.h"
#include "ir/diag.h"
#include "runtime/values.h"
#include "tools/cot.h"

bool
cli_is_named(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && (strcmp(dot, ".npz") == 0 || strcmp(dot, ".safetensors") == 0);
}

/* The files of --in, read once and kept until the process ends. */
static cot_status
read_files(cot_cli *c)
{
    if (c->file)
        return COT_OK;
    c->file = IR_NEW_N(&c->ctx->arena, cot_state, c->n_in + 1);
    for (int i = 0; i < c->n_in; i++) {
        if (cli_is_named(c->in[i])) {
            COT_TRY(cot_load(c->ctx, c->in[i], &c->file[i]));
            continue;
        }
        cot_named *one = IR_NEW(&c->ctx->arena, cot_named);
        COT_TRY(cot_npy_read(c->ctx, c->in[i], &one->array));
        c->file[i] = (cot_state){ .n = 1, .at = one };
    }
    return COT_OK;
}

static cot_status
usage(cot_cli *c, const ir_graph *f, const char *text)
{
    return ir_fail(c->ctx, 0, f->name, ERR_usage, text);
}

static int
find_argument(const ir_graph *f, const char *name)
{
    char *end;

    for (int i = 0; i < f->n_in; i++)
        if (f->in_name[i] && strcmp(f->in_name[i], name) == 0)
            return i;
    if (strncmp(name, "arr_", 4) != 0 || name[4] < '0' || name[4] > '9')
        return -1;
    long i = strtol(name + 4, &end, 10);
    return *end || i >= f->n_in ? -1 : (int)i;
}

static cot_status
bind_named(cot_cli *c, const ir_graph *f, int file)
{
    for (int k = 0; k < c->file[file].n; k++) {
        const cot_named *x = &c->file[file].at[k];
        int i = find_argument(f, x->name);

        if (i < 0)
            return usage(c, f,
                         ir_format(&c->ctx->arena,
                                   "it has no argument called \"%s\", as %s has", x->name,
                                   c->in[file]));
        if (c->bound[i])
            return usage(c, f,
                         ir_format(&c->ctx->arena, "\"%s\" is in %s and in %s; wants it once",
                                   x->name, c->in[c->from[i]], c->in[file]));
        c->bound[i] = x->array;
        c->from[i] = file;
    }
    return COT_OK;
}

static void
bind_rest(cot_cli *c)
{
    int i = 0;

    for (int file = 0; file < c->n_in; file++) {
        if (cli_is_named(c->in[file]))
            continue;
        while (c->bound[i])
            i++;
        c->bound[i] = c->file[file].at[0].array;
        c->from[i] = file;
    }
}

cot_status
cli_bind(cot_cli *c, const ir_graph *f)
{
    int count = 0;

    COT_TRY(read_files(c));
    c->bound = IR_NEW_N(&c->ctx->arena, cot_array *, f->n_in + 1);
    c->from = IR_NEW_N(&c->ctx->arena, int, f->n_in + 1);
    for (int file = 0; file < c->n_in; file++) {
        count += c->file[file].n;
        if (cli_is_named(c->in[file]))
            COT_TRY(bind_named(c, f, file));
    }
    if (count != f->n_in)
        return usage(c, f,
                     ir_format(&c->ctx->arena, "--in names %d arrays; it has %d arguments",
                               count, f->n_in));
    bind_rest(c);
    return COT_OK;
}

/* numpy has no bf16: the bits come as u16. */
static const ir_type *
as_wanted(const cot_cli *c, const cot_array *x, cot_dtype want)
{
    const ir_type *t = ir_type_of(c->ctx, &x->type);

    return t && t->dtype == COT_U16 && want == COT_BF16 ? ir_type_as(c->ctx, t, COT_BF16) : t;
}

/* Files of plain arrays alone: names are of no use before there is a function. */
bool
cli_given(void *cli, int n, const cot_dtype *want, const ir_type **type, ir_ints *sizes)
{
    cot_cli *c = cli;
    int64_t *size = IR_NEW_N(&c->ctx->arena, int64_t, n + 1);
    int leading = 0;

    /* jvp and vjp take more than the function does; vmap takes other sizes. */
    const bool more = c->pipeline && c->n_in > n && !strstr(c->pipeline, "vmap");
    if ((c->n_in != n && !more) || read_files(c) != COT_OK)
        return false;
    for (int i = 0; i < n; i++) {
        if (cli_is_named(c->in[i]) || c->file[i].n != 1)
            return false;
        const cot_array *x = c->file[i].at[0].array;
        if (!(type[i] = as_wanted(c, x, want[i])))
            return false;
        if (leading == i && type[i]->rank == 0 && ir_is_int(type[i]->dtype) &&
            cot_dtype_size(type[i]->dtype) >= 4) {
            int32_t narrow = 0;
            memcpy(&narrow, x->data, sizeof narrow);
            size[leading] = narrow;
            if (cot_dtype_size(type[i]->dtype) == 8)
                memcpy(&size[leading], x->data, sizeof *size);
            leading++;
        }
    }
    *sizes = (ir_ints){ leading, size };
    return true;
}

const ir_type *
cli_bound_type(const cot_cli *c, int i, cot_dtype want)
{
    return as_wanted(c, c->bound[i], want);
}

cot_status
cli_inputs(cot_cli *c, const ir_graph *f, void ***out)
{
    void **args = IR_NEW_N(&c->ctx->arena, void *, f->n_in + 1);

    *out = args;
    if (c->n_in)
        COT_TRY(cli_bind(c, f));
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *want = ir_type_at(f, f->in[i]), *found;

        if (!c->n_in) {
            args[i] = cli_memory(c->ctx, want);
            rt_random_fill(want, CLI_SEED + (uint64_t)i, args[i]);
            continue;
        }
        found = cli_bound_type(c, i, want->dtype);
        if (!found)
            return c->ctx->status;
        if (found != want)
            return ir_fail(c->ctx, 0, f->name,
                           found->dtype == want->dtype ? ERR_shape_wrong : ERR_dtype_wrong,
                           ir_format(&c->ctx->arena, "argument %d in %s is %s; wants %s", i,
                                     c->in[c->from[i]], ir_type_str(c->ctx, found),
                                     ir_type_str(c->ctx, want)));
        args[i] = c->bound[i]->data;
    }
    return COT_OK;
}

void
cli_free_inputs(cot_cli *c)
{
    for (int i = 0; c->file && i < c->n_in; i++)
        cot_state_free(&c->file[i]);
}
