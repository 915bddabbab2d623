/* Functions of a case: programs in StableHLO text, transforms of functions, and functions
 * composed of calls.
 *
 * A case names its program `forward`, or it has `functions`, each made of others by name, of
 * which `run` is the one; `transform` comes last, outermost first. */
#include "functions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 64, DEEPEST = 32 };

void *
case_wrong(run_case *c, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    if (!c->why[0])
        vsnprintf(c->why, sizeof c->why, format, ap);
    va_end(ap);
    return NULL;
}

static char *
read_text(run_case *c, const char *name, size_t *bytes)
{
    char path[4096], *text = NULL;
    long size;

    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    FILE *file = fopen(path, "rb");
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1)) != NULL)
        *bytes = fread(text, 1, (size_t)size, file);
    if (file)
        fclose(file);
    return text ? text : case_wrong(c, "%s cannot be read", path);
}

static cot_fn *
program(run_case *c, const char *name, const char *entry, int n_rules,
        const cot_import_rule *rules)
{
    const cot_import_options o = { .entry = entry, .n_rules = n_rules, .rules = rules };
    const cot_graph *g = NULL;
    size_t bytes = 0;
    char *text = name ? read_text(c, name, &bytes) : case_wrong(c, "a program has no file");

    if (text && cot_import_stablehlo(c->ctx, name, text, bytes, &o, &g) != COT_OK)
        case_wrong(c, "%s", cot_error(c->ctx));
    free(text);
    return g ? cot_fn_of_graph(g) : NULL;
}

static const char *
string_at(const json_t *x, const char *key)
{
    return json_string_value(json_object_get(x, key));
}

/* The program with the rules that the case binds to its private functions. */
static cot_fn *
program_with_rules(run_case *c, const char *name, const char *entry)
{
    const json_t *list = json_object_get(c->about, "custom_rules");
    cot_import_rule rule[MAX_VALUES];
    size_t n = json_array_size(list);

    if (n > MAX_VALUES)
        return case_wrong(c, "has %zu rules", n);
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(list, i);
        const char *kind = string_at(x, "kind");
        cot_fn *f = program(c, string_at(x, "module"), string_at(x, "entry"), 0, NULL);
        if (!f || !kind || !string_at(x, "callee"))
            return f ? case_wrong(c, "rule %zu has no kind or no callee", i) : NULL;
        rule[i] =
            (cot_import_rule){ string_at(x, "callee"), strcmp(kind, "vjp") == 0 ? f : NULL,
                               strcmp(kind, "jvp") == 0 ? f : NULL };
    }
    return program(c, name, entry, (int)n, rule);
}

/* null: absent; an integer: for every argument; a list, in which null is no axis. */
static cot_list
list_of(const json_t *x, int64_t *at)
{
    int n = 0;

    if (json_is_integer(x)) {
        at[0] = json_integer_value(x);
        return (cot_list){ .n = 1, .one = 1, .at = at };
    }
    for (size_t i = 0; i < json_array_size(x) && n < MAX_VALUES; i++) {
        const json_t *k = json_array_get(x, i);
        at[n++] = json_is_integer(k) ? json_integer_value(k) : COT_NONE;
    }
    return json_is_array(x) ? (cot_list){ .n = n, .at = at } : (cot_list){ .n = 0, .at = NULL };
}

/* Transforms read their lists when they are made, so those may be the caller's. */
static cot_fn *
transformed(run_case *c, cot_fn *f, const json_t *t)
{
    static const struct {
        const char *name;
        cot_fn *(*make)(cot_place, cot_fn *, const cot_wrt_options *, size_t);
    } row[] = { { "grad", cot_grad_ },
                { "grad_and_value", cot_grad_and_value_ },
                { "jvp", cot_jvp_ },
                { "vjp", cot_vjp_ },
                { "linearize", cot_linearize_ },
                { "jacrev", cot_jacrev_ },
                { "hessian", cot_hessian_ } };
    const char *op = string_at(t, "op");
    int64_t in[MAX_VALUES], out[MAX_VALUES];
    const cot_list wrt = list_of(json_object_get(t, "argnums"), in);
    const int aux = (int)json_integer_value(json_object_get(t, "n_aux"));
    const int64_t chunk = json_integer_value(json_object_get(t, "chunk_size"));
    const cot_wrt_options o = { .wrt = { wrt.n, 0, wrt.at }, .aux = aux, .chunk = chunk };

    if (!op)
        return case_wrong(c, "a transform has no op");
    if (strcmp(op, "vmap") == 0) {
        const json_t *to = json_object_get(t, "out_dims");
        const cot_vmap_options v = { .in_dims = list_of(json_object_get(t, "in_dims"), in),
                                     .out_dims = list_of(to, out), .chunk = chunk };
        return cot_vmap_(COT_HERE, f, &v, sizeof v);
    }
    if (strcmp(op, "jacfwd") == 0) {
        const cot_jacfwd_options j = { .wrt = o.wrt, .aux = aux, .chunk = chunk };
        return cot_jacfwd_(COT_HERE, f, &j, sizeof j);
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i].name, op) == 0)
            return row[i].make(COT_HERE, f, &o, sizeof o);
    return case_wrong(c, "no transform is named %s", op);
}

static cot_fn *
with_transforms(run_case *c, cot_fn *f, const json_t *list)
{
    for (size_t i = json_array_size(list); f && i-- > 0;)
        f = transformed(c, f, json_array_get(list, i));
    return f;
}

typedef struct step {
    cot_fn *fn;
    int n_in, n_out, in[MAX_VALUES], first; /* its results are values first ... */
} step;

typedef struct composition {
    int n_in, n_out, n_steps, n_values, out[MAX_VALUES];
    const char *name[1024];
    step at[MAX_VALUES];
} composition;

static void
run_steps(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const composition *p = user;
    cot_value value[1024], arg[MAX_VALUES];

    (void)t;
    memcpy(value, in, sizeof *in * (size_t)p->n_in);
    for (int i = 0; i < p->n_steps; i++) {
        const step *s = &p->at[i];
        for (int k = 0; k < s->n_in; k++)
            arg[k] = value[s->in[k]];
        cot_call_all_(COT_HERE, s->fn, (cot_values){ .n = s->n_in, .at = arg },
                      value + s->first, s->n_out);
    }
    for (int j = 0; j < p->n_out; j++)
        out[j] = value[p->out[j]];
}

/* The numbers of the values that a list names; how many, or -1. */
static int
values_named(run_case *c, const composition *p, const json_t *list, int *to)
{
    const size_t n = json_array_size(list);

    if (n > MAX_VALUES)
        return case_wrong(c, "a list has %zu names", n), -1;
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        int k = p->n_values - 1;
        while (k >= 0 && (!name || strcmp(p->name[k], name) != 0))
            k--;
        if (k < 0)
            return case_wrong(c, "no value is named %s", name ? name : "?"), -1;
        to[i] = k;
    }
    return (int)n;
}

static bool
new_values(run_case *c, composition *p, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || p->n_values == 1024)
            return case_wrong(c, "a value has no name, or there are too many");
        p->name[p->n_values++] = name;
    }
    return true;
}

static cot_fn *named(run_case *c, const char *name, int depth);

static cot_fn *
composed(run_case *c, const char *name, const json_t *x, int depth)
{
    composition *p = calloc(1, sizeof *p);
    const json_t *steps = json_object_get(x, "steps");

    if (!p || c->n_bodies == MAX_VALUES)
        return free(p), case_wrong(c, "has too many functions");
    c->bodies[c->n_bodies++] = p;
    if (!new_values(c, p, json_object_get(x, "inputs")))
        return NULL;
    p->n_in = p->n_values;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *one = json_array_get(steps, i);
        step *s = &p->at[p->n_steps++];
        const char *callee = string_at(one, "call");
        if (p->n_steps == MAX_VALUES || !callee || !(s->fn = named(c, callee, depth + 1)) ||
            (s->n_in = values_named(c, p, json_object_get(one, "args"), s->in)) < 0)
            return case_wrong(c, "step %zu cannot be read", i);
        s->first = p->n_values;
        if (!new_values(c, p, json_object_get(one, "results")))
            return NULL;
        s->n_out = p->n_values - s->first;
    }
    if ((p->n_out = values_named(c, p, json_object_get(x, "outputs"), p->out)) < 0)
        return NULL;
    return cot_fn_new(c->ctx, name, run_steps, p->n_in, p->n_out, p);
}

static cot_fn *
named(run_case *c, const char *name, int depth)
{
    const json_t *x = json_object_get(json_object_get(c->about, "functions"), name), *part;

    if (!x || depth > DEEPEST)
        return case_wrong(c, x ? "%s is made of itself" : "no function is named %s", name);
    if (string_at(x, "module"))
        return program_with_rules(c, string_at(x, "module"), string_at(x, "entry"));
    if ((part = json_object_get(x, "compose")) != NULL)
        return composed(c, name, part, depth);
    if (!string_at(x, "of"))
        return case_wrong(c, "%s is no module, no transform and no composition", name);
    return with_transforms(c, named(c, string_at(x, "of"), depth + 1),
                           json_object_get(x, "transform"));
}

cot_fn *
case_function(run_case *c)
{
    const char *run = string_at(c->about, "run");
    cot_fn *f =
        run ? named(c, run, 0) : program_with_rules(c, string_at(c->about, "forward"), NULL);

    return with_transforms(c, f, json_object_get(c->about, "transform"));
}
