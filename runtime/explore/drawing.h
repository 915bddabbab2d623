/* Runs of Graphviz's program `dot`, and what is made of its answers. */
#ifndef RUNTIME_EXPLORE_DRAWING_H
#define RUNTIME_EXPLORE_DRAWING_H

#include <sys/types.h>

#include "runtime/explore/explore.h"

typedef struct rt_dot_job {
    const char *format; /* "-Tsvg" */
    const ir_buf *text; /* one graph or several */
    char dir[256], in[320], out[320];
    pid_t pid; /* 0: it did not start */
} rt_dot_job;

/* run_dot.c: starts dot; waits for it and adds what it wrote. False where it could not be
 * started or failed. */
void rt_dot_start(rt_dot_job *job);
bool rt_dot_finish(rt_dot_job *job, ir_buf *out);

/* layout.c: writes the layouts of the stages that are large; false: dot has made none. */
bool rt_explore_layouts(const rt_exploring *x, const bool *large, ir_buf *b);

#endif
