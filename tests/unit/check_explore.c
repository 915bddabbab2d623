/* cot_explore: which nodes of later stages come from a node, through derivatives, maps, calls,
 * branches and loops; and the calls that write pages. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "cotrace/explore.h"
#include "passes/pass.h"
#include "runtime/explore/explore.h"
#include "tests/unit/traced.h"

BODY(product, out[0] = cot_mul(in[0], cot_sin(in[0]));)
BODY(total, out[0] = cot_reduce_sum(cot_mul(in[0], cot_sin(in[0])));)

typedef struct walk_case {
    const char *text; /* of functions: the last one is followed */
    const char *pipeline;
    const char *op; /* the first node of that op in the first stage, sub-functions too */
    /* stages that are no part of a transform: the ops that came from it, in order */
    const char *want;
} walk_case;

#define SIN_MUL                                                                                \
    "fn @f(%x: f32[], %w: f32[]) -> f32[] {\n"                                                 \
    "%0 = sin %x : f32[]\n%1 = mul %0, %w : f32[]\nret %1\n}\n"
#define CALLED                                                                                 \
    "fn @g(%x: f32[]) -> f32[] {\n%0 = exp %x : f32[]\nret %0\n}\n"                            \
    "fn @f(%x: f32[]) -> f32[] {\n%0 = call %x {body=@g} : f32[]\n"                            \
    "%1 = call %0 {body=@g} : f32[]\nret %1\n}\n"
#define BRANCHES                                                                               \
    "fn @no(%a: f32[]) -> f32[] {\n%0 = tanh %a : f32[]\nret %0\n}\n"                          \
    "fn @yes(%a: f32[]) -> f32[] {\n%0 = sin %a : f32[]\nret %0\n}\n"                          \
    "fn @f(%x: f32[], %p: bool[]) -> f32[] {\n"                                                \
    "%0 = cond %p, %x {branches=[@no, @yes]} : f32[]\nret %0\n}\n"
#define LOOP                                                                                   \
    "fn @body(%c: f32[], %x: f32[]) -> (f32[], f32[]) {\n%0 = mul %c, %x : f32[]\n"            \
    "%1 = sin %0 : f32[]\nret %1, %x\n}\n"                                                     \
    "fn @f(%c: f32[], %xs: f32[4]) -> f32[] {\n"                                               \
    "%0, %1 = scan %c, %xs {length=4, consts=0, carries=1, body=@body} : (f32[], f32[4])\n"    \
    "ret %0\n}\n"

static const walk_case cases_of_walks[] = {
    { SIN_MUL, "jvp", "sin", "jvp: sin cos mul; " },
    { SIN_MUL, "jvp", "mul", "jvp: mul mul mul add; " },
    { SIN_MUL, "grad", "sin", "grad: cos mul; " },
    /* 1 times w is w */
    { SIN_MUL, "grad", "mul", "grad: input; " },
    { SIN_MUL, "grad | vmap(in=[0,none], size=3)", "sin",
      "grad: cos mul; vmap: cos broadcast_in_dim mul; " },
    { SIN_MUL, "vmap(in=[0,none], size=3)", "mul", "vmap: broadcast_in_dim mul; " },
    { CALLED, "jvp", "exp", "jvp: exp mul; inline: exp mul exp mul; " },
    { BRANCHES, "grad", "sin", "grad: sin cos input mul; " },
    { BRANCHES, "vmap(in=[0,none], size=2)", "tanh", "vmap: tanh; " },
    { LOOP, "jvp", "sin", "jvp: sin cos mul; " },
    { LOOP, "grad", "sin", "grad: sin cos input mul; " },
};

static cot_status
make(void *user, ir_graph **out)
{
    const walk_case *c = user;
    ir_module m;

    struct ir_follow *const follow = ctx->follow;
    ctx->follow = NULL;
    ck_assert_msg(ir_parse(ctx, "f.cot", c->text, strlen(c->text), &m) == COT_OK, "%s",
                  cot_error(ctx));
    ctx->follow = follow;
    COT_TRY(pass_follow("source", NULL, &m.fn[m.n - 1]));
    return pass_pipeline(m.fn[m.n - 1], c->pipeline, NULL, NULL, out);
}

static void
light(void *user, uint32_t mark)
{
    bool **lit = user;

    *lit[1] |= lit[0][mark];
}

/* Lights up the input or node at loc if one that it came from is lit; appends its op. */
static void
follow_one(const rt_exploring *x, bool *lit, ir_loc loc, const char *op, ir_buf *ops)
{
    bool is = false, *both[] = { lit, &is };

    ir_loc_each_mark(x->ctx, ir_loc_at(x->ctx, loc)->from, light, both);
    lit[ir_loc_at(x->ctx, loc)->mark] = is;
    if (is)
        ir_buf_printf(ops, " %s", op);
}

static const char *
followed(const rt_exploring *x, const char *op)
{
    bool *lit = IR_NEW_N(x->arena, bool, x->next), begun = false;
    ir_buf all;

    ir_buf_init(&all, x->arena);
    for (uint32_t g = 0; g < x->stage[0].n; g++)
        ir_each_node (n, x->graph[g])
            if (!begun && strcmp(ir_ops[n->op].name, op) == 0)
                begun = lit[ir_loc_at(x->ctx, n->loc)->mark] = true;
    for (uint32_t s = 1; s < x->n_stages; s++) {
        ir_buf ops;

        ir_buf_init(&ops, x->arena);
        for (uint32_t g = x->stage[s].first; g < x->stage[s].first + x->stage[s].n; g++) {
            for (int i = 0; i < x->graph[g]->n_in; i++)
                follow_one(x, lit, x->graph[g]->in_loc[i], "input", &ops);
            ir_each_node (n, x->graph[g])
                follow_one(x, lit, n->loc, ir_ops[n->op].name, &ops);
        }
        if (!x->stage[s].part && (s < x->transforms || strcmp(x->stage[s].name, "inline") == 0))
            ir_buf_printf(&all, "%s:%s; ", x->stage[s].name, ops.n ? ops.text : "");
    }
    return all.text;
}

START_TEST(walks)
{
    const walk_case *c = &cases_of_walks[_i];
    ir_arena *arena = ir_arena_take(ctx);
    const rt_explore_options o = { .pipeline = c->pipeline };
    rt_exploring x = { .ctx = ctx, .arena = arena, .o = &o };

    ck_assert_msg(rt_explore_collect(&x, make, (void *)c) == COT_OK, "%s", cot_error(ctx));
    ck_assert_str_eq(followed(&x, c->op), c->want);
    ir_arena_give(arena);
}
END_TEST

static char folder[] = "/tmp/cot-explore-XXXXXX";

static void
begin(void)
{
    suite_begin();
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *
path_of(const char *name)
{
    return ir_format(&ctx->arena, "%s/%s", folder, name);
}

static const char *
contents(const char *name)
{
    FILE *file = fopen(path_of(name), "rb");
    char block[4096];
    ir_buf text;
    size_t n;

    ck_assert_msg(file != NULL, "%s is not there", name);
    ir_buf_init(&text, &ctx->arena);
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        ir_buf_add(&text, block, n);
    fclose(file);
    unlink(path_of(name));
    return text.n ? text.text : "";
}

static void
end(void)
{
    rmdir(folder);
    suite_end();
}

static void
holds(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in %.300s ...", part, text);
}

#define F(body) cot_fn_new(ctx, #body, body, 1, 1, NULL)

/* A function that was traced, through its transforms; a second walk is the same. */
START_TEST(functions)
{
    cot_fn *f = cot_vmap(cot_grad(F(total)));
    const cot_types types = COT_TYPES(cot_f32(4, 8));

    ck_assert_msg(cot_explore(f, types, path_of("f.json")) == COT_OK, "%s", cot_error(ctx));
    const char *first = contents("f.json");
    holds(first, "\"name\":\"source\",\"kind\":\"source\"");
    holds(first, "\"name\":\"grad\",\"kind\":\"transform\"");
    holds(first, "\"name\":\"vmap\",\"kind\":\"transform\"");
    holds(first, "check_explore.c\",\"lines\":");
    holds(first, "\"how\":\"in grad, in vmap\"");
    ck_assert_msg(cot_explore(f, types, path_of("f.json")) == COT_OK, "%s", cot_error(ctx));
    ck_assert_str_eq(contents("f.json"), first);
    ck_assert_msg(cot_explore(f, types, path_of("f.html")) == COT_OK, "%s", cot_error(ctx));
    const char *page = contents("f.html");
    holds(page, "<!doctype html>");
    holds(page, first);
}
END_TEST

/* The kernels are those of the context's target; a GPU's are written without one. */
START_TEST(of_a_gpu)
{
    cot_context *gpu = cot_context_new(&(cot_options){ .target = "cuda:sm_90" });
    cot_fn *f = cot_grad(cot_fn_new(gpu, "total", total, 1, 1, NULL));
    const cot_status status = cot_explore(f, COT_TYPES(cot_f32(512)), path_of("f.json"));

    if (status == COT_ERR_TARGET) {
        holds(cot_error(gpu), "built without LLVM");
        holds(contents("f.json"), "\"kernels\":[]");
    } else {
        ck_assert_msg(status == COT_OK, "%s", cot_error(gpu));
        const char *data = contents("f.json");
        holds(data, "\"target\":\"sm_90\"");
        holds(data, "\"launch\":{\"grid\":");
        holds(data, "\"ptx\":{\"text\":");
        holds(data, ".target sm_90\\n");
    }
    cot_context_free(gpu);
}
END_TEST

/* Kernels and later errors know nothing of a walk. */
START_TEST(nothing_is_left)
{
    cot_fn *f = cot_grad(F(product));
    cot_kernel *k;

    ck_assert_int_eq(cot_explore(f, COT_TYPES(cot_f64()), path_of("f.json")), COT_OK);
    contents("f.json");
    ck_assert_ptr_null(ctx->follow);
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f64()), NULL, &k), COT_OK);
    ck_assert_ptr_null(cot_kernel_graph(k)->in_loc);
    ck_assert_ptr_null(cot_kernel_graph(k)->original);
    cot_kernel_free(k);
    ck_assert_int_ne(cot_explore(f, COT_TYPES(cot_f64(3)), path_of("f.json")), COT_OK);
    holds(cot_error(ctx), "check_explore.c:");
    cot_error_clear(ctx);
    contents("f.json");
}
END_TEST

/* What a failing transform leaves: the stages before it, and the message. */
START_TEST(failures)
{
    cot_fn *f = F(product);

    ck_assert_int_eq(cot_explore(cot_grad(f), COT_TYPES(cot_f32(3)), path_of("f.json")),
                     COT_ERR_SHAPE);
    cot_error_clear(ctx);
    const char *page = contents("f.json");
    holds(page, "wants a floating scalar");
    holds(page, "\"kind\":\"source\"");
    holds(page, "\"kernels\":[]");
}
END_TEST

START_TEST(refused)
{
    cot_fn *f = F(product);
    const cot_types types = COT_TYPES(cot_f32());
    const cot_graph *g;

    ck_assert_int_eq(cot_explore(f, types, path_of("none/f.html")), COT_ERR_IO);
    holds(cot_error(ctx), "none/f.html");
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_explore(f, types, NULL), COT_ERR_ARG);
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_explore_graph(NULL, "f.html"), COT_ERR_ARG);
    ck_assert_int_eq(cot_explore(NULL, types, "f.html"), COT_ERR_ARG);
    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_OK);
    ck_assert_msg(cot_explore_graph(g, path_of("g.html")) == COT_OK, "%s", cot_error(ctx));
    holds(contents("g.html"), "\"op\":\"sin\"");
}
END_TEST

/* Names do not end the element that the data is in, whatever bytes they have. */
START_TEST(names)
{
    cot_fn *f = cot_fn_new(ctx, "f</script>\x80\xff\"\\\n", product, 1, 1, NULL);

    ck_assert_msg(cot_explore(f, COT_TYPES(cot_f32()), path_of("f.html")) == COT_OK, "%s",
                  cot_error(ctx));
    const char *page = contents("f.html"), *data = strstr(page, "id=\"data\">");
    holds(data, "\"f\\u003c/script\\u003e\\ufffd\\ufffd\\u0022\\u005c\\n\"");
    ck_assert_ptr_null(memmem(data, (size_t)(strstr(data, "</script>") - data), "<b", 2));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(walks, sizeof cases_of_walks / sizeof *cases_of_walks),
        ONCE(functions),
        ONCE(of_a_gpu),
        ONCE(nothing_is_left),
        ONCE(failures),
        ONCE(refused),
        ONCE(names),
    };

    return SUITE_WITH("explore", cases, begin, end);
}
