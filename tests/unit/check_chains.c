/* Chains of one op, as long as a program may be, on a small stack: nothing that makes kernels
 * of a graph, or C of kernels, recurses with the length of a chain. */
#include <pthread.h>

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

/* The address sanitizer pads frames. */
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL_STACK = 1 << 20 };
#else
enum { SMALL_STACK = 256 << 10 };
#endif

/* A link takes %v(i-1), of the type, to %vi; # stands for i, and ^ for i - 1. */
typedef struct chain {
    const char *type, *link;
    int n;
} chain;

static const chain chains[] = {
    { "f32[8]", "%v# = sin %v^ : f32[8]", 20000 },
    { "f32[]", "%v# = mul %v^, %v^ : f32[]", 100000 },
    { "f32[]", "%v# = sin %v^ : f32[]", 20000 },
    { "i64[]", "%v# = add %v^, %v^ : i64[]", 100000 },
    { "f32[6,6]", "%v# = transpose %v^ {perm=[1,0]} : f32[6,6]", 20000 },
    { "f32[6,6]", "%a# = transpose %v^ {perm=[1,0]} : f32[6,6]\n %v# = add %a#, %v^ : f32[6,6]",
      10000 },
    { "f32[6,6]",
      "%a# = reshape %v^ {shape=[4,9]} : f32[4,9]\n %b# = transpose %a# {perm=[1,0]} : "
      "f32[9,4]\n"
      " %v# = reshape %b# {shape=[6,6]} : f32[6,6]",
      5000 },
    { "f32[8]",
      "%a# = slice %v^ {start=[0], limit=[4], stride=[1]} : f32[4]\n %b# = slice %v^ "
      "{start=[4], "
      "limit=[8], stride=[1]} : f32[4]\n %v# = concatenate %b#, %a# {axis=0} : f32[8]",
      5000 },
    { "f32[8]",
      "%z# = constant {data=0} : f32[]\n %a# = pad %v^, %z# {low=[1], high=[0], interior=[0]} "
      ": f32[9]\n"
      " %v# = slice %a# {start=[0], limit=[8], stride=[1]} : f32[8]",
      5000 },
    { "f32[8]", "%v# = reverse %v^ {axes=[0]} : f32[8]", 20000 },
    { "f32[8]", "%v# = barrier %v^ : f32[8]", 20000 },
    { "f32[8]",
      "%s# = reduce_max %v^ {axes=[0]} : f32[]\n %v# = broadcast_in_dim %s# {shape=[8], "
      "dims=[]} : f32[8]",
      5000 },
    { "f32[8]",
      "%c# = constant {data=1} : i32[]\n %a# = dynamic_slice %v^, %c# {sizes=[4]} : f32[4]\n"
      " %v# = concatenate %a#, %a# {axis=0} : f32[8]",
      2000 },
    { "i32[8]",
      "%r# = reshape %v^ {shape=[8,1]} : i32[8,1]\n"
      " %v# = gather %v^, %r# {offset_dims=[], collapsed=[0], operand_batch=[], "
      "indices_batch=[], "
      "index_map=[0], sizes=[1], mode=clip} : i32[8]",
      2000 },
    { "f32[8]",
      "%a# = convert %v^ {dtype=f64} : f64[8]\n %v# = convert %a# {dtype=f32} : f32[8]",
      10000 },
    { "f32[8]", "%p# = lt %v^, %v0 : bool[8]\n %v# = select %p#, %v^, %v0 : f32[8]", 10000 },
    { "f32[4,4]",
      "%v# = dot_general %v^, %v^ {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[4,4]",
      2000 },
    { "f32[8]", "%v# = cumsum %v^ {axis=0, reverse=false} : f32[8]", 2000 },
};
enum { CHAINS = sizeof chains / sizeof chains[0] };

static void
write_link(ir_buf *b, const char *link, int i)
{
    for (; *link; link++)
        if (*link == '#')
            ir_buf_printf(b, "%d", i);
        else if (*link == '^')
            ir_buf_printf(b, "%d", i - 1);
        else
            ir_buf_printf(b, "%c", *link);
    ir_buf_str(b, "\n ");
}

typedef struct job {
    const chain *x;
    cot_status status;
    char error[200];
} job;

static cot_status
lower_chain(cot_context *c, ir_arena *a, const chain *x)
{
    cg_target target = { .vector_bits = 256 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    cg_natural fn = { .name = "f", .n_in = 1, .n_out = 1 };
    cg_c_width width = { .lanes = 8, .fn = &fn };
    cg_module *lowered;
    const void *bytes;
    size_t size;
    ir_module m;
    ir_graph *f;
    ir_buf b;

    ir_buf_init(&b, a);
    ir_buf_printf(&b, "fn @f(%%v0: %s) -> (%s) {\n ", x->type, x->type);
    for (int i = 1; i <= x->n; i++)
        write_link(&b, x->link, i);
    ir_buf_printf(&b, "ret %%v%d\n}\n", x->n);
    COT_TRY(ir_parse(c, "chain", b.text, b.n, &m));
    COT_TRY(pass_prepare(m.fn[0], &f));
    COT_TRY(cg_lower(f, &o, a, &lowered));
    cg_module_print(&b, lowered);
    fn.module = lowered;
    return cg_c_write(c, 1, &width, 1, false, a, &bytes, &size);
}

static void *
run_job(void *arg)
{
    job *j = arg;
    cot_context *c = cot_context_new(NULL);
    ir_arena a;

    ir_arena_init(&a, c);
    j->status = lower_chain(c, &a, j->x);
    snprintf(j->error, sizeof j->error, "%s", j->status == COT_OK ? "" : cot_error(c));
    ir_arena_free(&a);
    cot_context_free(c);
    return NULL;
}

START_TEST(stack_does_not_grow_with_a_chain)
{
    job j = { .x = &chains[_i], .status = COT_ERR_INTERNAL };
    pthread_attr_t a;
    pthread_t thread;

    ck_assert_int_eq(pthread_attr_init(&a), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&a, SMALL_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &a, run_job, &j), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&a);
    ck_assert_msg(j.status == COT_OK, "%s: %s", j.x->link, j.error);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(stack_does_not_grow_with_a_chain, CHAINS),
    };
    return SUITE("chains", cases);
}
