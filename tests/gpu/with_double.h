/* For suites of the CUDA runtime: the driver's double, with kernels run by the simulator. */
#ifndef TESTS_GPU_WITH_DOUBLE_H
#define TESTS_GPU_WITH_DOUBLE_H

#include <dlfcn.h>

#include "codegen/kernel/grid.h"
#include "cotrace/cotrace.h"
#include "ir/array.h"
#include "runtime/device.h"
#include "runtime/open/open.h"
#include "tests/gpu/double.h"
#include "tests/unit/suite.h"

static void *library;
static double_set_fn *set;
static double_hook_fn *on_launch;
static double_state_fn *read_state;

/* Kernels that may be launched: those of kernels compiled by gpu_compile. */
enum { MAX_KERNELS = 16 };
static const cot_kernel *known[MAX_KERNELS];

static const cg_kernel *
find_kernel(const char *name, const cot_kernel **of)
{
    for (int i = 0; i < MAX_KERNELS && known[i]; i++) {
        const cg_module *m = known[i]->program->module;

        for (uint32_t j = 1; j < m->n_kernels; j++)
            if (strcmp(cg_ptx_name(&known[i]->program->arena, known[i]->plan.name,
                                   m->kernel[j]->name),
                       name) == 0) {
                *of = known[i];
                return m->kernel[j];
            }
    }
    return NULL;
}

/* The parameters as the contract has them: buffers, numbers, the status. */
static int
launch_by_simulator(void *user, const char *name, unsigned grid, unsigned block,
                    unsigned shared, void **parameters)
{
    const cot_kernel *of = NULL;
    const cg_kernel *k = find_kernel(name, &of);
    const cg_launch l = k ? cg_launch_of(k) : (cg_launch){ 0 };
    void *buffer[1024];
    int64_t param[16];
    int n = 0, p = 0;
    int32_t status = 0;

    (void)user;
    if (!k || (l.grid >= 0 && (int64_t)grid != l.grid) || (int)block != l.block ||
        (int64_t)shared != l.dynamic)
        return 400;
    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space <= CG_OUT) {
            buffer[n] = *(void **)parameters[n];
            if (k->buffer[i].align && (uintptr_t)buffer[n] % (uintptr_t)k->buffer[i].align)
                return 716; /* a misaligned address */
            n++;
        }
    for (; p < k->n_params; p++)
        param[p] = *(int64_t *)parameters[n + p];
    if (of->open)
        cg_open_set_buffers(&of->open->general, param + p - of->open->general.n_sizes);
    if (cg_sim_launch(k, grid, buffer, param, &status) != COT_OK)
        return 719;
    if (l.fails && status)
        **(int32_t **)parameters[n + p] = status;
    return 0;
}

static void
open_double(void)
{
    union {
        void *at;
        double_set_fn *set;
        double_hook_fn *hook;
        double_state_fn *read_state;
    } f;

    library = dlopen(CUDA_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    f.at = dlsym(library, "double_set");
    set = f.set;
    f.at = dlsym(library, "double_on_launch");
    on_launch = f.hook;
    f.at = dlsym(library, "double_read");
    read_state = f.read_state;
    set("reset", 0);
    on_launch(launch_by_simulator, NULL);
    memset(known, 0, sizeof known);
}

static cot_context *
new_context(const char *target)
{
    return cot_context_new(
        &(cot_options){ .verify = 1, .driver = CUDA_DOUBLE, .target = target });
}

static void
begin(void)
{
    open_double();
    ctx = new_context(NULL);
}

/* All that the runtime asked for it gave back, and it touched nothing else. */
static void
check_clean(void)
{
    double_state s;

    read_state(&s);
    ck_assert_msg(s.wrong == 0, "%s", s.said);
    ck_assert_int_eq(s.live, 0);
    ck_assert_int_eq(s.contexts, 0);
    ck_assert_int_eq(s.streams, 0);
    ck_assert_int_eq(s.pools, 0);
    ck_assert_int_eq(s.modules, 0);
    ck_assert_int_eq(s.graphs, 0);
    ck_assert_int_eq(s.host, 0);
    ck_assert_int_eq(s.events, 0);
    ck_assert_int_eq(s.waiting, 0);
}

static void
end(void)
{
    suite_end();
    check_clean();
    dlclose(library);
}

static inline double_state
driver_state(void)
{
    double_state s;

    read_state(&s);
    return s;
}

static inline const cot_graph *
parsed(const char *text)
{
    const cot_graph *g;

    ck_assert_msg(cot_parse(ctx, "test.cot", text, strlen(text), "f", &g) == COT_OK, "%s",
                  cot_error(ctx));
    return g;
}

static inline cot_kernel *
knows(cot_kernel *k)
{
    int i = 0;

    while (known[i])
        i++;
    ck_assert_int_lt(i, MAX_KERNELS - 1);
    known[i] = k;
    return k;
}

static inline cot_kernel *
gpu_compile(const cot_graph *g)
{
    cot_kernel *k;

    ck_assert_msg(cot_compile_graph(g, &(cot_compile_options){ .backend = "cuda" }, &k) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    return knows(k);
}

#endif
