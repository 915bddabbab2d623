/* Graphs for suites of lowering: each exercises one way.  Those that several ops share stand
 * behind those of single ops. */
typedef struct lower_graph {
    const char *name;
    bool special;               /* inputs with zeros, infinities and NaN among them */
    const char *text;
} lower_graph;

static const lower_graph lower_graphs[] = {
#include "tests/unit/lower_ops.def"
#include "tests/unit/lower_schedules.def"
};
static const int lower_graph_count = sizeof lower_graphs / sizeof *lower_graphs;
