/* A module on a GPU: runs its entry with the driver as the device (load.c loads it).
 *
 * A call puts copies of host arguments, the launches and copies of results into the gpu's
 * stream.  It waits only for values that the host needs: a result in host memory, a predicate,
 * the status of kernels that may fail.  If the entry has no control flow on the host and the
 * same addresses occur a second time, its launches are captured as a CUDA graph, which later
 * calls replay.  The same is done for the iterations of a loop whose predicate is on the
 * device. */
#include "runtime/cuda/program.h"

#include <stdlib.h>

#include "ir/diag.h"
#include "ir/foreign.h"

/* One run, for the device's functions. */
typedef struct device_run {
    const rt_program *p;
    rt_cuda_program *q;
    rt_gpu *g;
} device_run;

/* ---- the device ---- */

static cot_status
launch(void *self, int kernel, int64_t given, void *const *buffers, const int64_t *params)
{
    const device_run *r = self;
    const rt_cuda_launched *l = &r->q->kernel[kernel];
    const int n_params = r->p->module->kernel[kernel]->n_params;
    cu_address at[l->n_buffers + 1];
    void *parameter[l->n_buffers + n_params + 2];
    const int64_t blocks = given >= 0 ? given : l->at.grid;
    int n = 0;

    for (int i = 0; i < l->n_buffers; i++) {
        at[i] = (cu_address)(uintptr_t)buffers[i];
        parameter[n++] = &at[i];
    }
    for (int i = 0; i < n_params; i++)
        parameter[n++] = (void *)(uintptr_t)&params[i];
    if (l->at.fails)
        parameter[n++] = &r->g->status;
    r->g->launches++;
    if (blocks == 0)
        return COT_OK; /* nothing to do: the driver rejects a grid without blocks */
    if (blocks > RT_CUDA_MAX_GRID)
        return rt_cuda_refuse_grid(r->g, r->p->module->kernel[kernel], blocks);
    return rt_gpu_check(
        r->g,
        r->g->driver.launch(l->function, (unsigned)blocks, 1, 1, (unsigned)l->at.block, 1, 1,
                            (unsigned)l->at.dynamic, r->g->stream, parameter, NULL),
        r->p->module->kernel[kernel]->name);
}

static cot_status
copy(void *self, void *to, const void *from, size_t bytes)
{
    rt_gpu *g = ((const device_run *)self)->g;

    if (!bytes)
        return COT_OK;
    return rt_gpu_check(g,
                        g->driver.move((cu_address)(uintptr_t)to, (cu_address)(uintptr_t)from,
                                       bytes, g->stream),
                        "copying");
}

/* Starts a copy of the status of earlier kernels, if they have one: after a failure their
 * results are undefined. */
static cot_status
send_status(const device_run *r)
{
    rt_gpu_here *here = r->g->here;

    here->failed = 0;
    if (!r->p->fails)
        return COT_OK;
    return rt_gpu_check(
        r->g,
        r->g->driver.to_host(&here->failed, r->g->status, sizeof here->failed, r->g->stream),
        "reading the status");
}

static cot_status
read_bytes(void *self, const void *at, size_t bytes, void *to)
{
    const device_run *r = self;
    rt_gpu *g = r->g;
    rt_gpu_here *here = g->here;
    const bool small = bytes <= sizeof here->word;
    void *first = small ? here->word : to;

    COT_TRY(send_status(r));
    COT_TRY(rt_gpu_check(
        g, g->driver.to_host(first, (cu_address)(uintptr_t)at, bytes, g->stream), "reading"));
    COT_TRY(rt_gpu_sync(g));
    if (small)
        memcpy(to, here->word, bytes);
    return (cot_status)here->failed;
}

/* Writes one element of the entry's by value: where a device reads host memory itself, it may
 * copy it after the entry has changed it. */
static cot_status
write_element(void *self, void *at, size_t bytes, const void *from)
{
    rt_gpu *g = ((const device_run *)self)->g;
    const cu_address to = (cu_address)(uintptr_t)at;
    uint32_t word[4] = { 0 };
    cu_result r = CU_SUCCESS;

    memcpy(word, from, bytes);
    if (bytes == 1)
        r = g->driver.set_bytes(to, (unsigned char)word[0], 1, g->stream);
    else if (bytes == 2)
        r = g->driver.set_halves(to, (unsigned short)word[0], 1, g->stream);
    for (size_t i = 0; i < bytes / 4 && r == CU_SUCCESS; i++)
        r = g->driver.set_words(to + 4 * i, word[i], 1, g->stream);
    return rt_gpu_check(g, r, "writing");
}

/* ---- foreign functions of the host: copy operands, call after earlier operations of the
 * stream, copy results back ---- */

static cot_status
fetch(const device_run *r, const cg_handed *from, void *to)
{
    return from->bytes ? read_bytes((void *)(uintptr_t)r, from->at, from->bytes, to) : COT_OK;
}

static cot_status
call_on(const device_run *r, const cg_extern *x, const cg_handed *handed, char *memory,
        cot_dtype type, uint64_t *answer)
{
    cg_handed here[x->n + 1];
    size_t at = 0;

    for (int i = 0; i < x->n; i++) {
        here[i] = handed[i];
        if (!x->arg[i].buffer || x->arg[i].type != COT_DTYPE_NONE)
            continue;
        here[i].at = memory + at;
        at += (handed[i].bytes + 63) / 64 * 64;
        COT_TRY(fetch(r, &handed[i], here[i].at));
    }
    COT_TRY(rt_foreign_run(x, here, type, answer));
    for (int i = 0; i < x->n; i++)
        if (here[i].writes && here[i].bytes)
            COT_TRY(
                rt_gpu_check(r->g,
                             r->g->driver.to_device((cu_address)(uintptr_t)handed[i].at,
                                                    here[i].at, handed[i].bytes, r->g->stream),
                             "writing"));
    return rt_gpu_sync(r->g); /* the memory is about to be freed */
}

/* A function that runs on the device is ordered by the stream it is given. */
static cot_status
call_there(const device_run *r, const cg_extern *x, const cg_handed *handed, cot_dtype type,
           uint64_t *answer)
{
    cg_handed there[x->n + 1];

    for (int i = 0; i < x->n; i++) {
        there[i] = handed[i];
        if (there[i].at == ir_c_stream)
            there[i].at = r->g->stream;
    }
    return rt_foreign_run(x, there, type, answer);
}

static cot_status
call(void *self, const cg_extern *x, const cg_handed *handed, cot_dtype type, uint64_t *answer)
{
    const device_run *r = self;
    size_t bytes = 64;
    char *memory;
    cot_status s;

    if (cg_extern_on_device(x))
        return call_there(r, x, handed, type, answer);
    for (int i = 0; i < x->n; i++)
        bytes += (handed[i].bytes + 63) / 64 * 64;
    memory = aligned_alloc(64, bytes);
    if (!memory) {
        snprintf(r->g->said, sizeof r->g->said, "memory of the host is short");
        return COT_ERR_MEMORY;
    }
    s = call_on(r, x, handed, memory, type, answer);
    if (s != COT_OK)
        (void)r->g->driver.stream_sync(r->g->stream); /* no copy may still read the memory */
    free(memory);
    return s;
}

/* ---- arguments ---- */

/* An argument on the device: the user's, or a copy that belongs to the call. */
typedef struct device_argument {
    cu_address at;
    bool ours;
} device_argument;

/* Does the call write argument i? */
static bool
is_written(const cot_kernel *k, int i)
{
    if (i >= k->n_in)
        return true;
    for (int j = 0; j < k->graph->n_inout; j++)
        if (k->graph->inout[j].arg == i)
            return true;
    return false;
}

static cot_status
lend(rt_gpu *g, const cot_kernel *k, const rt_device_call *c, int i, device_argument *out)
{
    const cu_address at = (cu_address)(uintptr_t)c->args[i];
    const bool there = c->there && c->there[i];
    const size_t bytes = c->bytes[i];

    if (there && at % CG_DEVICE_ALIGN == 0) {
        *out = (device_argument){ at, false };
        return COT_OK;
    }
    COT_TRY(rt_gpu_alloc(g, bytes, &out->at));
    out->ours = true;
    if (i >= k->n_in || !bytes)
        return COT_OK;
    if (there)
        return rt_gpu_check(g, g->driver.move(out->at, at, bytes, g->stream),
                            "copying an argument");
    return rt_gpu_check(g, g->driver.to_device(out->at, c->args[i], bytes, g->stream),
                        "copying an argument");
}

static cot_status
give_back(rt_gpu *g, const cot_kernel *k, const rt_device_call *c, int i,
          const device_argument *from)
{
    const cu_address to = (cu_address)(uintptr_t)c->args[i];

    if (!from->ours || !is_written(k, i) || !c->bytes[i])
        return COT_OK;
    if (c->there && c->there[i])
        return rt_gpu_check(g, g->driver.move(to, from->at, c->bytes[i], g->stream),
                            "copying a result");
    return rt_gpu_check(g, g->driver.to_host(c->args[i], from->at, c->bytes[i], g->stream),
                        "copying a result");
}

/* ---- calls ---- */

/* Captures the launches of go as a graph that can be launched; NULL: this is not possible. */
static cu_graph_exec
capture(rt_gpu *g, cg_go *go, void *arg)
{
    cu_graph graph = NULL;
    cu_graph_exec exec = NULL;
    cot_status s;

    if (g->driver.capture_begin(g->stream, CU_CAPTURE_THREAD_LOCAL) != CU_SUCCESS)
        return NULL;
    s = go(arg);
    if (g->driver.capture_end(g->stream, &graph) != CU_SUCCESS || !graph)
        return NULL;
    if (s != COT_OK || g->driver.graph_make(&exec, graph, 0) != CU_SUCCESS)
        exec = NULL;
    g->captures += exec != NULL;
    (void)g->driver.graph_destroy(graph);
    return exec;
}

static cot_status
replay(rt_gpu *g, cu_graph_exec exec)
{
    g->replays++;
    return rt_gpu_check(g, g->driver.graph_launch(exec, g->stream), "launching a graph");
}

/* Iterations of a loop that will be repeated: from the second time on they are launched as a
 * graph. */
static cot_status
run_iterations(void *self, cg_val v, cg_go *go, void *arg)
{
    const device_run *r = self;
    rt_cuda_program *q = r->q;

    if (!q->loop_graph[v] && q->launched_once[v])
        q->loop_graph[v] = capture(r->g, go, arg);
    q->launched_once[v] = true;
    return q->loop_graph[v] ? replay(r->g, q->loop_graph[v]) : go(arg);
}

/* The entry with its arguments. */
typedef struct entering {
    const device_run *r;
    const device_argument *arg;
    const int64_t *size; /* open sizes; NULL: there are none */
    cu_address work;
    void *frame;
} entering;

/* The arguments of the entry that are arrays. */
static int
count_arrays(const cg_module *m)
{
    return m->n_args - (m->n_sizes > 0);
}

static cot_status
run_entry(void *arg)
{
    const entering *e = arg;
    const device_run *r = e->r;
    const cg_device d = { .self = (void *)(uintptr_t)r,
                          .launch = launch,
                          .copy = copy,
                          .read = read_bytes,
                          .write = write_element,
                          .call = call,
                          .constant = r->q->constant,
                          .capture = r->q->is_captured ? run_iterations : NULL,
                          .is_captured = r->q->is_captured };
    const int n = count_arrays(r->p->module);
    void *at[n + 1];

    for (int i = 0; i < n; i++)
        at[i] = (void *)(uintptr_t)e->arg[i].at;
    at[n] = (void *)(uintptr_t)e->size;
    return cg_host_run(r->p->module, &d, at, (void *)(uintptr_t)e->work, e->frame);
}

/* Are these the addresses and sizes of the previous call? */
static bool
seen_before(const entering *e)
{
    const cg_module *m = e->r->p->module;
    rt_cuda_program *q = e->r->q;
    const int n = count_arrays(m);
    bool same = q->seen_once;

    for (int i = 0; i <= n + m->n_sizes; i++) {
        const cu_address x = i < n    ? e->arg[i].at
                             : i == n ? e->work
                                      : (cu_address)e->size[i - n - 1];

        same &= q->seen[i] == x;
        q->seen[i] = x;
    }
    q->seen_once = true;
    return same;
}

/* Makes the launches of a call, one by one or as graphs. */
static cot_status
run_launches(entering *e)
{
    const device_run *r = e->r;
    rt_cuda_program *q = r->q;
    const bool whole = r->p->straight && r->p->module->n_kernels > 2;
    const bool same = (whole || q->is_captured) && seen_before(e);

    if (!same)
        rt_cuda_drop_graphs(r->p, q);
    if (whole && same && !q->graph)
        q->graph = capture(r->g, run_entry, e);
    return q->graph ? replay(r->g, q->graph) : run_entry(e);
}

static cot_status
run_lent(const device_run *r, const cot_kernel *k, const rt_device_call *c,
         device_argument *arg, void *frame)
{
    const int n = k->n_in + k->n_out;
    const int64_t *size = r->p->module->n_sizes ? c->args[n] : NULL;
    bool waits = r->p->fails;
    cu_address work = 0;

    for (int i = 0; i < n; i++) {
        waits |= !c->there || !c->there[i];
        COT_TRY(lend(r->g, k, c, i, &arg[i]));
    }
    if (c->work_bytes)
        COT_TRY(rt_gpu_work(r->g, c->work_bytes, &work));
    if (r->p->fails)
        COT_TRY(rt_gpu_check(
            r->g, r->g->driver.set_bytes(r->g->status, 0, sizeof(int32_t), r->g->stream),
            "the status"));
    COT_TRY(run_launches(&(entering){ r, arg, size, work, frame }));
    COT_TRY(send_status(r));
    for (int i = 0; i < n; i++)
        COT_TRY(give_back(r->g, k, c, i, &arg[i]));
    if (waits)
        COT_TRY(rt_gpu_sync(r->g));
    return (cot_status)r->g->here->failed;
}

/* Makes the call, between begin and end; on failure `said` receives the driver's message. */
static cot_status
run_alone(const device_run *r, const cot_kernel *k, const rt_device_call *c, void *frame,
          char *said, size_t n_said)
{
    const int n = k->n_in + k->n_out;
    device_argument arg[n + 1];
    cot_status s;

    memset(arg, 0, sizeof arg);
    rt_gpu_begin(r->g);
    s = run_lent(r, k, c, arg, frame);
    if (s != COT_OK) {
        /* after a failure, wait until nothing of the call is running */
        (void)r->g->driver.stream_sync(r->g->stream);
        memcpy(said, r->g->said, n_said);
    }
    for (int i = 0; i < n; i++)
        if (arg[i].ours)
            rt_gpu_free(r->g, arg[i].at);
    rt_gpu_end(r->g);
    return s;
}

/* The gpus of other contexts that hold arguments or results. */
static int
others_of(const rt_gpu *g, int n, ir_place *const *there, rt_gpu **other)
{
    int n_others = 0;

    for (int i = 0; there && i < n; i++) {
        rt_gpu *o = there[i] ? there[i]->gpu : NULL;
        bool known = !o || o == g;

        for (int j = 0; j < n_others && !known; j++)
            known = other[j] == o;
        if (!known)
            other[n_others++] = o;
    }
    return n_others;
}

/* A call with arrays of other contexts: it follows their earlier operations, and their later
 * ones follow it. */
static cot_status
run_among(const device_run *r, const cot_kernel *k, const rt_device_call *c, void *frame,
          char *said, size_t n_said)
{
    rt_gpu *other[k->n_in + k->n_out + 1];
    const int n = others_of(r->g, k->n_in + k->n_out, c->there, other);
    cot_status s = COT_OK;

    for (int i = 0; i < n && s == COT_OK; i++)
        if ((s = rt_gpu_follow(r->g, other[i])) != COT_OK)
            memcpy(said, r->g->said, n_said);
    if (s == COT_OK)
        s = run_alone(r, k, c, frame, said, n_said);
    for (int i = 0; i < n && s == COT_OK; i++)
        if ((s = rt_gpu_follow(other[i], r->g)) != COT_OK)
            memcpy(said, other[i]->said, n_said);
    return s;
}

static cot_status
run(rt_program *p, const cot_kernel *k, const rt_device_call *c)
{
    const device_run r = { p, p->self, ((rt_cuda_program *)p->self)->g };
    void *frame = rt_block_take(&p->frames);
    char said[sizeof r.g->said];
    cot_status s;

    if (!frame)
        return rt_run_fail(k, ERR_memory, "");
    s = run_among(&r, k, c, frame, said, sizeof said);
    rt_block_give(&p->frames, frame);
    if (s == COT_OK)
        return COT_OK;
    if (s == COT_ERR_BOUND || s == COT_ERR_FOREIGN || s == COT_ERR_CANCELLED)
        return rt_entry_failed(k, s);
    return rt_run_fail(k, s == COT_ERR_MEMORY ? ERR_device_memory : ERR_device, said);
}

const rt_machine *
rt_cuda(void)
{
    static const rt_machine machine = { rt_cuda_load, run, rt_cuda_unload, true };

    return &machine;
}
