/* Control flow on every back end against the reference evaluator, bit for bit, under every
 * transform. */
#include "runtime/check.h"
#include "tests/unit/flow_programs.h"
#include "tests/unit/oracle.h"

static const char *const pipelines[] = { "",
                                         "jvp",
                                         "vjp",
                                         "vmap(size=3)",
                                         "vmap(size=3) | vjp",
                                         "vjp | vmap(size=3)",
                                         "vjp | vjp" };
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };

START_TEST(same_bits)
{
    int program = _i / PIPELINES;
    ir_graph *f = graph_of(program == PROGRAMS ? trap : programs[program]);
    ir_graph *g = piped(f, pipelines[_i % PIPELINES]);
    values x = values_of(g, g->n_in, g->in);
    rt_verdict v = { 0 };

    ints = 4;
    centre = 0.3, spread = 0.9;
    fill(&x);
    cot_status status = rt_check_backends(g, x.at, &v);
    ck_assert_msg(status == COT_OK, "%s: %s", pipelines[_i % PIPELINES], cot_error(ctx));
    ck_assert_msg(v.good, "%s: %s", pipelines[_i % PIPELINES], v.why.text);
    release(&x);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(same_bits, (PROGRAMS + 1) * PIPELINES),
    };

    return SUITE_WITH("flow", cases, oracle_setup, suite_end);
}
