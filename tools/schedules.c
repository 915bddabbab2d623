/* cot bench --schedule: records of schedules for the contractions of a function
 * (codegen/lower/dot_schedule.h), from a file or from each file of a folder, are compiled and
 * timed beside the schedules that are chosen.
 *
 * A schedule never changes a result, so each one's results are compared with the chosen one's,
 * byte for byte, before it counts. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ir/diag.h"
#include "runtime/compile.h"
#include "runtime/values.h"
#include "tools/cot.h"

typedef struct trial {
    cot_cli *c;
    ir_graph *f;
    const cot_compile_options *o;
    void **in, **want, **got;
    double chosen, best;        /* seconds a call */
    const char *best_name, *best_text;
    int worst;                  /* exit status */
} trial;

/* The lines of the plan that are schedules. */
static cot_status
chosen_text(const trial *t, const char **out)
{
    cot_context *ctx = t->c->ctx;
    ir_buf plan, lines;
    rt_plan p;

    ir_buf_init(&plan, &ctx->arena);
    ir_buf_init(&lines, &ctx->arena);
    COT_TRY(rt_plan_new(ctx, t->o, t->f->name, &p));
    COT_TRY(rt_stage(t->f, &p, "plan", &plan));
    ir_buf_str(&lines, "");
    for (const char *s = plan.text, *found; s && (found = strstr(s, ": schedule ")) != NULL;) {
        while (found > s && found[-1] != '\n')
            found--;
        s = found + strcspn(found, "\n");
        ir_buf_add(&lines, found, (size_t)(s - found));
        ir_buf_str(&lines, "\n");
    }
    *out = lines.n ? lines.text : "";
    return COT_OK;
}

/* Compile by the schedules (NULL: those that are chosen), call once for the results, and time
 * further calls. */
static cot_status
run(const trial *t, const char *schedules, void **results, double *least)
{
    void **args = IR_NEW_N(&t->c->ctx->arena, void *, t->f->n_in + t->f->n_out + 1);
    double median;
    cot_kernel *k;

    COT_TRY(rt_compile_scheduled(t->f, t->o, schedules, &k));
    rt_arguments(k, t->in, results, args);
    cot_status status = rt_call_kernel(k, args, NULL);
    if (status == COT_OK)
        status = cli_time_calls(k, args, least, &median);
    cot_kernel_free(k);
    return status;
}

static bool
is_same(const trial *t)
{
    for (int i = 0; i < t->f->n_out; i++)
        if (memcmp(t->want[i], t->got[i], rt_bytes(ir_type_at(t->f, t->f->out[i]))) != 0)
            return false;
    return true;
}

static void
worsen(trial *t, int status)
{
    t->worst = status > t->worst ? status : t->worst;
}

static void
try_file(trial *t, const char *path)
{
    double least;
    size_t n;
    const char *text = cli_read(t->c, path, &n);

    for (int i = 0; i < t->f->n_out; i++) /* what a schedule does not write shows */
        memset(t->got[i], 0x5a, rt_bytes(ir_type_at(t->f, t->f->out[i])));
    if (!text || run(t, text, t->got, &least) != COT_OK) {
        fprintf(stderr, "%s: ", path);
        worsen(t, cli_failed(t->c));
        cot_error_clear(t->c->ctx);
        return;
    }
    const bool same = is_same(t);
    printf("%-24s %10.3f us %6.2f times as fast%s\n", path, 1e6 * least, t->chosen / least,
           same ? "" : "   WRONG: its results differ");
    if (!same) {
        worsen(t, EXIT_CHECK);
    } else if (least < t->best) {
        t->best = least;
        t->best_name = path;
        t->best_text = text;
    }
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each file of the folder, in the order of their names; false: it is no folder. */
static bool
try_folder(trial *t, const char *path)
{
    ir_arena *a = &t->c->ctx->arena;
    const char **name = NULL;
    uint32_t n = 0, cap = 0;
    DIR *folder = opendir(path);
    struct dirent *x;

    if (!folder)
        return false;
    while ((x = readdir(folder)) != NULL)
        if (x->d_name[0] != '.')
            IR_PUSH(a, name, n, cap, ir_format(a, "%s/%s", path, x->d_name));
    closedir(folder);
    if (n)
        qsort(name, n, sizeof *name, by_name);
    for (uint32_t i = 0; i < n; i++)
        try_file(t, name[i]);
    return true;
}

int
cli_schedules(cot_cli *c, ir_graph *f, const cot_compile_options *o)
{
    trial t = { .c = c, .f = f, .o = o, .best_name = "chosen", .worst = EXIT_DONE };

    if (chosen_text(&t, &t.best_text) != COT_OK || cli_inputs(c, f, &t.in) != COT_OK)
        return cli_failed(c);
    t.want = cli_buffers(c->ctx, f);
    t.got = cli_buffers(c->ctx, f);
    if (run(&t, NULL, t.want, &t.chosen) != COT_OK)
        return cli_failed(c);
    t.best = t.chosen;
    cli_hide_progress();
    printf("%s%-24s %10.3f us\n", t.best_text, "chosen", 1e6 * t.chosen);
    if (!try_folder(&t, c->schedule))
        try_file(&t, c->schedule);
    printf("fastest: %s\n", t.best_name);
    if (c->out && !cli_write(c, c->out, t.best_text, strlen(t.best_text)))
        return cli_failed(c);
    return t.worst;
}
