/* Drawings of the stages: Graphviz lays them out, where its program `dot` is installed. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/config.h"
#include "runtime/explore/explore.h"

extern char **environ;

enum { NODES_MOST = 300 }; /* of a stage that is drawn: a larger drawing is no help */

typedef struct drawing_files {
    char dir[256], in[320], out[320];
} drawing_files;

static bool
write_file(const char *path, const ir_buf *b)
{
    FILE *file = fopen(path, "w");
    bool good = file && fwrite(b->text, 1, b->n, file) == b->n;

    if (file)
        good &= fclose(file) == 0;
    return good;
}

static bool
open_files(drawing_files *f, const ir_buf *b)
{
    snprintf(f->dir, sizeof f->dir, "%s/cotrace-XXXXXX", ir_config_temporary());
    f->in[0] = f->out[0] = '\0';
    if (!mkdtemp(f->dir))
        return false;
    snprintf(f->in, sizeof f->in, "%s/graph.dot", f->dir);
    snprintf(f->out, sizeof f->out, "%s/graph.svg", f->dir);
    return write_file(f->in, b);
}

static void
remove_files(const drawing_files *f)
{
    unlink(f->in);
    unlink(f->out);
    rmdir(f->dir);
}

/* Runs dot; false where it could not be started or failed. */
static bool
lay_out(const drawing_files *f)
{
    char *argv[] = { "dot", "-Tsvg", "-o", (char *)f->out, (char *)f->in, NULL };
    posix_spawn_file_actions_t act;
    int status = -1;
    pid_t pid;

    if (posix_spawn_file_actions_init(&act) != 0)
        return false;
    posix_spawn_file_actions_addopen(&act, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&act, 2, "/dev/null", O_WRONLY, 0);
    const bool started = posix_spawnp(&pid, argv[0], &act, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&act);
    if (!started)
        return false;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The svg element of the file that dot has written, as a string; false: there is none. */
static bool
write_svg(ir_buf *b, FILE *file)
{
    char block[1 << 13];
    ir_buf text;
    size_t n;

    ir_buf_init(&text, b->arena);
    while (file && (n = fread(block, 1, sizeof block, file)) > 0)
        ir_buf_add(&text, block, n);
    if (file)
        fclose(file);
    const char *svg = text.n ? strstr(text.text, "<svg") : NULL;
    if (!svg)
        return false;
    rt_json_string(b, svg);
    return true;
}

static bool
draw(const rt_exploring *x, ir_buf *b, const ir_graph *f)
{
    drawing_files files;
    ir_buf dot;

    ir_buf_init(&dot, x->arena);
    rt_dot(&dot, f, x);
    FILE *svg = open_files(&files, &dot) && lay_out(&files) ? fopen(files.out, "rb") : NULL;
    remove_files(&files);
    return write_svg(b, svg);
}

static uint32_t
count_nodes(const rt_exploring *x, const rt_stage_graphs *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n; i++)
        n += x->graph[s->first + i]->n_nodes;
    return n;
}

/* Where dot is missing it is missing for every stage. */
void
rt_explore_drawings(const rt_exploring *x, ir_buf *b)
{
    bool first = true, there = true;

    ir_buf_str(b, "\"drawings\":[");
    for (uint32_t i = 0; i < x->n_stages; i++) {
        const rt_stage_graphs *s = &x->stage[i];
        const size_t before = b->n;

        rt_json_next(b, &first);
        if (there && count_nodes(x, s) <= NODES_MOST &&
            (there = draw(x, b, x->graph[s->first])))
            continue;
        b->n = before + (i > 0);
        ir_buf_str(b, there ? "\"\"" : "null");
    }
    ir_buf_str(b, "]");
}
