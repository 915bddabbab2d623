/* A verb in several processes: forked ones that share memory (--processes), or those that
 * another program started, as mpirun does, which meet by a communicator of a shared object
 * (--comm). */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cotrace/comm.h"
#include "ir/diag.h"
#include "tools/cot.h"

enum { PATH_ROOM = 4096, DEFAULT_TIMEOUT = 60 };

/* Of a launcher: how many processes there are, and which this one is. */
static const struct {
    const char *size, *rank;
} launcher[] = { { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
                 { "PMI_SIZE", "PMI_RANK" } };

static int
number_in(const char *variable)
{
    const char *s = getenv(variable);

    return s ? atoi(s) : 0;
}

/* The processes that a launcher has started; 0: there was none.  *rank is this one's number. */
static int
launched(int *rank)
{
    *rank = 0;
    for (size_t i = 0; i < sizeof launcher / sizeof *launcher; i++) {
        const int size = number_in(launcher[i].size);
        if (size > 0) {
            *rank = number_in(launcher[i].rank);
            return size;
        }
    }
    return 0;
}

bool
cli_is_launched(void)
{
    int rank;

    return launched(&rank) > 1;
}

typedef struct together {
    cot_cli *c;
    cli_verb *run;
    cot_options options;
} together;

static int
run_one_of(const cot_comm *comm, void *user)
{
    together *t = user;

    t->options.comm = comm;
    t->c->rank = comm->rank;
    if (comm->rank > 0)
        t->options.progress = NULL;
    return cli_in_context(t->c, t->run, &t->options);
}

int
cli_forked(cot_cli *c, cli_verb *run, const cot_options *options)
{
    together t = { c, run, *options };
    int status[256] = { 0 };

    if (strcmp(c->files[0], "-") == 0)
        return cli_wrong(c, "several processes cannot read standard input; name a file");
    const int worst =
        cot_shm_run(c->processes, run_one_of, &t, .timeout = c->timeout, .status = status);
    for (int k = 0; k < c->processes; k++)
        if (status[k] < 0)
            cli_wrong(c, "process %d was ended by signal %d", k, -status[k]);
    return worst < 0 ? cli_wrong(c, "the processes cannot be made") : worst;
}

/* Is there the module of MPI beside this program, or where it is installed with it? */
static bool
find_module(char *path)
{
    static const char *const place[] = { "/comm_mpi.so",
                                         "/../" COT_LIBDIR "/cotrace/comm_mpi.so" };
    char folder[PATH_ROOM];
    const ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    char *end;

    folder[n < 0 ? 0 : n] = '\0';
    if (!(end = strrchr(folder, '/')))
        return false;
    *end = '\0';
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        const int length = snprintf(path, PATH_ROOM, "%s%s", folder, place[i]);
        if (length < PATH_ROOM && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* A failure of each process, which the first one says. */
#define WRONG(c, rank, ...) ((rank) == 0 ? cli_wrong(c, __VA_ARGS__) : EXIT_USER)

static int
run_joined(cot_cli *c, cli_verb *run, const cot_options *options, const char *path,
           cot_comm_open_call *open, cot_comm_close_call *close)
{
    cot_comm comm = { 0 };
    size_t bytes = 0;
    int rank, status;
    const int size = launched(&rank);
    const cot_comm *made = open(c->timeout > 0 ? c->timeout : DEFAULT_TIMEOUT, &bytes);

    if (!made)
        return WRONG(c, rank, "%s: its communicator cannot be made", path);
    memcpy(&comm, made, bytes < sizeof comm ? bytes : sizeof comm);
    if (size > 0 && comm.size != size)
        status = WRONG(c, rank,
                       "%s sees %d of the %d processes that were started: it was compiled for "
                       "another MPI than the launcher's; compile it with this one's mpicc",
                       path, comm.size, size);
    else
        status = run_one_of(&comm, &(together){ c, run, *options });
    fflush(stdout);
    close();
    return status;
}

int
cli_joined(cot_cli *c, cli_verb *run, const cot_options *options)
{
    char found[PATH_ROOM];
    const char *path = c->comm;
    int rank;

    launched(&rank);
    if (c->processes > 0)
        return WRONG(c, rank,
                     "--processes forks, and --comm joins processes; wants one of both");
    if (strcmp(c->files[0], "-") == 0)
        return WRONG(c, rank, "several processes cannot read standard input; name a file");
    if (!path && !find_module(found))
        return WRONG(c, rank,
                     "a launcher has started several processes, and there is no comm_mpi.so: "
                     "compile comm_mpi.c of this version's sources by mpicc -shared -fPIC, and "
                     "name it by --comm; or say --processes 1, and each runs alone");
    path = path ? path : found;
    /* MPIs load parts of themselves, which want its symbols. */
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!module)
        return WRONG(c, rank, "%s", dlerror());
    void *open = dlsym(module, "cot_comm_open"), *close = dlsym(module, "cot_comm_close");
    if (!open || !close)
        return WRONG(c, rank, "%s has no cot_comm_open and cot_comm_close", path);
    return run_joined(c, run, options, path, (cot_comm_open_call *)(uintptr_t)open,
                      (cot_comm_close_call *)(uintptr_t)close);
}

/* The lowest number that any process has; -1 where the communicator fails. */
static int
lowest(const cot_comm *comm, int own)
{
    int least = own, their;

    for (int round = 0; round < comm->size; round++) {
        const int partner = (round - comm->rank + comm->size) % comm->size;
        if (partner == comm->rank)
            continue;
        if (comm->exchange(comm->user, partner, &own, sizeof own, &their, sizeof their))
            return -1;
        least = their < least ? their : least;
    }
    return least;
}

int
cli_agree(cot_cli *c, cot_status status)
{
    const cot_comm *comm = c->ctx->comm;
    const char *text = cot_error(c->ctx);

    if (!comm || comm->size < 2)
        return status == COT_OK ? EXIT_DONE : cli_failed(c);
    const int first = lowest(comm, status == COT_OK ? comm->size : comm->rank);
    if (first == comm->size)
        return EXIT_DONE;
    if (first < 0 && status == COT_OK)
        text = comm->error ? comm->error(comm->user) : NULL;
    if (!text)
        text = "the communicator failed";
    if (comm->rank == (first < 0 ? 0 : first)) {
        cli_hide_progress();
        cli_print_message(c, stderr,
                          comm->rank == 0
                              ? text
                              : ir_format(&c->ctx->arena, "process %d: %s", comm->rank, text));
    }
    return status == COT_ERR_INTERNAL ? EXIT_BUG : EXIT_USER;
}
