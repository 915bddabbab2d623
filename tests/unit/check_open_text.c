/* The text of functions with open sizes: it parses back to itself, and the function that is
 * parsed has the bits of the one that was printed, and of the kernel for each size. */
#include <math.h>

#include "cotrace/cotrace.h"
#include "tests/unit/open_programs.h"

typedef enum form { PLAIN, GRADIENT, MAPPED } form;
enum { BATCH = 3 };

static void
append(void *user, const char *bytes, size_t n)
{
    char **text = user;
    const size_t had = *text ? strlen(*text) : 0;

    *text = realloc(*text, had + n + 1);
    memcpy(*text + had, bytes, n);
    (*text)[had + n] = '\0';
}

/* The sum of the squares of a program's result. */
static void
squares(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const program *p = user;

    p->body(t, in, out, NULL);
    out[0] = cot_reduce_sum(cot_square(out[0]));
}

static cot_fn *
formed(const program *p, form how)
{
    if (how == MAPPED)
        return cot_vmap(function_of(p));
    if (how == GRADIENT && !p->grad)
        return cot_grad(cot_fn_new(ctx, "f", squares, p->n, 1, (void *)(uintptr_t)p));
    return function_of(p);
}

/* The sizes, with an axis in front of those of arguments that are mapped. */
static const char *
formed_sizes(const program *p, form how, char text[128])
{
    size_t n = 0;

    for (const char *s = p->sizes; *s && n < 120; s++) {
        text[n++] = *s;
        for (const char *more = how == MAPPED && *s == '[' ? "_, " : ""; *more; more++)
            text[n++] = *more;
    }
    text[n] = '\0';
    return text;
}

static shape
formed_shape(const program *p, form how, int i)
{
    shape s = p->arg[i];

    if (how != MAPPED)
        return s;
    s.rank++;
    memmove(s.dims + 1, p->arg[i].dims, sizeof *s.dims * 3);
    s.dims[0] = BATCH;
    return s;
}

static cot_fn *
parsed(const char *text)
{
    const cot_graph *g;

    ck_assert_msg(cot_parse(ctx, "f.cot", text, strlen(text), NULL, &g) == COT_OK, "%s\n%s",
                  cot_error(ctx), text);
    return cot_fn_of_graph(g);
}

static cot_types
types_of(const program *p, form how, cot_type type[MAX_ARGS])
{
    for (int i = 0; i < p->n; i++) {
        const shape s = formed_shape(p, how, i);
        cot_array *a = filled(&s, 8, 8, 1);

        type[i] = cot_array_type(a);
        cot_array_free(a);
    }
    return cot_types_of(p->n, type);
}

static char *
text_of(cot_fn *f, const program *p, form how)
{
    cot_type type[MAX_ARGS];
    char *text = NULL;

    ck_assert_msg(cot_dump_fn(f, types_of(p, how, type), "graph", append, &text) == COT_OK,
                  "%s: %s", p->name, cot_error(ctx));
    return text;
}

static void
check_bits(const program *p, form how, cot_fn *const *f, int64_t n, int64_t other)
{
    cot_array *arg[MAX_ARGS], *out[3] = { NULL };

    for (int k = 0; k < p->n; k++) {
        const shape s = formed_shape(p, how, k);
        arg[k] = filled(&s, n, other, (uint32_t)(7 * n + k));
    }
    for (int i = 0; i < 3; i++)
        ck_assert_msg(cot_jit(f[i], &out[i], 1, (const cot_array *const *)arg, p->n) == COT_OK,
                      "%s at %d: %s", p->name, (int)n, cot_error(ctx));
    for (int i = 1; i < 3; i++)
        ck_assert_msg(cot_array_bytes(out[i]) == cot_array_bytes(out[0]) &&
                          memcmp(cot_array_data(out[i]), cot_array_data(out[0]),
                                 cot_array_bytes(out[0])) == 0,
                      "%s, form %d of %d, differs at %d", p->name, i, how, (int)n);
    for (int i = 0; i < 3; i++)
        cot_array_free(out[i]);
    for (int k = 0; k < p->n; k++)
        cot_array_free(arg[k]);
}

/* Programs that depend on a size: their text, or only their kernel, is not one for all. */
static const struct refused {
    const char *name;
    form how;
    const char *text, *kernel; /* NULL: it is one */
} refused[] = {
    { "running lines", GRADIENT, "it is another program at n = ", "it is another program" },
    { "every second", GRADIENT, "it is another program at n = 0, m = 1", "another program" },

    { "differences", GRADIENT, NULL, "it is from \"where n >= 2\" on" },
};

static const struct refused *
refusal_of(const program *p, form how)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(refused[i].name, p->name) == 0 && refused[i].how == how)
            return &refused[i];
    return NULL;
}

static void
check_refused(cot_fn *f, cot_types types, const char *why)
{
    cot_kernel *k;

    ck_assert_int_eq(cot_compile(f, types, NULL, &k), COT_ERR_SHAPE);
    ck_assert_msg(strstr(cot_error(ctx), why) != NULL, "%s", cot_error(ctx));
    cot_error_clear(ctx);
}

static void
check_form(const program *p, form how)
{
    static const int64_t at[] = { 0, 1, 2, 17, 64, 257 };
    const struct refused *r = refusal_of(p, how);
    cot_type type[MAX_ARGS];
    const cot_types types = types_of(p, how, type);
    char sizes[128];
    cot_fn *fixed = formed(p, how), *open = cot_open(fixed, formed_sizes(p, how, sizes));
    char *text = NULL;

    if (r)
        check_refused(open, types, r->kernel);
    if (r && r->text) {
        ck_assert_int_eq(cot_dump_fn(open, types, "graph", append, &text), COT_ERR_SHAPE);
        ck_assert_msg(strstr(cot_error(ctx), r->text) != NULL, "%s", cot_error(ctx));
        ck_assert_ptr_null(text);
        return;
    }
    text = text_of(open, p, how);
    cot_fn *again = parsed(text);
    char *printed = text_of(again, p, how);

    ck_assert_msg(strncmp(text, "format 2\n", 9) == 0, "%s", text);
    ck_assert_str_eq(text, printed);
    if (r)
        check_refused(again, types, r->kernel);
    for (size_t i = 0; i < sizeof at / sizeof *at && !r; i++) {
        const int64_t n = at[i], other = at[(i + 3) % 6] % 300;

        if (has_size(p, n, other))
            check_bits(p, how, (cot_fn *[]){ fixed, open, again }, n, other);
    }
    free(text);
    free(printed);
}

START_TEST(functions)
{
    check_form(&programs[_i], PLAIN);
}
END_TEST

START_TEST(gradients)
{
    check_form(&programs[_i], GRADIENT);
}
END_TEST

/* A map of arrays of rank 3 has more than 2^48 elements at the largest sizes. */
START_TEST(maps)
{
    if (programs[_i].body != joined)
        check_form(&programs[_i], MAPPED);
}
END_TEST

/* Constants that are made of sizes. */
BODY(scaled)
{
    UNUSED;
    const double n = (double)cot_size(in[0], 0);
    const cot_value x = cot_mul(in[0], 1 / n), y = cot_mul(x, 4 / sqrt(n)),
                    z = cot_mul(y, sqrt(2 * n + 1));
    out[0] = cot_sub(z, -n);
}

START_TEST(constants)
{
    static const char *const has[] = { "data=1/n}", "data=4/sqrt(n)}", "data=sqrt(2*n+1)}" };
    const program p = {
        "scaled", "0: [n] where n >= 1", scaled, false, 1, 1, { { 1, { -1 } } }
    };
    cot_fn *open = cot_open(function_of(&p), p.sizes);
    char *text = text_of(open, &p, PLAIN);

    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(text, has[i]) != NULL, "%s", text);
    check_form(&p, PLAIN);
    free(text);
}
END_TEST

static const char two_sizes[] =
    "format 2\n"
    "fn @f(%x: f32[n,m], %y: f32[2*n+1]) -> f32[n,m] where n >= 2, n <= 400, m % 4 == 0 {\n"
    "  %0 = slice %y {start=[n+1], limit=[2*n+1], stride=[1]} : f32[n]\n"
    "  %1 = broadcast_in_dim %0 {shape=[n,m], dims=[0]} : f32[n,m]\n"
    "  %2 = mul %x, %1 : f32[n,m]\n"
    "  ret %2\n"
    "}\n";

static const struct call {
    int64_t x[2], y;
    const char *message;
} calls[] = {
    { { 8, 4 }, 17, NULL },
    { { 8, 4 }, 18, "argument 'y' has 18 along axis 0; wants 2*n + 1, which is 17" },
    { { 8, 6 }, 17, "argument 'x' has 6 along axis 1; wants a multiple of the divisor" },
    { { 1, 4 }, 3, "argument 'x' has 1 along axis 0; wants at least" },
    { { 404, 4 }, 809, "argument 'x' has 404 along axis 0; wants at most" },
};
enum { CALLS = sizeof calls / sizeof *calls };

/* A kernel that was compiled for all sizes says where a call's arguments disagree. */
START_TEST(calls_are_checked)
{
    const struct call *c = &calls[_i];
    cot_fn *f = parsed(two_sizes);
    const shape good[] = { { 2, { 8, 4 } }, { 1, { 17 } } };
    const shape given[] = { { 2, { c->x[0], c->x[1] } }, { 1, { c->y } } };
    cot_array *arg[4], *y = NULL;

    for (int i = 0; i < 4; i++)
        arg[i] = filled(i < 2 ? &good[i] : &given[i - 2], 0, 0, 1);
    ck_assert_msg(cot_jit(f, &y, 1, (const cot_array *const *)arg, 2) == COT_OK, "%s",
                  cot_error(ctx));
    cot_array_free(y);
    y = NULL;
    const cot_status s = cot_jit(f, &y, 1, (const cot_array *const *)arg + 2, 2);
    ck_assert_int_eq(s, c->message ? COT_ERR_SHAPE : COT_OK);
    ck_assert_msg(!c->message ||
                      (strstr(cot_error(ctx), c->message) && strstr(cot_error(ctx), "f.cot:2")),
                  "%s", cot_error(ctx));
    ck_assert_int_eq(cot_cache_of(f).misses, 1);
    cot_array_free(y);
    for (int i = 0; i < 4; i++)
        cot_array_free(arg[i]);
}
END_TEST

static const struct call firsts[] = {
    { { 8, 4 },
      18,
      "f.cot:2: f: argument 1 is f32[18]; wants f32[2*n+1] for y, which is f32[17] "
      "at n = 8, m = 4" },
    { { 8, 6 }, 17, "f.cot:2: f: m is 6; wants a multiple of 4" },
};

/* So does the compilation. */
START_TEST(first_calls_are_checked)
{
    const struct call *c = &firsts[_i];
    cot_fn *f = parsed(two_sizes);
    const shape given[] = { { 2, { c->x[0], c->x[1] } }, { 1, { c->y } } };
    cot_array *arg[] = { filled(&given[0], 0, 0, 1), filled(&given[1], 0, 0, 1) }, *y = NULL;

    ck_assert_int_eq(cot_jit(f, &y, 1, (const cot_array *const *)arg, 2), COT_ERR_SHAPE);
    ck_assert_msg(strstr(cot_error(ctx), c->message) != NULL, "%s", cot_error(ctx));
    ck_assert_ptr_null(y);
    cot_array_free(arg[0]);
    cot_array_free(arg[1]);
}
END_TEST

/* A transform of a function of a text takes types of any sizes; it can be opened anew. */
START_TEST(is_transformed)
{
    static const char text[] = "format 2\n"
                               "fn @f(%x: f32[n]) -> f32[] {\n"
                               "  %0 = mul %x, %x\n"
                               "  %1 = reduce_sum %0 {axes=[0]}\n"
                               "  ret %1\n"
                               "}\n";
    cot_fn *grad = cot_grad(parsed(text)), *open = cot_open(grad, "x: [n]");

    for (int64_t n = 5; n < 8; n++) {
        const shape line = { 1, { n } };
        cot_array *x = filled(&line, 0, 0, 1), *y = NULL, *z = NULL;

        ck_assert_msg(cot_jit(grad, &y, 1, (const cot_array *const *)&x, 1) == COT_OK, "%s",
                      cot_error(ctx));
        ck_assert_msg(cot_jit(open, &z, 1, (const cot_array *const *)&x, 1) == COT_OK, "%s",
                      cot_error(ctx));
        ck_assert_mem_eq(cot_array_data(y), cot_array_data(z), cot_array_bytes(y));
        cot_array_free(x);
        cot_array_free(y);
        cot_array_free(z);
    }
    ck_assert_int_eq(cot_cache_of(grad).misses, 3);
    ck_assert_int_eq(cot_cache_of(open).misses, 1);
}
END_TEST

BODY(by_its_size)
{
    UNUSED;
    out[0] = cot_size(in[0], 0) > 64 ? cot_sin(in[0]) : cot_cos(in[0]);
}

/* Of three sizes. */
START_TEST(volumes)
{
    const program p = { "volume",
                        "0: [n], 1: [m], 2: [k]",
                        volume,
                        false,
                        0,
                        3,
                        { { 1, { -1 } }, { 1, { OTHER } }, { 1, { 8 } } } };
    cot_fn *open = cot_open(function_of(&p), p.sizes);
    char *text = text_of(open, &p, PLAIN), *again = text_of(parsed(text), &p, PLAIN);

    ck_assert_ptr_nonnull(strstr(text, ": f32[n,m,k]"));
    ck_assert_str_eq(text, again);
    free(text);
    free(again);
}
END_TEST

/* What is another program at another size has no text for all. */
START_TEST(refuses_a_function)
{
    const program p = { "by its size", "0: [n]", by_its_size, false, 0, 1, { { 1, { -1 } } } };
    cot_fn *open = cot_open(function_of(&p), p.sizes);
    char *text = NULL;

    ck_assert_int_eq(cot_dump_fn(open, COT_TYPES(cot_f32(4)), "graph", append, &text),
                     COT_ERR_SHAPE);
    ck_assert_msg(strstr(cot_error(ctx), "it is another program at n = ") != NULL, "%s",
                  cot_error(ctx));
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "check_open_text.c:"));
    ck_assert_ptr_null(text);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(functions, PROGRAMS),
        EACH(gradients, PROGRAMS),
        EACH(maps, PROGRAMS),
        ONCE(constants),
        EACH(calls_are_checked, CALLS),
        EACH(first_calls_are_checked, 2),
        ONCE(volumes),
        ONCE(is_transformed),
        ONCE(refuses_a_function),
    };
    return SUITE("open_text", cases);
}
