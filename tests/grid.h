/* A program by its grid schedule, run by the simulator: for tests. */
#ifndef TESTS_GRID_H
#define TESTS_GRID_H

#include "codegen/kernel/grid.h"
#include "codegen/host/host.h"
#include "codegen/lower.h"
#include "passes/pass.h"

static inline cot_status
grid_sim_launch(void *self, int kernel, int64_t blocks, void *const *buffers,
                const int64_t *params)
{
    const cg_module *m = self;
    int32_t failed = 0;

    COT_TRY(cg_sim_launch(m->kernel[kernel], blocks, buffers, params, &failed));
    return (cot_status)failed;
}

static inline cot_status
grid_sim_copy(void *self, void *to, const void *from, size_t bytes)
{
    (void)self;
    memmove(to, from, bytes);
    return COT_OK;
}

static inline cot_status
grid_sim_read(void *self, const void *at, size_t bytes, void *to)
{
    return grid_sim_copy(self, to, at, bytes);
}

static inline cot_status
grid_sim_write(void *self, void *at, size_t bytes, const void *from)
{
    return grid_sim_copy(self, at, from, bytes);
}

static inline cot_status
grid_lower(const ir_graph *f, cg_target *t, cg_module **m)
{
    const cg_lower_options o = { .target = t, .threads = 1, .fuse = true };
    ir_graph *prepared;

    cg_grid_target(t);
    COT_TRY(pass_prepare(f, &prepared));
    COT_TRY(cg_lower(prepared, &o, &f->ctx->arena, m));
    return cg_verify(*m);
}

static inline cot_status
grid_run_for(const ir_graph *f, cg_target t, void *const *in, void **out)
{
    ir_arena *a = &f->ctx->arena;
    cg_module *m;

    COT_TRY(grid_lower(f, &t, &m));
    const cg_device d = { .self = m,
                          .launch = grid_sim_launch,
                          .copy = grid_sim_copy,
                          .read = grid_sim_read,
                          .write = grid_sim_write };
    void **args = IR_NEW_N(a, void *, f->n_in + f->n_out + 1);
    for (int i = 0; i < f->n_in; i++)
        args[i] = in[i];
    for (int i = 0; i < f->n_out; i++)
        args[f->n_in + i] = out[i];
    return cg_host_run(m, &d, args, ir_alloc(a, (size_t)m->work_bytes + 64),
                       ir_alloc(a, cg_host_bytes(m) + 16));
}

static inline cot_status
grid_run(const ir_graph *f, void *const *in, void **out)
{
    return grid_run_for(f, (cg_target){ 0 }, in, out);
}

#endif
