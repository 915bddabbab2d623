/* The program `cot`, inside: the command line, files, and what the verbs share. */
#ifndef TOOLS_COT_H
#define TOOLS_COT_H

#include <stdio.h>

#include "cotrace/compile.h"
#include "cotrace/file.h"
#include "ir/graph.h"

/* The exit status, as the help text of `cot` says it. */
enum { EXIT_DONE = 0, EXIT_CHECK = 1, EXIT_USER = 2, EXIT_BUG = 3, EXIT_CANCELLED = 130 };

typedef struct cot_cli {
    cot_context *ctx;
    const char *verb;
    int n_files;
    const char **files;
    const char *pipeline, *entry, *emit, *out, *header, *target, *cpu, *name, *backend, *trap,
        *open, *size, *at, *donated, *features, *manifest, *schedule, *color, *counts, *own,
        *comm;
    int threads, processes, columns,
        rank; /* rank: of this process; those from 1 on print nothing */
    double timeout;
    bool after_each, bless, expect, locs, debug, fast, imported, isolate, trapping_math,
        compile, tiered, fix, only_check, assembly, profile;
    cot_limits limits;
    int n_in, n_exports, n_ranges;
    const char **in, **exports, **ranges;
    cot_state *file;                    /* of --in, once read; an npy file has one array   */
    cot_array **bound;                  /* to each argument by cli_bind, and from which file */
    int *from;
    struct fe_hlo_checks *checks;       /* of StableHLO text; NULL: expectations are left out */
    ir_ints given_away;                 /* arguments that the text donates                 */
    const char *text, *text_of;         /* of a file, once read                            */
    size_t start, stop, bytes;          /* the module within StableHLO text; stop 0: all   */
    const char *at_sizes; /* " at n = 8": those of a text that is read at some */
    struct fe_hlo_names *several;       /* filled where none of its functions is the entry */
} cot_cli;

/* open.c: the function of StableHLO text, for all sizes (--open). */
struct rt_export;
cot_status cli_open(cot_cli *c, struct rt_export *out);
/* The same as text. */
cot_status cli_open_text(cot_cli *c, ir_buf *out);

/* sizes.c: functions of a text with sizes.  Is f one, and no size is asked for?  f for all
 * sizes, with the pipeline: for a file, or as text.  f at those of --size or of the arrays of
 * --in, or at 8; f itself where it has no sizes. */
bool cli_is_open(const cot_cli *c, const ir_graph *f);
cot_status cli_open_export(cot_cli *c, const ir_graph *f, struct rt_export *out);
cot_status cli_open_print(cot_cli *c, const ir_graph *f, ir_buf *out);
cot_status cli_at_sizes(cot_cli *c, ir_graph *f, ir_graph **out);

/* A verb in a context of its own. */
typedef int cli_verb(cot_cli *c);
int cli_in_context(cot_cli *c, cli_verb *run, const cot_options *options);
/* processes.c.  In several processes, that this one forks, or that something like mpirun has
 * started; has it?  Have all processes done what this one did with a status?  Else the first
 * that failed says why: EXIT_DONE, or the exit status of all. */
int cli_forked(cot_cli *c, cli_verb *run, const cot_options *options);
int cli_joined(cot_cli *c, cli_verb *run, const cot_options *options);
bool cli_is_launched(void);
int cli_agree(cot_cli *c, cot_status status);

/* Each verb is a file; it returns the exit status. */
int cli_opt(cot_cli *c);
int cli_run(cot_cli *c);
int cli_build(cot_cli *c);
int cli_check(cot_cli *c);
int cli_bench(cot_cli *c);
int cli_lint(cot_cli *c);
int cli_explore(cot_cli *c);
int cli_fmt(cot_cli *c);

/* bench.c.  The order of two doubles, for qsort. */
int cli_ascending(const void *a, const void *b);
/* Seconds a call: the least and the median of some samples. */
cot_status cli_time_calls(const cot_kernel *k, void *const *args, double *least,
                          double *median);
/* bench_open.c: bench --at, the exit status. */
int cli_bench_open(cot_cli *c, const cot_compile_options *o);
/* schedules.c: bench --schedule, the exit status. */
int cli_schedules(cot_cli *c, ir_graph *f, const cot_compile_options *o);

/* usage.c: what `cot --help` prints; false if it cannot be written. */
bool cli_usage(FILE *to);
/* color.c.  What is printed for a person has colours on a terminal, or as --color says. */
typedef enum cli_color { CLI_PLACE, CLI_BAD, CLI_GOOD, CLI_SAID } cli_color;
bool cli_has_color(const cot_cli *c, FILE *to);
void cli_print(const cot_cli *c, FILE *to, cli_color color, const char *text, size_t n);
/* A message and a newline: the place in front of it, and the op behind that, are marked. */
void cli_print_message(const cot_cli *c, FILE *to, const char *text);
/* Print "cot VERB: message" and answer EXIT_USER. */
int cli_wrong(const cot_cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print the context's error; the exit status that goes with it. */
int cli_failed(const cot_cli *c);

/* progress.c: calls that take long show a bar if standard error is a terminal. */
void cli_show_progress(cot_options *o);
/* Erases the bar, before something else is printed. */
void cli_hide_progress(void);

/* A whole file ("-": standard input) in the context's arena; NULL with the error recorded. */
const char *cli_read(cot_cli *c, const char *path, size_t *bytes);
/* The same, of the same file only once. */
const char *cli_text(cot_cli *c, const char *path);
bool cli_write(cot_cli *c, const char *path, const void *bytes, size_t n);

/* Parse FILE: all its functions. */
cot_status cli_functions(cot_cli *c, const char *path, ir_module *all);
/* Parse FILE; its functions that no other one uses, or the one --entry names. */
cot_status cli_load(cot_cli *c, const char *path, ir_module *roots);
cot_status cli_roots(cot_context *ctx, const ir_module *all, const char *entry,
                     ir_module *roots);
/* The one function of the only FILE that a verb works on; NULL: its modules hold their own
 * expectations, and none is meant. */
cot_status cli_source(cot_cli *c, ir_graph **out);
/* The same with the pipeline applied. */
cot_status cli_entry(cot_cli *c, ir_graph **out);
/* The pipeline applied to f; sizes of vmap that it leaves open come from the arrays of --in. */
cot_status cli_transform(cot_cli *c, const ir_graph *f, ir_graph **out);

/* The types of n arguments of these element types, from the arrays of --in, and the values of
 * the integers that come first. */
bool cli_given(void *cli, int n, const cot_dtype *want, const ir_type **type, ir_ints *sizes);
/* The arrays of --in as the arguments of f; the type of one, where the argument has `want`. */
cot_status cli_bind(cot_cli *c, const ir_graph *f);
const ir_type *cli_bound_type(const cot_cli *c, int i, cot_dtype want);
void cli_free_inputs(cot_cli *c);
/* Does the ending say that a file holds named arrays? */
bool cli_is_named(const char *path);

enum { CLI_SEED = 1 };
/* Memory for each input of f, from --in or a seed; and for each output. */
cot_status cli_inputs(cot_cli *c, const ir_graph *f, void ***out);
void **cli_buffers(cot_context *ctx, const ir_graph *f);
/* Memory of the context for an array of the type, aligned to 64 bytes as that of cot_array_new
 * is. */
void *cli_memory(cot_context *ctx, const ir_type *t);

/* `; run:`, `; expect:` and `; error:` in text tests (expect.c): the exit status. */
int cli_expect(cot_cli *c, const char *path);

/* stage.c: f as it stands at a stage: verify, dot, kernels, plan, llvm, asm, eval, run, sim.
 * The stages below graphs are those of a stated target, so that their text is the same on every
 * machine. */
bool cli_is_stage(const char *name, size_t n);
cot_status cli_stage(const ir_graph *f, const char *stage, ir_buf *out);
/* kernels.c: the text of a module of kernels, read and verified, as it stands at a stage:
 * kernels (or NULL), c, llvm. */
cot_status cli_kernels(cot_context *ctx, const char *name, const char *text, size_t n,
                       const char *stage, ir_buf *out);
/* stablehlo.c: do the results meet the expectations of the module?  The first that do not is
 * printed. */
bool cli_check_expectations(cot_cli *c, const ir_graph *f, void *const *out);

#endif
