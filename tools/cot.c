/* The program `cot`: options, files, exit status.  The library does the work; a verb is a
 * file. */
#include "cotrace/comm.h"
#include "tools/cot.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include "cotrace/stablehlo.h"
#include "frontend/stablehlo/import/import.h"
#include "ir/diag.h"
#include "ir/number.h"
#include "ir/suggest.h"
#include "passes/pass.h"

static const struct {
    const char *name;
    int (*run)(cot_cli *);
} verbs[] = {
#define VERB(name, summary, more) { #name, cli_##name },
#define OPTION(name, how, field, value, verbs, text)
#define VARIABLE(name, text)
#include "tools/options.def"
#undef VERB
#undef OPTION
#undef VARIABLE
};
#define N_VERBS ((int)(sizeof verbs / sizeof *verbs))

int
cli_wrong(const cot_cli *c, const char *format, ...)
{
    va_list ap;

    cli_hide_progress();
    fprintf(stderr, "cot%s%s: ", c->verb ? " " : "", c->verb ? c->verb : "");
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    return EXIT_USER;
}

/* What one of several processes may fail by alone; the rest fails in all of them. */
static bool
is_own(cot_status status)
{
    return status == COT_ERR_BOUND || status == COT_ERR_MEMORY || status == COT_ERR_INTERNAL;
}

int
cli_failed(const cot_cli *c)
{
    cot_status status = cot_error_status(c->ctx);

    cli_hide_progress();
    if (c->rank == 0 || is_own(status))
        cli_print_message(c, stderr, cot_error(c->ctx));
    return status == COT_ERR_INTERNAL ? EXIT_BUG : EXIT_USER;
}

/* The path of a file that is not there, and the name in its folder that is closest. */
static const char *
with_suggestion(cot_cli *c, const char *path)
{
    ir_arena *a = &c->ctx->arena;
    const char *name = strrchr(path, '/');
    const char *folder = name ? ir_format(a, "%.*s/", (int)(name - path), path) : "";
    DIR *d = opendir(*folder ? folder : ".");
    ir_suggestion s = ir_suggest(name ? name + 1 : path);

    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        ir_suggest_try(&s, ir_copy_string(a, e->d_name));
    if (d)
        closedir(d);
    return s.best ? ir_format(a, "%s (did you mean %s%s?)", path, folder, s.best) : path;
}

const char *
cli_read(cot_cli *c, const char *path, size_t *bytes)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char block[1 << 14];
    ir_buf text;
    size_t got;
    int why = file ? 0 : errno;

    ir_buf_init(&text, &c->ctx->arena);
    while (file && (got = fread(block, 1, sizeof block, file)) > 0)
        ir_buf_add(&text, block, got);
    if (file && ferror(file))
        why = errno;
    if (file && file != stdin)
        fclose(file);
    if (why) {
        ir_fail_io(c->ctx, why == ENOENT ? with_suggestion(c, path) : path, why);
        return NULL;
    }
    *bytes = text.n;
    return text.n ? text.text : "";
}

bool
cli_write(cot_cli *c, const char *path, const void *bytes, size_t n)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, n, file) == n;
    int why = errno;

    if (file && file != stdout && fclose(file) != 0 && good) {
        good = false;
        why = errno;
    }
    if (!good)
        ir_fail_io(c->ctx, path, why);
    return good;
}

static bool
uses(const ir_graph *f, const ir_graph *sub, ir_arena *scratch)
{
    ir_each_node(n, f) {
        ir_graph *const *subs;
        int count = ir_subgraphs(n, &subs, scratch);

        for (int i = 0; i < count; i++)
            if (subs[i] == sub)
                return true;
    }
    return false;
}

static const char *
no_entry(cot_context *ctx, const ir_module *all, const char *entry)
{
    enum { LISTED = 12 };
    ir_suggestion s = ir_suggest(entry);
    const char *list = "";

    for (int i = 0; i < all->n; i++) {
        ir_suggest_try(&s, all->fn[i]->name);
        if (i < LISTED)
            list = ir_format(&ctx->arena, "%s%s@%s", list, i ? ", " : "", all->fn[i]->name);
    }
    return ir_format(&ctx->arena, "the file has no function @%s; it has %s%s%s", entry, list,
                     all->n > LISTED ? ", ..." : "", ir_suggest_text(&s));
}

cot_status
cli_roots(cot_context *ctx, const ir_module *all, const char *entry, ir_module *roots)
{
    ir_arena *a = &ctx->arena;

    *roots = (ir_module){ 0, IR_NEW_N(a, ir_graph *, all->n + 1) };
    for (int i = 0; i < all->n; i++) {
        bool root = true;

        if (entry) {
            root = strcmp(all->fn[i]->name, entry) == 0;
        } else {
            for (int k = i + 1; k < all->n && root; k++)
                root = !uses(all->fn[k], all->fn[i], a);
        }
        if (root)
            roots->fn[roots->n++] = all->fn[i];
    }
    if (roots->n == 0)
        return ir_fail(ctx, 0, NULL, ERR_usage, no_entry(ctx, all, entry));
    return COT_OK;
}

const char *
cli_text(cot_cli *c, const char *path)
{
    if (c->text_of != path)
        c->text = cli_read(c, path, &c->bytes);
    c->text_of = path;
    return c->text;
}

cot_status
cli_functions(cot_cli *c, const char *path, ir_module *all)
{
    const char *text = cli_text(c, path), *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    const size_t bytes = c->bytes;

    if (!text)
        return COT_ERR_IO;
    if (!fe_hlo_is_mlir(path, text, bytes))
        return ir_parse(c->ctx, name, text, bytes, all);
    const cot_import_options o = { .entry = c->entry };
    const fe_hlo_source source = { name, text, c->start, c->stop ? c->stop : bytes };
    const fe_hlo_extra extra = { c->checks, &c->given_away, c->several, cli_given, c };
    *all = (ir_module){ 1, IR_NEW_N(&c->ctx->arena, ir_graph *, 1) };
    c->imported = true;
    return fe_hlo_import(c->ctx, &source, &o, &extra, &all->fn[0]);
}

cot_status
cli_load(cot_cli *c, const char *path, ir_module *roots)
{
    ir_module all;

    COT_TRY(cli_functions(c, path, &all));
    if (c->imported) {
        *roots = all;
        return COT_OK;
    }
    return cli_roots(c->ctx, &all, c->entry, roots);
}

/* The one function that the verb is about: the only root, or @main among several. */
cot_status
cli_source(cot_cli *c, ir_graph **out)
{
    ir_module roots;

    COT_TRY(cli_load(c, c->files[0], &roots));
    *out = roots.fn[0];
    if (roots.n == 1)
        return *out ? cli_at_sizes(c, *out, out) : COT_OK;
    for (int i = 0; i < roots.n; i++)
        if (strcmp(roots.fn[i]->name, "main") == 0)
            return cli_at_sizes(c, roots.fn[i], out);
    return ir_fail(c->ctx, 0, NULL, ERR_usage,
                   ir_format(&c->ctx->arena, "%s has %d functions; pick one with --entry",
                             c->files[0], roots.n));
}

cot_status
cli_entry(cot_cli *c, ir_graph **out)
{
    ir_graph *f;

    COT_TRY(cli_source(c, &f));
    *out = NULL;
    return f ? cli_transform(c, f, out) : COT_OK;
}

/* The value of option i; NULL, and said so, if it is missing. */
static const char *
value_of(const cot_cli *c, int argc, char **argv, int *i)
{
    if (*i + 1 >= argc) {
        cli_wrong(c, "%s wants a value", argv[*i]);
        return NULL;
    }
    return argv[++*i];
}

/* A limit: a number above 0. */
static bool
read_limit(cot_cli *c, const char *option, const char *s)
{
    char *end;
    const double x = ir_strtod(s, &end);

    if (!*s || *end || !(x > 0) || x > 1e18) {
        cli_wrong(c, "%s is '%s'; wants a number above 0", option, s);
        return false;
    }
    if (strcmp(option, "--limit-seconds") == 0)
        c->limits.seconds = x;
    else if (strcmp(option, "--limit-nodes") == 0)
        c->limits.nodes = x < 1 ? 1 : (uint64_t)x;
    else
        c->limits.bytes = x < 1 ? 1 : (uint64_t)x;
    return true;
}

static bool
read_number(cot_cli *c, const char *option, const char *s, int most, int *out)
{
    char *end;
    const long n = strtol(s, &end, 10);

    *out = (int)n;
    if (*s && !*end && n >= 1 && n <= most)
        return true;
    cli_wrong(c, "%s is '%s'; wants 1 to %d", option, s, most);
    return false;
}

static bool
read_processes(cot_cli *c, const char *s)
{
    c->counts = s; /* of build a list, which rt_build reads */
    return strcmp(c->verb, "build") == 0 ||
           read_number(c, "--processes", s, 256, &c->processes);
}

static bool
read_timeout(cot_cli *c, const char *s)
{
    char *end;

    c->timeout = ir_strtod(s, &end);
    if (*s && !*end && c->timeout > 0 && c->timeout <= 1e6)
        return true;
    cli_wrong(c, "--timeout is '%s'; wants seconds, above 0", s);
    return false;
}

/* An option that the verb does not use is an error: the user may have meant another verb. */
static bool
heeds(const cot_cli *c, const char *option, const char *verbs)
{
    if (!*verbs || strstr(verbs, c->verb))
        return true;
    cli_wrong(c, "%s is not one of its options, but of %s", option, verbs);
    return false;
}

/* An option, and the field that its value or its presence sets: both NULL where read_other
 * reads it. */
typedef struct cli_option {
    const char *name, *verbs;
    const char **text;
    bool *flag;
} cli_option;

/* The names of the files that follow, up to the next option. */
static bool
read_inputs(cot_cli *c, int argc, char **argv, int *i)
{
    while (*i + 1 < argc && (argv[*i + 1][0] != '-' || argv[*i + 1][1] == '\0'))
        c->in[c->n_in++] = argv[++*i];
    if (c->n_in == 0)
        cli_wrong(c, "--in wants the names of npy, npz or safetensors files");
    return c->n_in > 0;
}

static bool
read_other(cot_cli *c, const char *name, int argc, char **argv, int *i)
{
    if (strcmp(name, "--in") == 0)
        return read_inputs(c, argc, argv, i);
    const char *value = value_of(c, argc, argv, i);
    if (!value)
        return false;
    if (strcmp(name, "--threads") == 0)
        return read_number(c, name, value, 1024, &c->threads);
    if (strcmp(name, "--processes") == 0)
        return read_processes(c, value);
    if (strcmp(name, "--columns") == 0)
        return read_number(c, name, value, 256, &c->columns);
    if (strcmp(name, "--timeout") == 0)
        return read_timeout(c, value);
    if (strcmp(name, "--export") == 0)
        c->exports[c->n_exports++] = value;
    else if (strcmp(name, "--range") == 0)
        c->ranges[c->n_ranges++] = value;
    else
        return read_limit(c, name, value);
    return true;
}

static bool
read_option(cot_cli *c, const cli_option *o, int argc, char **argv, int *i)
{
    if (!heeds(c, o->name, o->verbs))
        return false;
    if (o->flag)
        return *o->flag = true;
    if (!o->text)
        return read_other(c, o->name, argc, argv, i);
    if (!(*o->text = value_of(c, argc, argv, i)))
        return false;
    /* an empty list of passes or of features is one */
    if (!**o->text && o->text != &c->pipeline && o->text != &c->features) {
        cli_wrong(c, "%s is ''; wants a value", o->name);
        return false;
    }
    return true;
}

static bool
read_options(cot_cli *c, int argc, char **argv)
{
#define OPTION_TEXT(field)  &c->field, NULL
#define OPTION_FLAG(field)  NULL, &c->field
#define OPTION_OTHER(field) NULL, NULL
#define VERB(name, summary, more)
#define OPTION(name, how, field, value, verbs, text) { name, verbs, OPTION_##how(field) },
#define VARIABLE(name, text)
    const cli_option option[] = {
#include "tools/options.def"
    };
#undef VERB
#undef OPTION
#undef VARIABLE
    const int n = (int)(sizeof option / sizeof *option);

    for (int i = 2; i < argc; i++) {
        const char *s = argv[i];
        int k = 0;

        while (k < n && strcmp(s, option[k].name) != 0)
            k++;
        if (k < n) {
            if (!read_option(c, &option[k], argc, argv, &i))
                return false;
        } else if (s[0] == '-' && s[1]) {
            ir_suggestion near = ir_suggest(s);
            for (k = 0; k < n; k++)
                ir_suggest_try(&near, option[k].name);
            cli_wrong(c, "no option '%s'; cot --help lists them%s", s, ir_suggest_text(&near));
            return false;
        } else {
            c->files[c->n_files++] = s;
        }
    }
    return true;
}

/* Ctrl-C cancels; once more, and the process ends as it would have. */
static cot_context *interrupted;

static void
on_interrupt(int number)
{
    (void)number;
    cot_cancel(interrupted);
}

static void
catch_interrupt(cot_context *ctx)
{
    struct sigaction a = { .sa_handler = ctx ? on_interrupt : SIG_DFL,
                           .sa_flags = (int)SA_RESETHAND };

    struct sigaction before;

    interrupted = ctx;
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &a, NULL);
}

static int
version(void)
{
    return printf("cot %s\n", cot_version()) > 0 ? EXIT_DONE : EXIT_USER;
}

int
cli_in_context(cot_cli *c, cli_verb *run, const cot_options *options)
{
    volatile int status = EXIT_BUG;

    c->ctx = cot_context_new(options);
    if (!c->ctx)
        return cli_wrong(c, "out of memory");
    catch_interrupt(c->ctx);
    IR_TRY(c->ctx) {
        status = run(c);
    }
    IR_CAUGHT(c->ctx)
    {
        status = cli_wrong(c, "%s", cot_error(c->ctx));
        if (options->comm && options->comm->abort)
            options->comm->abort(options->comm->user);
    }
    if (cot_error_status(c->ctx) == COT_ERR_CANCELLED)
        status = EXIT_CANCELLED;
    catch_interrupt(NULL);
    cli_free_inputs(c);
    cot_context_free(c->ctx);
    return status;
}

static int
run_verb(cot_cli *c, int verb, int argc, char **argv)
{
    cot_options options = { 0 };

    c->verb = verbs[verb].name;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            return cli_usage(stdout) ? EXIT_DONE : EXIT_USER;
        else if (strcmp(argv[i], "--version") == 0)
            return version();
    if (!read_options(c, argc, argv))
        return EXIT_USER;
    if (c->color && strcmp(c->color, "auto") != 0 && strcmp(c->color, "always") != 0 &&
        strcmp(c->color, "never") != 0)
        return cli_wrong(c, "--color is '%s'; wants auto, always or never", c->color);
    if (c->n_files == 0 ||
        (c->n_files > 1 && !c->expect && !c->bless && verbs[verb].run != cli_fmt))
        return c->n_files == 0
                   ? cli_wrong(c, "no file is named; wants one, or - for standard input")
                   : cli_wrong(c, "%d files are named, the second is '%s'; wants one",
                               c->n_files, c->files[1]);
    options.threads = c->threads;
    options.limits = c->limits;
    options.isolate = c->isolate;
    options.trap = c->trap != NULL;
    options.time = c->compile;
    if (!c->compile)
        cli_show_progress(&options);
    options.tiered = c->tiered;
    options.own = c->own;
    options.columns = c->columns;
    if (strcmp(c->verb, "bench") == 0)
        options.cache_dir = "off";      /* compilation is timed */
    if (verbs[verb].run == cli_run && (c->comm || (!c->processes && cli_is_launched())))
        return cli_joined(c, cli_run, &options);
    return c->processes > 1 ? cli_forked(c, verbs[verb].run, &options)
                            : cli_in_context(c, verbs[verb].run, &options);
}

static int
no_verb(const cot_cli *c, const char *name)
{
    ir_suggestion s = ir_suggest(name);

    for (int i = 0; i < N_VERBS; i++)
        ir_suggest_try(&s, verbs[i].name);
    return cli_wrong(c,
                     "no verb '%s'; wants opt, run, build, check, bench, lint, explore or "
                     "fmt%s",
                     name, ir_suggest_text(&s));
}

int
main(int argc, char **argv)
{
    cot_cli c = { 0 };
    int status = EXIT_USER, verb = 0;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return version();
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0))
        return cli_usage(stdout) ? EXIT_DONE : EXIT_USER;
    if (argc < 2) {
        cli_usage(stderr);
        return EXIT_USER;
    }
    while (verb < N_VERBS && strcmp(argv[1], verbs[verb].name) != 0)
        verb++;
    if (verb == N_VERBS)
        return no_verb(&c, argv[1]);
    c.files = calloc((size_t)argc, sizeof *c.files);
    c.in = calloc((size_t)argc, sizeof *c.in);
    c.exports = calloc((size_t)argc, sizeof *c.exports);
    c.ranges = calloc((size_t)argc, sizeof *c.ranges);
    if (c.files && c.in && c.exports && c.ranges)
        status = run_verb(&c, verb, argc, argv);
    else
        cli_wrong(&c, "out of memory");
    free(c.files);
    free(c.in);
    free(c.exports);
    free(c.ranges);
    if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout)))
        return cli_wrong(&c, "the standard output: %s", strerror(errno));
    return status;
}
