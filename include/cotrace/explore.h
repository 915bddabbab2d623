/* Cotrace: a function on its way to kernels, as a page for a browser.
 *
 * The page shows the source lines, the graph after each transform and pass, the kernels, their
 * memory and their C source, side by side; a click on a value lights up what it came from and
 * what came from it in all of them.  It is one file that needs no server and no network.  Its
 * data is JSON, which docs/explore.md describes. */
#ifndef COTRACE_EXPLORE_H
#define COTRACE_EXPLORE_H

#include "cotrace/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Write the page of f, with all its transforms, for argument types to the file `path`; where
 * its name ends in .json, the data alone.  The kernels are those of the context's target
 * (cot_options.target); a GPU, as "cuda", need not be there.  No kernel runs; the graphs are
 * drawn by Graphviz's program `dot`, where it is installed.  If a transform or a pass fails,
 * the page has the stages before it and the message, and the status is that of the failure.
 * The graphs on the way stay in the context's memory until it is freed.
 *
 * Errors   COT_ERR_IO  the file cannot be written
 *          those of cot_compile */
COT_API cot_status cot_explore(cot_fn *f, cot_types types, const char *path);
/* The same of a graph, which is the first stage. */
COT_API cot_status cot_explore_graph(const cot_graph *g, const char *path);

#ifdef __cplusplus
}
#endif
#endif
