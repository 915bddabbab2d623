/* What contract joins depends on ops and dimension numbers, never on a size: programs whose
 * sizes are functions of n, at n = 0, 1, 2, 3, 64 and 65.
 *
 * Each program has a sum of a product behind an op that is an identity at some n, or a
 * constant that is folded at some n.  Two things are compared: the fmas that contract makes, by
 * their number in the whole program, also in the jvp of it and under vmap; and, where element i
 * of the result does not depend on n, its bits. */
#include <stdio.h>

#include "cotrace/cotrace.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

typedef struct size_row {
    const char *name;
    /* <a*N+b> stands for a number; the function @f is the last one. */
    const char *text;
    int least;      /* the least n that it can have */
    bool by_length; /* its tangent is a tree over n elements */
    bool joined;    /* is there an fma at all? */
    bool alike;     /* element i is the same at each n */
} size_row;

#define P4  "%p = mul %a, %b : f32[4,<N>]\n"
#define PN  "%p = mul %a, %b : f32[<N>]\n"
#define AB4 "%a: f32[4,<N>], %b: f32[4,<N>]"
#define ABN "%a: f32[<N>], %b: f32[<N>]"
#define ABC "fn @f(" ABN ", %c: f32[<N>]) -> f32[<N>] {\n"
#define REDUCED(op)                                                                            \
    "fn @f(" AB4 ", %c: f32[4]) -> f32[4] {\n" P4 "%r = " op " %p {axes=[1]} : f32[4]\n"       \
    "%y = add %c, %r : f32[4]\nret %y\n}"
#define END  "ret %y\n}"
#define LINE "%i = iota {dtype=f32, shape=[<N>], axis=0} : f32[<N>]\n"

static const size_row rows[] = {
    { "sum", REDUCED("reduce_sum"), 0, false, false, false },
    { "product", REDUCED("reduce_prod"), 0, true, false, false },
    { "maximum", REDUCED("reduce_max"), 0, false, false, false },
    { "minimum", REDUCED("reduce_min"), 0, false, false, false },
    { "sum seen through a view",
      "fn @f(" AB4 ", %c: f32[4,2]) -> f32[4,2] {\n" P4
      "%r = reduce_sum %p {axes=[1]} : f32[4]\n%n = neg %r : f32[4]\n"
      "%v = broadcast_in_dim %n {shape=[4,2], dims=[0]} : f32[4,2]\n"
      "%y = sub %c, %v : f32[4,2]\n" END,
      0, false, false, false },
    { "pad",
      "fn @f(%a: f32[3], %b: f32[3], %c: f32[<N+3>]) -> f32[<N+3>] {\n"
      "%p = mul %a, %b : f32[3]\n%z = constant {data=0} : f32[]\n"
      "%r = pad %p, %z {low=[0], high=[<N>], interior=[0]} : f32[<N+3>]\n"
      "%y = add %c, %r : f32[<N+3>]\n" END,
      0, false, false, false },
    { "pad between",
      "fn @f(" ABN ", %c: f32[<2*N-1>]) -> f32[<2*N-1>] {\n" PN
      "%z = constant {data=0} : f32[]\n"
      "%r = pad %p, %z {low=[0], high=[0], interior=[1]} : f32[<2*N-1>]\n"
      "%y = add %c, %r : f32[<2*N-1>]\n" END,
      1, false, false, false },
    { "concatenation",
      "fn @f(%a: f32[3], %b: f32[3], %d: f32[<N>], %c: f32[<N+3>]) -> f32[<N+3>] {\n"
      "%p = mul %a, %b : f32[3]\n%r = concatenate %p, %d {axis=0} : f32[<N+3>]\n"
      "%y = add %c, %r : f32[<N+3>]\n" END,
      0, false, false, false },
    { "adjacent slices",
      "fn @f(%a: f32[<N+8>], %b: f32[<N+8>], %c: f32[8]) -> f32[8] {\n"
      "%p = mul %a, %b : f32[<N+8>]\n"
      "%l = slice %p {start=[0], limit=[4], stride=[1]} : f32[4]\n"
      "%h = slice %p {start=[<N+3>], limit=[<N+7>], stride=[1]} : f32[4]\n"
      "%r = concatenate %l, %h {axis=0} : f32[8]\n%y = add %c, %r : f32[8]\n" END,
      0, false, false, false },
    { "reverse",
      "fn @f(" AB4 ", %c: f32[4,<N>]) -> f32[4,<N>] {\n" P4
      "%r = reverse %p {axes=[1]} : f32[4,<N>]\n%y = add %c, %r : f32[4,<N>]\n" END,
      0, false, false, false },
    { "dynamic slice",
      "fn @f(" ABN ", %i: i32[], %c: f32[1]) -> f32[1] {\n" PN
      "%r = dynamic_slice %p, %i {sizes=[1]} : f32[1]\n%y = add %c, %r : f32[1]\n" END,
      1, false, false, false },
    { "dynamic update of all",
      "fn @f(%a: f32[1], %b: f32[1], %i: i32[], %d: f32[<N>], %c: f32[<N>]) -> f32[<N>] {\n"
      "%p = mul %a, %b : f32[1]\n%r = dynamic_update_slice %d, %p, %i : f32[<N>]\n"
      "%y = add %c, %r : f32[<N>]\n" END,
      1, false, false, false },
    { "dynamic update of nothing",
      "fn @f(%a: f32[70], %b: f32[70], %i: i32[], %d: f32[<N>], %c: f32[70]) -> f32[70] {\n"
      "%p = mul %a, %b : f32[70]\n%r = dynamic_update_slice %p, %d, %i : f32[70]\n"
      "%y = add %c, %r : f32[70]\n" END,
      0, false, false, false },
    { "scatter of nothing",
      "fn @f(%a: f32[70], %b: f32[70], %i: i32[<N>,1], %d: f32[<N>], %c: f32[70]) -> f32[70] "
      "{\n%p = mul %a, %b : f32[70]\n%r = scatter_add %p, %i, %d {window_dims=[], "
      "inserted=[0], "
      "operand_batch=[], indices_batch=[], index_map=[0]} : f32[70]\n%y = add %c, %r : "
      "f32[70]\n" END,
      0, false, false, false },
    { "select by a list",
      "fn @f(" ABN ", %d: f32[<N>], %c: f32[<N>]) -> f32[<N>] {\n" PN LINE
      "%one = constant {data=1} : f32[<N>]\n%l = lt %i, %one : bool[<N>]\n"
      "%r = select %l, %p, %d : f32[<N>]\n%y = add %c, %r : f32[<N>]\n" END,
      0, false, false, true },
    { "select of slices that may be one",
      "fn @f(%q: bool[2], %a: f32[<N+2>], %b: f32[<N+2>], %c: f32[2]) -> f32[2] {\n"
      "%p = mul %a, %b : f32[<N+2>]\n"
      "%l = slice %p {start=[0], limit=[2], stride=[1]} : f32[2]\n"
      "%h = slice %p {start=[<N>], limit=[<N+2>], stride=[1]} : f32[2]\n"
      "%r = select %q, %l, %h : f32[2]\n%y = add %c, %r : f32[2]\n" END,
      0, false, false, false },
    { "maximum of slices that may be one",
      "fn @f(%a: f32[<N+2>], %b: f32[<N+2>], %c: f32[2]) -> f32[2] {\n"
      "%p = mul %a, %b : f32[<N+2>]\n"
      "%l = slice %p {start=[0], limit=[2], stride=[1]} : f32[2]\n"
      "%h = slice %p {start=[<N>], limit=[<N+2>], stride=[1]} : f32[2]\n"
      "%r = max %l, %h : f32[2]\n%y = add %c, %r : f32[2]\n" END,
      0, false, false, false },
    { "conversions around a reshape",
      "fn @f(%a: f32[<N>,2], %b: f32[<N>,2], %c: f32[2,<N>]) -> f32[2,<N>] {\n"
      "%p = mul %a, %b : f32[<N>,2]\n%w = convert %p {dtype=f64} : f64[<N>,2]\n"
      "%v = reshape %w {shape=[2,<N>]} : f64[2,<N>]\n%r = convert %v {dtype=f32} : f32[2,<N>]\n"
      "%y = add %c, %r : f32[2,<N>]\n" END,
      0, false, false, false },
    { "a list of -0",
      ABC PN LINE
      "%k = neg %i : f32[<N>]\n%r = add %p, %k : f32[<N>]\n%y = add %c, %r : f32[<N>]\n" END,
      0, false, true, true },
    { "a list of 1",
      ABC PN LINE
      "%k = cos %i : f32[<N>]\n%r = mul %p, %k : f32[<N>]\n%y = add %c, %r : f32[<N>]\n" END,
      0, false, true, true },
    { "two products, one with a list of 1",
      ABC PN LINE
      "%k = cos %i : f32[<N>]\n%r = mul %c, %k : f32[<N>]\n%y = add %p, %r : f32[<N>]\n" END,
      0, false, true, true },
    { "division by a list of 1",
      ABC PN LINE
      "%k = cos %i : f32[<N>]\n%r = div %p, %k : f32[<N>]\n%y = add %c, %r : f32[<N>]\n" END,
      0, false, false, true },
    { "a product of constants",
      "fn @f(%c: f32[<N>]) -> f32[<N>] {\n" LINE
      "%j = sin %i : f32[<N>]\n%k = exp %j : f32[<N>]\n%r = mul %k, %j : f32[<N>]\n"
      "%y = add %c, %r : f32[<N>]\n" END,
      0, false, true, true },
    { "a product of a cumulative sum of constants",
      "fn @f(%c: f32[<N>]) -> f32[<N>] {\n" LINE
      "%j = sin %i : f32[<N>]\n%k = cumsum %j {axis=0} : f32[<N>]\n%r = mul %k, %j : f32[<N>]\n"
      "%y = add %c, %r : f32[<N>]\n" END,
      0, false, true, true },
    { "a sum of constants of which one is a product",
      "fn @f(%c: f32[<N>]) -> f32[<N>] {\n" LINE
      "%j = sin %i : f32[<N>]\n%s = constant {data=0.1} : f32[<N>]\n%r = mul %s, %j : "
      "f32[<N>]\n"
      "%k = add %s, %r : f32[<N>]\n%y = mul %c, %k : f32[<N>]\n" END,
      0, false, true, true },
    { "a carry that is reversed",
      "fn @s(%x: f32[4,<N>]) -> f32[4,<N>] {\n%r = reverse %x {axes=[1]} : f32[4,<N>]\nret "
      "%r\n}\n"
      "fn @f(" AB4 ", %c: f32[4,<N>]) -> f32[4,<N>] {\n" P4
      "%r = scan %p {consts=0, carries=1, length=4, body=@s} : f32[4,<N>]\n"
      "%y = add %c, %r : f32[4,<N>]\n" END,
      0, false, false, false },
    { "a slice of a product in a loop",
      "fn @s(" ABN ", %x: f32[2]) -> f32[2] {\n" PN
      "%v = slice %p {start=[0], limit=[2], stride=[1]} : f32[2]\n"
      "%y = add %x, %v : f32[2]\nret %y\n}\n"
      "fn @f(" ABN ", %c: f32[2]) -> f32[2] {\n"
      "%r = scan %a, %b, %c {consts=2, carries=1, length=4, body=@s} : f32[2]\nret %r\n}",
      2, false, true, false },
    { "a sum in a loop, with a product before it",
      "fn @s(%p: f32[4,<N>], %d: f32[4,<N>], %x: f32[4]) -> f32[4] {\n"
      "%s = add %d, %p : f32[4,<N>]\n%r = reduce_sum %s {axes=[1]} : f32[4]\n"
      "%y = add %x, %r : f32[4]\nret %y\n}\n"
      "fn @f(" AB4 ", %d: f32[4,<N>], %c: f32[4]) -> f32[4] {\n" P4
      "%r = scan %p, %d, %c {consts=2, carries=1, length=4, body=@s} : f32[4]\nret %r\n}",
      0, false, false, false },
    { "a branch that constants choose",
      "fn @t(" ABN ") -> f32[<N>] {\n" PN "ret %p\n}\n"
      "fn @e(" ABN ") -> f32[<N>] {\nret %a\n}\n" ABC LINE
      "%m = reduce_max %i {axes=[0]} : f32[]\n%z = constant {data=1} : f32[]\n"
      "%q = gt %z, %m : bool[]\n"
      "%r = cond %q, %a, %b {branches=[@t,@e]} : f32[<N>]\n"
      "%y = add %c, %r : f32[<N>]\n" END,
      0, false, false, false },
    { "complex parts",
      ABC PN "%z = complex %p, %c : c64[<N>]\n%w = reshape %z {shape=[1,<N>]} : c64[1,<N>]\n"
             "%v = reshape %w {shape=[<N>]} : c64[<N>]\n%r = real %v : f32[<N>]\n"
             "%y = add %c, %r : f32[<N>]\n" END,
      0, false, true, true },
    { "views", /* what is joined through each view */
      "fn @f(" ABN ", %c: f32[<N>,2]) -> f32[<N>,2] {\n" PN
      "%v = reshape %p {shape=[1,<N>]} : f32[1,<N>]\n"
      "%w = transpose %v {perm=[1,0]} : f32[<N>,1]\n"
      "%u = broadcast_in_dim %w {shape=[<N>,2], dims=[0,1]} : f32[<N>,2]\n"
      "%y = add %c, %u : f32[<N>,2]\n" END,
      0, false, true, true },
};

static const int sizes[] = { 0, 1, 2, 3, 64, 65 };

/* The text with its sizes: <a*N+b>, where a* and +b may be missing. */
static void
write_text(const char *from, int n, char *to)
{
    for (; *from; from++) {
        if (*from != '<') {
            *to++ = *from;
            continue;
        }
        char *end = (char *)from + 1;
        const long a = *end == 'N' ? 1 : strtol(end, &end, 10);
        end += *end == '*';
        const long b = end[1] == '>' ? 0 : strtol(end + 1, &end, 10);
        to += sprintf(to, "%ld", a * n + b);
        from = strchr(from, '>');
    }
    *to = 0;
}

static ir_graph *
graph_at(const size_row *r, int n)
{
    static char text[4000];
    ir_module m = { 0 };

    write_text(r->text, n, text);
    volatile cot_status status = COT_ERR_MEMORY;
    IR_TRY (ctx) {
        status = ir_parse(ctx, r->name, text, strlen(text), &m);
    }
    ck_assert_msg(status == COT_OK, "%s\n%s", cot_error(ctx), text);
    return m.fn[m.n - 1];
}

static int
count_of(const ir_graph *f, ir_op op)
{
    const ir_graph *const *all;
    int n = 0;

    for (uint32_t i = 0, graphs = ir_all_graphs(f, true, &all, f->arena); i < graphs; i++)
        ir_each_node (x, all[i])
            n += x->op == op;
    return n;
}

static const char *const before[] = { "", "jvp | ", "vmap(size=3) | " };

/* The fmas of contract, run as pass_prepare runs it but for what it folds afterwards. */
START_TEST(joins_the_same_at_every_size)
{
    const size_row *r = &rows[_i / 3];
    int first = -1;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        /* What has no elements has no tangent. */
        if (sizes[k] < r->least || (_i % 3 == 1 && (sizes[k] == 0 || r->by_length)))
            continue;
        ir_graph *f = graph_at(r, sizes[k]);
        const char *passes = ir_format(f->arena,
                                       "%sinline_small | complex | simplify | hoist | dce | "
                                       "contract",
                                       before[_i % 3]);
        ck_assert_msg(pass_pipeline(f, passes, NULL, NULL, &f) == COT_OK, "%s: %s", r->name,
                      cot_error(ctx));
        const int joined = count_of(f, OP_fma);
        first = first < 0 ? joined : first;
        ck_assert_msg(joined == first, "%s, %s n = %d: %d fmas, not %d", r->name,
                      before[_i % 3], sizes[k], joined, first);
    }
    ck_assert_msg(_i % 3 != 0 || (first > 0) == r->joined, "%s: %d fmas", r->name, first);
}
END_TEST

/* A large function with several calls stays one, unless it updates an argument of 1,024
 * elements or more: a sum of its caller is joined with a product of it in neither case. */
START_TEST(calls_join_the_same_at_every_size)
{
    enum { OPS = 60, CALLS = 14 };
    static const int each[] = { 1000, 1023, 1024, 1100 };
    char text[8000], *to = text;
    ir_module m = { 0 };
    ir_graph *f;

    to += sprintf(to, "fn @g(%%x: f32[%d], %%s0: f32[1], %%i: i32[]) -> (f32[%d], f32[1]) {\n",
                  each[_i], each[_i]);
    for (int k = 0; k < OPS; k++)
        to += sprintf(to, "%%s%d = sin %%s%d : f32[1]\n", k + 1, k);
    to += sprintf(to,
                  "%%y = dynamic_update_slice %%x, %%s%d, %%i : f32[%d]\n"
                  "%%p = mul %%s0, %%s%d : f32[1]\nret %%y, %%p\n}\n",
                  OPS, each[_i], OPS - 1);
    to += sprintf(to, "fn @f(%%x0: f32[%d], %%c0: f32[1], %%i: i32[]) -> (f32[%d], f32[1]) {\n",
                  each[_i], each[_i]);
    for (int k = 0; k < CALLS; k++)
        to += sprintf(to,
                      "%%x%d, %%p%d = call %%x%d, %%c%d, %%i {body=@g} : f32[%d], f32[1]\n"
                      "%%c%d = add %%c%d, %%p%d : f32[1]\n",
                      k + 1, k, k, k, each[_i], k + 1, k, k);
    sprintf(to, "ret %%x%d, %%c%d\n}\n", CALLS, CALLS);
    ck_assert_msg(ir_parse(ctx, "calls", text, strlen(text), &m) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_msg(pass_prepare(m.fn[1], &f) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(count_of(f, OP_fma), 0);
}
END_TEST

/* Element i of array k, whatever the shapes are. */
static void
fill(const ir_type *t, int k, void *to)
{
    for (int64_t i = 0; i < t->size; i++) {
        const uint32_t bits = (uint32_t)((i + 1) * 2654435761u) ^ (uint32_t)(k + 1) * 40503u;
        if (t->dtype == COT_F32)
            ((float *)to)[i] = (float)(bits >> 8) / (1 << 20) - 7;
        else
            memset((char *)to + (size_t)i * cot_dtype_size(t->dtype), 0,
                   cot_dtype_size(t->dtype));
    }
}

static float *
result_at(const size_row *r, int n, int64_t *size)
{
    ir_graph *f = graph_at(r, n);
    const void *in[8];

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        void *x = calloc((size_t)t->size + 1, cot_dtype_size(t->dtype));
        fill(t, i, x);
        in[i] = x;
    }
    const ir_type *t = ir_type_at(f, f->out[0]);
    float *y = calloc((size_t)t->size + 1, sizeof *y);
    *size = t->size;
    ck_assert_int_eq(pass_prepare(f, &f), COT_OK);
    ck_assert_int_eq(ir_eval(f, (void *[]){ y }, in), COT_OK);
    for (int i = 0; i < f->n_in; i++)
        free((void *)in[i]);
    return y;
}

START_TEST(elements_are_the_same_at_every_size)
{
    const size_row *r = &rows[_i];
    int64_t all, some;

    if (!r->alike)
        return;
    float *most = result_at(r, 65, &all);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        float *y = result_at(r, sizes[k], &some);
        for (int64_t i = 0; i < some; i++)
            ck_assert_msg(memcmp(&y[i], &most[i], sizeof *y) == 0,
                          "%s: element %d is %.9g at n = %d, and %.9g at n = 65", r->name,
                          (int)i, y[i], sizes[k], most[i]);
        free(y);
    }
    free(most);
}
END_TEST

/* Transforms and ops whose graph is another at some n: element i of what they give does not
 * depend on n.  Operands are f32[n], but for the constants of C. */
static void
product(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], in[1]);
}

/* A map in chunks of 4: one map, a loop, or a loop and a map of the rest. */
static void
chunked(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *f = cot_fn_new(user, "product", product, 2, 1, NULL);

    (void)t;
    out[0] = cot_add(in[2], cot_call(cot_vmap(f, .chunk = 4), in[0], in[1]));
}

static void
halved(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(cot_mul(in[0], 0.7), in[1]);
}

static void
prefixes(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    cot_value p = cot_mul(in[0], in[1]), y;
    cot_associative_scan(halved, .xs = COT_VALUES(p), .out = &y);
    out[0] = cot_add(in[2], y);
}

static void
squares(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_square(cot_matmul(in[0], cot_tanh(cot_matmul(in[2], in[1]))));
}

/* Rows of a Jacobian: of one unit, or of several. */
static void
rows_of_jacobian(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *f = cot_fn_new(user, "squares", squares, 3, 1, NULL);
    cot_value w = cot_stack(COT_VALUES(in[0], in[1], in[2], in[0], in[1]), 1);
    cot_value x = cot_linspace(t, COT_F32, 0.1, 0.9, 5);
    cot_value v = cot_reshape(cot_linspace(t, COT_F32, -0.3, 0.8, 25), 5, 5);

    out[0] = cot_call(cot_jacrev(f, .wrt = COT_LIST(1)), w, x, v);
}

static const struct traced_row {
    const char *name;
    cot_body *body;
} traced[] = {
    { "chunks", chunked },
    { "prefixes", prefixes },
    { "rows of a Jacobian", rows_of_jacobian },
};

static cot_array *
traced_at(const struct traced_row *r, int n)
{
    cot_fn *f = cot_fn_new(ctx, r->name, r->body, 3, 1, ctx);
    const cot_type types[] = { cot_f32(n), cot_f32(n), cot_f32(n) };
    cot_array *in[3], *y;
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, (cot_types){ .n = 3, .at = types },
                              &(cot_compile_options){ .backend = "eval" }, &k) == COT_OK,
                  "%s", cot_error(ctx));
    for (int i = 0; i < 3; i++) {
        in[i] = cot_array_new(ctx, types[i]);
        fill(ir_type_new(ctx, COT_F32, 1, (const int64_t[]){ n }), i, cot_array_data(in[i]));
    }
    y = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), 0));
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *const *)in), COT_OK);
    for (int i = 0; i < 3; i++)
        cot_array_free(in[i]);
    cot_kernel_free(k);
    return y;
}

START_TEST(transforms_are_the_same_at_every_size)
{
    const struct traced_row *r = &traced[_i];
    cot_array *most = traced_at(r, 65);

    for (int k = 1; k < (int)(sizeof sizes / sizeof *sizes); k++) {
        cot_array *y = traced_at(r, sizes[k]);
        ck_assert_msg(memcmp(cot_array_data(y), cot_array_data(most), cot_array_bytes(y)) == 0,
                      "%s: other bits at n = %d than at n = 65", r->name, sizes[k]);
        cot_array_free(y);
    }
    cot_array_free(most);
}
END_TEST

int
main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    const suite_case cases[] = {
        EACH(joins_the_same_at_every_size, 3 * ROWS),
        EACH(calls_join_the_same_at_every_size, 4),
        EACH(elements_are_the_same_at_every_size, ROWS),
        EACH(transforms_are_the_same_at_every_size, (int)(sizeof traced / sizeof *traced)),
    };

    return SUITE("sizes", cases);
}
