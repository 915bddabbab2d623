/* Functions of a text with sizes: at the sizes of --size or --in, where a verb works at one;
 * for all of them, where it prints or builds. */
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/number.h"
#include "ir/sized.h"
#include "ir/suggest.h"
#include "runtime/build.h"
#include "runtime/open/open.h"
#include "tools/cot.h"

/* A pipeline that holds for one function of the file. */
typedef struct piped {
    cot_cli *c;
    const char *pipeline;
} piped;

static cot_status
transform(void *user, const ir_graph *f, ir_graph **out)
{
    const piped *p = user;
    const char *const before = p->c->pipeline;

    p->c->pipeline = p->pipeline;
    const cot_status status = cli_transform(p->c, f, out);
    p->c->pipeline = before;
    return status;
}

static cot_status
source_of(cot_cli *c, const ir_graph *f, const rt_open_source **source, rt_sizes **sizes)
{
    piped *p = IR_NEW(&c->ctx->arena, piped);

    *p = (piped){ c, c->pipeline };
    return rt_open_text_source(f, transform, p, source, sizes);
}

bool
cli_is_open(const cot_cli *c, const ir_graph *f)
{
    return f->sized && !c->size;
}

cot_status
cli_open_export(cot_cli *c, const ir_graph *f, rt_export *out)
{
    const char *const name = out->name;
    const rt_open_source *source;
    rt_sizes *sizes;
    ir_graph *any;

    COT_TRY(source_of(c, f, &source, &sizes));
    COT_TRY(cli_transform(c, f, &any));
    *out = (rt_export){ .graph = any,
                        .name = name,
                        .open = source,
                        .sizes = sizes,
                        .opened = IR_NEW(&c->ctx->arena, struct rt_open *) };
    return COT_OK;
}

cot_status
cli_open_print(cot_cli *c, const ir_graph *f, ir_buf *out)
{
    const rt_open_source *source;
    rt_sizes *sizes;

    COT_TRY(source_of(c, f, &source, &sizes));
    return rt_open_print(c->ctx, source, sizes, c->locs ? IR_PRINT_LOCS : 0, out);
}

/* -- one size -- */

static cot_status
wrong_size(cot_cli *c, const char *why)
{
    return ir_fail(c->ctx, 0, NULL, ERR_usage,
                   ir_format(&c->ctx->arena, "--size is '%s'; %s", c->size, why));
}

/* --size n=64,m=32 */
static cot_status
read_sizes(cot_cli *c, const ir_sizes *s, int64_t *size)
{
    ir_arena *a = &c->ctx->arena;

    for (const char *at = c->size; *at;) {
        const size_t n = strcspn(at, "=");
        const char *name = ir_format(a, "%.*s", (int)n, at + strspn(at, " "));
        char *end;

        name = ir_format(a, "%.*s", (int)strcspn(name, " ="), name);
        const int i = ir_sizes_find(s, name);
        ir_suggestion near = ir_suggest(name);
        if (at[n] != '=')
            return wrong_size(c, "wants NAME=NUMBER, with commas between several");
        for (int k = 0; k < s->n; k++)
            ir_suggest_try(&near, s->at[k].name);
        if (i < 0)
            return wrong_size(
                c, ir_format(a, "the file has no size '%s'%s", name, ir_suggest_text(&near)));
        size[i] = strtoll(at + n + 1, &end, 10);
        end += strspn(end, " ");
        if (end == at + n + 1 || (*end && *end != ',') || size[i] < 0 || size[i] > IR_MOST_SIZE)
            return wrong_size(c, ir_format(a, "%s wants a number from 0 to 2^30", name));
        at = *end ? end + 1 : end;
    }
    return COT_OK;
}

/* Sizes that differ from each other, and from those of another number. */
static void
set_apart(const ir_sizes *s, int number, int64_t *size)
{
    for (int i = 0; i < s->n; i++) {
        const int64_t least = s->at[i].least > 8 ? s->at[i].least : 8,
                      n = least + 3 * i + number * (17 + i);

        size[i] = (n + s->at[i].multiple - 1) / s->at[i].multiple * s->at[i].multiple;
    }
}

/* The sizes that the arrays of --in have, where an argument of the function that the pipeline
 * makes is as long as a size at two numbers for it. */
static cot_status
solve_transformed(cot_cli *c, const ir_graph *f, int64_t *size)
{
    const ir_sizes *s = &f->sized->text->sizes;
    int64_t value[2][IR_MAX_SIZES];
    ir_graph *made[2];

    for (int k = 0; k < 2; k++) {
        set_apart(s, k, value[k]);
        COT_TRY(ir_sized_at(f, value[k], &made[k]));
        COT_TRY(cli_transform(c, made[k], &made[k]));
    }
    COT_TRY(cli_bind(c, made[0]));
    for (int i = made[0]->n_in - 1; i >= 0; i--) {
        const ir_type *x = ir_type_at(made[0], made[0]->in[i]),
                      *y = ir_type_at(made[1], made[1]->in[i]),
                      *is = cli_bound_type(c, i, x->dtype);

        for (int k = 0; is && k < x->rank && is->rank == x->rank; k++)
            for (int j = 0; j < s->n; j++)
                if (x->dims[k] == value[0][j] && y->dims[k] == value[1][j])
                    size[j] = is->dims[k];
    }
    return COT_OK;
}

/* The same where there is no pipeline: the error names the argument that disagrees. */
static cot_status
solve(cot_cli *c, const ir_graph *f, int64_t *size)
{
    const ir_type **type = IR_NEW_N(&c->ctx->arena, const ir_type *, f->n_in + 1);
    ir_graph *at;

    COT_TRY(cli_bind(c, f));
    for (int i = 0; i < f->n_in; i++)
        if (!(type[i] = cli_bound_type(c, i, ir_type_at(f, f->in[i])->dtype)))
            return c->ctx->status;
    ir_sized_solve(f, f->n_in, type, size);
    COT_TRY(ir_sized_at(f, size, &at));
    return ir_sized_check(at, f->n_in, type);
}

static cot_status
check_facts(const ir_graph *f)
{
    const ir_type **type = IR_NEW_N(&f->ctx->arena, const ir_type *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++)
        type[i] = ir_type_at(f, f->in[i]);
    return ir_sized_check(f, f->n_in, type);
}

cot_status
cli_at_sizes(cot_cli *c, ir_graph *f, ir_graph **out)
{
    const ir_sizes *s = f->sized ? &f->sized->text->sizes : NULL;
    int64_t size[IR_MAX_SIZES];
    int order[IR_MAX_SIZES], n;
    ir_sizes said;

    *out = f;
    if (!s)
        return COT_OK;
    COT_TRY(ir_sized_order(f, &n, order));
    for (int i = 0; i < s->n; i++)
        size[i] = s->at[i].value;
    if (c->size)
        COT_TRY(read_sizes(c, s, size));
    else if (c->n_in)
        COT_TRY((c->pipeline ? solve_transformed : solve)(c, f, size));
    said = *s;
    for (int i = 0; i < s->n; i++)
        said.at[i].value = size[i];
    c->at_sizes = ir_sizes_text(&said, &c->ctx->arena);
    COT_TRY(ir_sized_at(f, size, out));
    return check_facts(*out);
}
