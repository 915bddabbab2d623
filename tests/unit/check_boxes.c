/* Boxes that are written over most of a value, at places that are known, in a loop and without
 * one, on all back ends against the evaluator: starts inside and outside, for
 * values of one to three axes and of types of every size. */
#include "runtime/check.h"
#include "tests/unit/oracle.h"

static const char *const types[] = { "f64", "f32", "f16", "bf16", "i8", "i64", "bool" };
static const char *const shapes[][3] = {
    /* the value, the box, the step's box: of the value from its first element on */
    { "7", "6", "[0], limit=[6], stride=[1]" },
    { "37", "30", "[0], limit=[30], stride=[1]" },
    { "5,40", "5,39", "[0,0], limit=[5,39], stride=[1,1]" },
    { "20,9", "18,8", "[0,0], limit=[18,8], stride=[1,1]" },
    { "3,17,18", "3,15,17", "[0,0,0], limit=[3,15,17], stride=[1,1,1]" },
};
static const int starts[] = { -1, 0, 2 };
enum { STARTS = sizeof starts / sizeof *starts };
enum { TYPES = sizeof types / sizeof *types, SHAPES = sizeof shapes / sizeof *shapes };

static void
agrees(const char *text)
{
    ir_graph *g = graph_of(text);
    values x = values_of(g, g->n_in, g->in);
    rt_verdict v = { .good = false };

    fill(&x);
    ck_assert_msg(rt_check_backends(g, x.at, &v) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(v.good, "%s\n%s", v.why.text, text);
    release(&x);
}

static int
rank_of(const char *dims)
{
    int n = 1;

    for (; *dims; dims++)
        n += *dims == ',';
    return n;
}

/* The last function of the text is @g, of values of the type; this one is of f64. */
static void
of_f64(char *text, size_t room, const char *type, const char *const *shape, bool second)
{
    const size_t n = strlen(text);

    snprintf(text + n, room - n,
             "fn @f(%%x: f64[%s], %%z: f64[%s]) -> f64[%s] {\n"
             " %%0 = convert %%x {dtype=%s} : %s[%s]\n"
             " %%1 = convert %%z {dtype=%s} : %s[%s]\n"
             " %%2 = call %%0%s {body=@g} : %s[%s]\n"
             " %%3 = convert %%2 {dtype=f64} : f64[%s]\n ret %%3\n}\n",
             shape[0], shape[1], shape[0], type, type, shape[0], type, type, shape[1],
             second ? ", %1" : "", type, shape[0], shape[0]);
}

/* The value's first elements, written from `start` on in every axis; loop: three times. */
static void
written(const char *type, const char *const *shape, int start, bool loop)
{
    static char text[4096];
    const char *start_of[] = { "", "%s", "%s, %s", "%s, %s, %s" };
    const int n =
        snprintf(text, sizeof text,
                 "fn @%s(%%x: %s[%s]) -> %s[%s] {\n %%s = constant {data=%d} : i32[]\n"
                 " %%0 = slice %%x {start=%s} : %s[%s]\n"
                 " %%1 = dynamic_update_slice %%x, %%0, %s : %s[%s]\n ret %%1\n}\n",
                 loop ? "step" : "g", type, shape[0], type, shape[0], start, shape[2], type,
                 shape[1], start_of[rank_of(shape[0])], type, shape[0]);

    if (loop)
        snprintf(text + n, sizeof text - (size_t)n,
                 "fn @g(%%x: %s[%s]) -> %s[%s] {\n"
                 " %%0 = scan %%x {carries=1, length=3, body=@step} : %s[%s]\n ret %%0\n}\n",
                 type, shape[0], type, shape[0], type, shape[0]);
    of_f64(text, sizeof text, type, shape, false);
    agrees(text);
}

START_TEST(updates)
{
    for (int s = 0; s < SHAPES; s++)
        for (int k = 0; k < STARTS; k++)
            for (int loop = 0; loop < 2; loop++)
                written(types[_i], shapes[s], starts[k], loop);
}
END_TEST

static void
scattered(const char *type, const char *const *shape, const char *op, const char *mode,
          int start)
{
    static char text[4096];
    static const char *const axes[] = { "", "0", "0,1", "0,1,2" };
    const int rank = rank_of(shape[0]);

    snprintf(text, sizeof text,
             "fn @g(%%x: %s[%s], %%z: %s[%s]) -> %s[%s] {\n"
             " %%0 = constant {data=%d} : i32[%d]\n"
             " %%1 = %s %%x, %%0, %%z {window_dims=[%s], inserted=[], operand_batch=[], "
             "indices_batch=[], index_map=[%s], mode=%s} : %s[%s]\n ret %%1\n}\n",
             type, shape[0], type, shape[1], type, shape[0], start, rank, op, axes[rank],
             axes[rank], mode, type, shape[0]);
    of_f64(text, sizeof text, type, shape, true);
    agrees(text);
}

START_TEST(scatters)
{
    static const char *const modes[] = { "clip", "fill" };

    for (int s = 0; s < SHAPES; s++)
        for (int k = 0; k < STARTS; k++)
            for (int m = 0; m < 2; m++) {
                scattered(types[_i], shapes[s], "scatter", modes[m], starts[k]);
                if (strcmp(types[_i], "bool") != 0)
                    scattered(types[_i], shapes[s], "scatter_add", modes[m], starts[k]);
            }
}
END_TEST

/* A product that is added to a box is rounded by itself. */
START_TEST(sums_are_not_joined)
{
    agrees("fn @f(%x: f64[40], %y: f64[39]) -> f64[40] {\n %0 = constant {data=1} : i32[1]\n"
           " %1 = mul %y, %y : f64[39]\n"
           " %2 = scatter_add %x, %0, %1 {window_dims=[0], inserted=[], operand_batch=[], "
           "indices_batch=[], index_map=[0], mode=fill} : f64[40]\n ret %2\n}\n");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "updates", updates, TYPES },
        { "scatters", scatters, TYPES },
        { "sums", sums_are_not_joined, 1 },
    };

    return SUITE_WITH("boxes", cases, oracle_setup, suite_end);
}
