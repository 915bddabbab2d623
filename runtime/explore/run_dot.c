/* Graphviz's program `dot`, as a process that reads one file and writes another. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/config.h"
#include "runtime/explore/drawing.h"

extern char **environ;

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
open_files(rt_dot_job *job)
{
    snprintf(job->dir, sizeof job->dir, "%s/cotrace-XXXXXX", ir_config_temporary());
    job->in[0] = job->out[0] = '\0';
    if (!mkdtemp(job->dir))
        return false;
    snprintf(job->in, sizeof job->in, "%s/graph.dot", job->dir);
    snprintf(job->out, sizeof job->out, "%s/graph.out", job->dir);
    return write_file(job->in, job->text);
}

/* Standard output is a file: with -o only the last of several graphs would be written. */
void
rt_dot_start(rt_dot_job *job)
{
    char *argv[] = { "dot", (char *)job->format, job->in, NULL };
    posix_spawn_file_actions_t act;

    job->pid = 0;
    if (!open_files(job) || posix_spawn_file_actions_init(&act) != 0)
        return;
    posix_spawn_file_actions_addopen(&act, 1, job->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&act, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&job->pid, argv[0], &act, NULL, argv, environ) != 0)
        job->pid = 0;
    posix_spawn_file_actions_destroy(&act);
}

static bool
read_file(const char *path, ir_buf *out)
{
    FILE *file = fopen(path, "rb");
    char block[1 << 13];
    size_t n;

    while (file && (n = fread(block, 1, sizeof block, file)) > 0)
        ir_buf_add(out, block, n);
    if (file)
        fclose(file);
    return out->n > 0;
}

bool
rt_dot_finish(rt_dot_job *job, ir_buf *out)
{
    int status = -1;

    while (job->pid && waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
        ;
    const bool good =
        job->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 && read_file(job->out, out);
    unlink(job->in);
    unlink(job->out);
    rmdir(job->dir);
    return good;
}
