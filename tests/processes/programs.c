/* Programs with an axis of groups (programs.h): sums of data of several types, each collective,
 * the gradient of a network over microbatches, the mean gradient of a simulation, and what
 * nests with other maps and loops. */
#include "tests/processes/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/build.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"

#define MAP "vmap(axis=i, size=%lld, over=world, "

static const char totals[] =
    "fn @f(%%a: f32[700], %%b: f16[7], %%c: i32[], %%d: f64[2], %%e: bf16[3], %%g: c64[2])"
    " -> (f32[700], f16[7], i32[], f64[2], bf16[3], c64[2]) {\n"
    "  %%0 = psum %%a {over=\"i\"} : f32[700]\n"
    "  %%1 = psum %%b {over=\"i\"} : f16[7]\n"
    "  %%2 = psum %%c {over=\"i\"} : i32[]\n"
    "  %%3 = psum %%d {over=\"i\"} : f64[2]\n"
    "  %%4 = psum %%e {over=\"i\"} : bf16[3]\n"
    "  %%5 = psum %%g {over=\"i\"} : c64[2]\n"
    "  ret %%0, %%1, %%2, %%3, %%4, %%5\n}\n";

static const char sum[] = "fn @f(%%x: f32[4096]) -> f32[4096] {\n"
                          "  %%0 = mul %%x, %%x : f32[4096]\n"
                          "  %%1 = psum %%0 {over=\"i\"} : f32[4096]\n"
                          "  ret %%1\n}\n";

static const char collectives[] =
    "fn @f(%%x: f32[6]) -> (f32[6], f32[6], f32[6], f32[6], f32[]) {\n"
    "  %%0 = sin %%x : f32[6]\n"
    "  %%1 = pmax %%0 {over=\"i\"} : f32[6]\n"
    "  %%2 = mul %%0, %%1 : f32[6]\n"
    "  %%3 = pmin %%2 {over=\"i\"} : f32[6]\n"
    "  %%4 = all_gather %%0 {over=\"i\", axis=0, size=%1$lld} : f32[%1$lld,6]\n"
    "  %%5 = ppermute %%2 {over=\"i\", pairs=[0,%2$lld]} : f32[6]\n"
    "  %%6 = cos %%4 : f32[%1$lld,6]\n"
    "  %%7 = psum_scatter %%6 {over=\"i\", axis=0, size=%1$lld} : f32[6]\n"
    "  %%8 = axis_index {over=\"i\"} : i32[]\n"
    "  %%9 = convert %%8 {dtype=f32} : f32[]\n"
    "  %%10 = broadcast_in_dim %%9 {shape=[6], dims=[]} : f32[6]\n"
    "  %%11 = mul %%10, %%5 : f32[6]\n"
    "  %%12 = sub %%0, %%3 : f32[6]\n"
    "  %%13 = mul %%6, %%4 : f32[%1$lld,6]\n"
    "  %%14 = reduce_sum %%13 {axes=[0,1]} : f32[]\n"
    "  ret %%11, %%12, %%7, %%1, %%14\n}\n";

/* Rows of the neighbours on both sides, of both again, and one from the other end; what is
 * added of the first moves as a whole. */
static const char halo[] =
    "fn @f(%%u: f32[3,4]) -> (f32[3,4], f32[1,4], f32[]) {\n"
    "  %%0 = slice %%u {start=[2,0], limit=[3,4], stride=[1,1]} : f32[1,4]\n"
    "  %%1 = slice %%u {start=[0,0], limit=[1,4], stride=[1,1]} : f32[1,4]\n"
    "  %%2 = ppermute %%0 {over=\"i\", pairs=[%3$s]} : f32[1,4]\n"
    "  %%3 = ppermute %%1 {over=\"i\", pairs=[%4$s]} : f32[1,4]\n"
    "  %%4 = concatenate %%2, %%u, %%3 {axis=0} : f32[5,4]\n"
    "  %%5 = slice %%4 {start=[0,0], limit=[3,4], stride=[1,1]} : f32[3,4]\n"
    "  %%6 = slice %%4 {start=[2,0], limit=[5,4], stride=[1,1]} : f32[3,4]\n"
    "  %%7 = mul %%5, %%6 : f32[3,4]\n"
    "  %%8 = sub %%u, %%7 : f32[3,4]\n"
    "  %%9 = ppermute %%8 {over=\"i\", pairs=[%3$s]} : f32[3,4]\n"
    "  %%10 = ppermute %%9 {over=\"i\", pairs=[%3$s]} : f32[3,4]\n"
    "  %%11 = ppermute %%2 {over=\"i\", pairs=[0,%2$lld]} : f32[1,4]\n"
    "  %%12 = axis_index {over=\"i\"} : i32[]\n"
    "  %%13 = constant {data=%1$lld} : i32[]\n"
    "  %%14 = add %%12, %%13 : i32[]\n"
    "  %%15 = psum %%14 {over=\"i\"} : i32[]\n"
    "  %%16 = mul %%10, %%8 : f32[3,4]\n"
    "  %%17 = reduce_sum %%16 {axes=[0,1]} : f32[]\n"
    "  %%18 = psum %%17 {over=\"i\"} : f32[]\n"
    "  %%19 = convert %%15 {dtype=f32} : f32[]\n"
    "  %%20 = mul %%18, %%19 : f32[]\n"
    "  ret %%10, %%11, %%20\n}\n";

/* Extremes of several element types, some of zeros of both signs and of NaN. */
static const char extremes[] =
    "fn @f(%%a: f32[5], %%b: f16[3], %%c: i16[2], %%d: f64[], %%e: u8[3], %%g: bool[2])"
    " -> (f32[5], f32[5], f16[3], i16[2], f64[], u8[3], bool[2], bool[2], i16[2], f32[5],"
    " f16[3]) {\n"
    "  %%0 = constant {data=-0.0} : f32[5]\n"
    "  %%1 = mul %%a, %%0 : f32[5]\n"
    "  %%2 = pmax %%1 {over=\"i\"} : f32[5]\n"
    "  %%3 = pmin %%1 {over=\"i\"} : f32[5]\n"
    "  %%4 = pmax %%b {over=\"i\"} : f16[3]\n"
    "  %%5 = pmin %%c {over=\"i\"} : i16[2]\n"
    "  %%6 = pmin %%d {over=\"i\"} : f64[]\n"
    "  %%7 = pmax %%e {over=\"i\"} : u8[3]\n"
    "  %%8 = pmax %%g {over=\"i\"} : bool[2]\n"
    "  %%9 = pmin %%g {over=\"i\"} : bool[2]\n"
    "  %%10 = pmax %%c {over=\"i\"} : i16[2]\n"
    "  %%11 = sqrt %%a : f32[5]\n"
    "  %%12 = pmax %%11 {over=\"i\"} : f32[5]\n"
    "  %%13 = sqrt %%b : f16[3]\n"
    "  %%14 = pmin %%13 {over=\"i\"} : f16[3]\n"
    "  ret %%2, %%3, %%4, %%5, %%6, %%7, %%8, %%9, %%10, %%12, %%14\n}\n";

/* Slices of sums, which are used with rows, as a whole and transposed. */
static const char scattered[] =
    "fn @f(%%x: f32[2,%1$lld]) -> (f32[2], f32[2,%1$lld], f32[]) {\n"
    "  %%0 = sin %%x : f32[2,%1$lld]\n"
    "  %%1 = psum_scatter %%0 {over=\"i\", axis=1, size=%1$lld} : f32[2]\n"
    "  %%2 = exp %%1 : f32[2]\n"
    "  %%3 = psum %%x {over=\"i\"} : f32[2,%1$lld]\n"
    "  %%4 = reduce_sum %%x {axes=[0]} : f32[%1$lld]\n"
    "  %%5 = psum_scatter %%4 {over=\"i\", axis=0, size=%1$lld} : f32[]\n"
    "  %%6 = broadcast_in_dim %%5 {shape=[%1$lld], dims=[]} : f32[%1$lld]\n"
    "  %%7 = psum %%4 {over=\"i\"} : f32[%1$lld]\n"
    "  %%8 = mul %%6, %%7 : f32[%1$lld]\n"
    "  %%9 = reduce_sum %%8 {axes=[0]} : f32[]\n"
    "  ret %%2, %%3, %%9\n}\n";

/* Steps in each of which groups meet: rows of the neighbours, the mean of all, a bound of it,
 * and of what the loop slices and what it does not. */
static const char looped[] =
    "fn @step(%%k: f32[], %%c: f32[4], %%u: f32[4], %%x: f32[4]) -> (f32[4], f32[]) {\n"
    "  %%0 = ppermute %%u {over=\"i\", pairs=[%3$s]} : f32[4]\n"
    "  %%1 = ppermute %%u {over=\"i\", pairs=[%4$s]} : f32[4]\n"
    "  %%2 = add %%0, %%1 : f32[4]\n"
    "  %%3 = broadcast_in_dim %%k {shape=[4], dims=[]} : f32[4]\n"
    "  %%4 = mul %%2, %%3 : f32[4]\n"
    "  %%5 = psum %%u {over=\"i\"} : f32[4]\n"
    "  %%6 = tanh %%5 : f32[4]\n"
    "  %%7 = mul %%6, %%c : f32[4]\n"
    "  %%8 = add %%4, %%7 : f32[4]\n"
    "  %%9 = mul %%x, %%8 : f32[4]\n"
    "  %%10 = sin %%9 : f32[4]\n"
    "  %%11 = reduce_sum %%10 {axes=[0]} : f32[]\n"
    "  %%12 = pmax %%11 {over=\"i\"} : f32[]\n"
    "  ret %%10, %%12\n}\n"
    "fn @f(%%k: f32[], %%c: f32[4], %%u: f32[4], %%x: f32[3,4]) -> (f32[4], f32[3]) {\n"
    "  %%0 = constant {data=%1$lld} : f32[]\n"
    "  %%1 = constant {data=%2$lld} : f32[]\n"
    "  %%2 = div %%1, %%0 : f32[]\n"
    "  %%3 = mul %%2, %%k : f32[]\n"
    "  %%4, %%5 = scan %%3, %%c, %%u, %%x {consts=2, carries=1, length=3, body=@step}"
    " : (f32[4], f32[3])\n"
    "  ret %%4, %%5\n}\n";

/* The mean over the groups of the loss of each. */
static const char network[] =
    "fn @f(%%w: f32[4,3], %%v: f32[2,4], %%x: f32[5,3], %%y: f32[5,2]) -> f32[] {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[5,4]\n"
    "  %%1 = tanh %%0 : f32[5,4]\n"
    "  %%2 = dot_general %%1, %%v {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[5,2]\n"
    "  %%3 = sub %%2, %%y : f32[5,2]\n"
    "  %%4 = mul %%3, %%3 : f32[5,2]\n"
    "  %%5 = reduce_sum %%4 {axes=[0,1]} : f32[]\n"
    "  %%6 = psum %%5 {over=\"i\"} : f32[]\n"
    "  %%7 = constant {data=%1$lld} : f32[]\n"
    "  %%8 = div %%6, %%7 : f32[]\n"
    "  ret %%8\n}\n";

/* What all groups share meets each row of a group: a bias, a scale, a transposed bias. */
static const char biased[] =
    "fn @f(%%w: f32[4,3], %%b: f32[4], %%s: f32[], %%x: f32[5,3]) -> f32[] {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[5,4]\n"
    "  %%1 = broadcast_in_dim %%b {shape=[5,4], dims=[1]} : f32[5,4]\n"
    "  %%2 = add %%0, %%1 : f32[5,4]\n"
    "  %%3 = broadcast_in_dim %%s {shape=[5,4], dims=[]} : f32[5,4]\n"
    "  %%4 = mul %%2, %%3 : f32[5,4]\n"
    "  %%5 = tanh %%4 : f32[5,4]\n"
    "  %%6 = transpose %%1 {perm=[1,0]} : f32[4,5]\n"
    "  %%7 = transpose %%5 {perm=[1,0]} : f32[4,5]\n"
    "  %%8 = mul %%6, %%7 : f32[4,5]\n"
    "  %%9 = reduce_sum %%8 {axes=[0,1]} : f32[]\n"
    "  %%10 = psum %%9 {over=\"i\"} : f32[]\n"
    "  ret %%10\n}\n";

/* Two stages with a collective between: the weights are used on both sides of it. */
static const char centred[] = "fn @f(%%w: f32[3], %%x: f32[3]) -> f32[] {\n"
                              "  %%0 = mul %%w, %%x : f32[3]\n"
                              "  %%1 = psum %%0 {over=\"i\"} : f32[3]\n"
                              "  %%2 = sub %%0, %%1 : f32[3]\n"
                              "  %%3 = exp %%w : f32[3]\n"
                              "  %%4 = mul %%2, %%3 : f32[3]\n"
                              "  %%5 = sin %%4 : f32[3]\n"
                              "  %%6 = mul %%5, %%w : f32[3]\n"
                              "  %%7 = reduce_sum %%6 {axes=[0]} : f32[]\n"
                              "  %%8 = psum %%7 {over=\"i\"} : f32[]\n"
                              "  ret %%8\n}\n";

/* Paths of a random walk from a seed for each group, and the mean of their payoffs. */
static const char simulation[] =
    "fn @path(%%drift: f32[], %%at: f32[16], %%z: f32[16]) -> (f32[16], f32[16]) {\n"
    "  %%0 = broadcast_in_dim %%drift {shape=[16], dims=[]} : f32[16]\n"
    "  %%1 = mul %%z, %%0 : f32[16]\n"
    "  %%2 = add %%at, %%1 : f32[16]\n"
    "  %%3 = exp %%2 : f32[16]\n"
    "  ret %%2, %%3\n}\n"
    "fn @f(%%drift: f32[], %%seed: f32[8,16]) -> f32[] {\n"
    "  %%0 = constant {data=0} : f32[16]\n"
    "  %%1, %%2 = scan %%drift, %%0, %%seed {consts=1, carries=1, length=8, body=@path}"
    " : (f32[16], f32[8,16])\n"
    "  %%3 = reduce_sum %%2 {axes=[0,1]} : f32[]\n"
    "  %%4 = psum %%3 {over=\"i\"} : f32[]\n"
    "  ret %%4\n}\n";

/* Draws of a generator that groups share, and of a key of each. */
static const char draws[] = "fn @f(%%x: f32[3], %%key: u64[2], %%keys: u64[2]) -> f32[3] {\n"
                            "  %%0 = axis_index {over=\"i\"} : i32[]\n"
                            "  %%1 = convert %%0 {dtype=u64} : u64[]\n"
                            "  %%2 = broadcast_in_dim %%1 {shape=[2], dims=[]} : u64[2]\n"
                            "  %%3 = philox %%key, %%2, %%keys {word=0} : u64[2]\n"
                            "  %%4 = constant {data=40} : u64[2]\n"
                            "  %%9 = shr_logical %%3, %%4 : u64[2]\n"
                            "  %%5 = convert %%9 {dtype=f32} : f32[2]\n"
                            "  %%6 = reduce_sum %%5 {axes=[0]} : f32[]\n"
                            "  %%7 = broadcast_in_dim %%6 {shape=[3], dims=[]} : f32[3]\n"
                            "  %%8 = mul %%7, %%x : f32[3]\n"
                            "  %%10 = psum %%8 {over=\"i\"} : f32[3]\n"
                            "  ret %%10\n}\n";

/* Steps of gradient descent around the groups: the scan is spread within a loop. */
static const char descent[] =
    "fn @each(%%w: f32[3], %%x: f32[4,3]) -> f32[3] {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[4]\n"
    "  %%1 = tanh %%0 : f32[4]\n"
    "  %%2 = dot_general %%1, %%x {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[3]\n"
    "  ret %%2\n}\n"
    "fn @step(%%x: f32[%1$lld,4,3], %%w: f32[3]) -> f32[3] {\n"
    "  %%0 = scan %%w, %%x {consts=1, carries=0, length=%1$lld, body=@each, spread=true}"
    " : f32[%1$lld,3]\n"
    "  %%1 = reduce_sum %%0 {axes=[0]} : f32[3]\n"
    "  %%2 = constant {data=0.001} : f32[3]\n"
    "  %%3 = mul %%1, %%2 : f32[3]\n"
    "  %%4 = sub %%w, %%3 : f32[3]\n"
    "  ret %%4\n}\n"
    "fn @f(%%x: f32[%1$lld,4,3], %%w: f32[3]) -> f32[3] {\n"
    "  %%0 = scan %%x, %%w {consts=1, carries=1, length=5, body=@step} : f32[3]\n"
    "  ret %%0\n}\n";

#define WEIGHTS "in=[none,none,0,0], out=none)"
const spread_program spread_programs[] = {
    { "totals", totals, MAP "out=none)" },
    { "sum", sum, MAP "out=none)" },
    { "network", network, MAP WEIGHTS },
    { "network.grad", network, MAP WEIGHTS " | grad(wrt=[0,1])" },
    { "network.jvp", network, MAP WEIGHTS " | jvp" },
    { "network.hvp", network, MAP WEIGHTS " | grad(wrt=[0]) | jvp(wrt=[0])" },
    { "network.mapped", network,
      MAP WEIGHTS " | grad(wrt=[1]) | vmap(size=3, in=[0,none,1,none])" },
    { "network.inner", network,
      "grad(wrt=[0]) | vmap(axis=j, size=2, in=[none,none,0,0]) | " MAP "in=[none,none,0,0])" },
    { "biased.grad", biased, MAP "in=[none,none,none,0], out=none) | grad(wrt=[0,1,2])" },
    { "biased.hvp", biased,
      MAP "in=[none,none,none,0], out=none) | grad(wrt=[1,2]) | jvp(wrt=[1,2])" },
    { "biased.hessian", biased, MAP "in=[none,none,none,0], out=none) | hessian(wrt=[1])" },
    { "simulation.grad", simulation, MAP "in=[none,0], out=none) | grad" },
    { "collectives", collectives, MAP "out=[0,1,0,none,0])" },
    { "collectives.vjp", collectives, MAP "out=[0,1,0,none,0]) | vjp" },
    { "collectives.jvp", collectives, MAP "out=[0,1,0,none,0]) | jvp" },
    { "halo", halo, MAP "out=[0,0,none])" },
    { "halo.vjp", halo, MAP "out=[0,0,none]) | vjp" },
    { "halo.jvp", halo, MAP "out=[0,0,none]) | jvp" },
    { "looped", looped, MAP "in=[none,0,0,none], out=[0,none])" },
    { "looped.vjp", looped, MAP "in=[none,none,0,0], out=[0,none]) | vjp" },
    { "looped.inner", looped,
      "jvp | " MAP "in=[none,0,0,0,none,0,none,none], out=[0,none,0,none])" },
    { "extremes", extremes, MAP "out=none)" },
    { "scattered", scattered, MAP "out=[0,none,0])" },
    { "scattered.vjp", scattered, MAP "out=[0,none,0]) | vjp" },
    { "centred.vjp", centred, MAP "in=[none,0], out=none) | vjp" },
    { "centred.hessian", centred, MAP "in=[none,0], out=none) | hessian" },
    { "descent", descent, "" },
    { "draws", draws, MAP "in=[0,none,0], out=none)" },
};
const int spread_program_count = sizeof spread_programs / sizeof *spread_programs;

const spread_program *
spread_find(const char *name)
{
    for (int i = 0; i < spread_program_count; i++)
        if (strcmp(spread_programs[i].name, name) == 0)
            return &spread_programs[i];
    exit(2);
}

/* Pairs of a shift by one group, up or down. */
static const char *
shift(ir_arena *a, int64_t groups, bool up)
{
    ir_buf b;

    ir_buf_init(&b, a);
    for (int64_t i = 1; i < groups; i++)
        ir_buf_printf(&b, "%s%lld,%lld", i > 1 ? "," : "", (long long)(up ? i - 1 : i),
                      (long long)(up ? i : i - 1));
    return ir_format(a, "%.*s", (int)b.n, b.text);
}

static cot_status
make_graph(cot_context *ctx, const spread_program *p, int64_t groups, const ir_graph **out)
{
    const long long n = (long long)groups;
    const char *pipeline = ir_format(&ctx->arena, p->pipeline, n),
               *text =
                   ir_format(&ctx->arena, p->text, n, n - 1, shift(&ctx->arena, groups, true),
                             shift(&ctx->arena, groups, false));
    const pass_step *step;
    ir_module m;
    int steps;

    COT_TRY(ir_parse(ctx, p->name, text, strlen(text), &m));
    ir_graph *g = m.fn[m.n - 1];
    COT_TRY(pass_parse(ctx, 0, pipeline, &steps, &step));
    for (int i = 0; i < steps; i++)
        COT_TRY(pass_run(step[i].row, g, &step[i].options, &g));
    *out = g;
    return COT_OK;
}

/* Which NaN it is, is not promised. */
static void
one_nan(const ir_type *t, void *y)
{
    const int64_t n = (int64_t)laws_parts(t);
    const size_t size = n ? laws_bytes(t) / (size_t)n : 0;

    for (int64_t i = 0; i < n; i++) {
        const double x = laws_load(t->dtype, y, i);
        if (x != x)
            memset((char *)y + (size_t)i * size, 0xff, size);
    }
}

/* Of a long result a hash. */
static void
keep(spread_result *out, const ir_graph *f, void *const *results)
{
    for (int j = 0; j < f->n_out; j++) {
        const size_t n = laws_bytes(ir_type_at(f, f->out[j]));
        uint64_t hash = 14695981039346656037u;
        one_nan(ir_type_at(f, f->out[j]), results[j]);
        const bool fits = n <= sizeof out->at / 8;
        const size_t kept = fits ? n : sizeof hash;
        for (size_t i = 0; i < n && !fits; i++)
            hash = (hash ^ ((const unsigned char *)results[j])[i]) * 1099511628211u;
        if (out->bytes + kept > sizeof out->at)
            exit(2);
        if (n)
            memcpy(out->at + out->bytes, fits ? results[j] : &hash, kept);
        out->bytes += kept;
    }
}

int spread_differs = -1, spread_differing;
void (*spread_before)(const cot_comm *comm);

static void **
sample(const ir_graph *f, const cot_comm *c)
{
    uint64_t seed = 11;
    void **in = laws_sample(f, &seed, -1, 1, laws_fill);

    if (c && c->rank == spread_differs) {
        const int i = spread_differing;
        ((unsigned char *)in[i])[laws_bytes(ir_type_at(f, f->in[i])) - 1] ^= 1;
    }
    return in;
}

static cot_status
run(cot_context *ctx, const spread_program *p, int64_t groups, const char *backend,
    spread_result *out)
{
    const ir_graph *f;
    cot_kernel *k;
    cot_status status;

    COT_TRY(make_graph(ctx, p, groups, &f));
    COT_TRY(cot_compile_graph(f, &(cot_compile_options){ .backend = backend }, &k));
    void **in = sample(f, ctx->comm), **y = laws_values(f->n_out, f->out, f);
    void **args = IR_NEW_N(&ctx->arena, void *, f->n_in + f->n_out + 1);
    rt_arguments(k, in, y, args);
    if (spread_before)
        spread_before(ctx->comm);
    status = rt_call_kernel(k, args, NULL);
    if (status == COT_OK)
        keep(out, f, y);
    laws_free(f->n_in, in);
    laws_free(f->n_out, y);
    cot_kernel_free(k);
    return status;
}

const char *spread_own;
unsigned spread_args, spread_results;

/* The numbers of the bits. */
static cot_list
list_of(unsigned bits, int64_t *at)
{
    int n = 0;

    for (int i = 0; bits >> i; i++)
        if (bits >> i & 1)
            at[n++] = i;
    return (cot_list){ .n = n, .at = at };
}

int
spread_run(const spread_program *p, int64_t groups, const char *backend, int threads,
           const cot_comm *comm, spread_result *out)
{
    cot_context *ctx = cot_context_new(&(cot_options){
        .comm = comm, .threads = threads, .cache_dir = "off", .verify = 1, .own = spread_own });
    volatile int status = COT_ERR_MEMORY;

    out->bytes = 0;
    IR_TRY (ctx)
        status = run(ctx, p, groups, backend, out);
    snprintf(out->text, sizeof out->text, "%s", cot_error(ctx));
    cot_context_free(ctx);
    return status;
}

/* What is done with a graph in a context of its own. */
typedef cot_status with_graph(cot_context *ctx, const ir_graph *f, const void *user);

static int
in_context(const spread_program *p, int64_t groups, int threads, with_graph *body,
           const void *user, spread_result *out)
{
    cot_context *ctx = cot_context_new(&(cot_options){
        .threads = threads, .cache_dir = "off", .verify = 1, .own = spread_own });
    volatile int status = COT_ERR_MEMORY;
    const ir_graph *f;

    out->bytes = 0;
    IR_TRY (ctx) {
        status = make_graph(ctx, p, groups, &f);
        if (status == COT_OK)
            status = body(ctx, f, user);
    }
    snprintf(out->text, sizeof out->text, "%s", cot_error(ctx));
    cot_context_free(ctx);
    return status;
}

typedef struct file_wanted {
    const char *processes, *path, *header;
} file_wanted;

static cot_status
build(cot_context *ctx, const ir_graph *f, const void *user)
{
    const file_wanted *w = user;
    int64_t args[32], results[32];

    return rt_build(
        ctx, 1, &(rt_export){ .graph = f, .name = "shipped" },
        &(cot_compile_options){ .processes = w->processes,
                                .spread = list_of(spread_args, args),
                                .spread_results = list_of(spread_results, results) },
        w->path, w->header);
}

int
spread_build(const spread_program *p, int64_t groups, const char *processes, int threads,
             const char *path, const char *header, spread_result *out)
{
    const file_wanted w = { processes, path, header };

    return in_context(p, groups, threads, build, &w, out);
}

typedef struct shipped_call {
    spread_entry *entry;
    size_t work_bytes;
    const cot_comm *comm;
    spread_result *out;
} shipped_call;

/* The rows of a process in the memory of a whole value. */
static char *
rows_of(const ir_type *t, void *whole, const cot_comm *c, int rank, size_t *bytes)
{
    const cot_rows rows = cot_spread_rows(t->dims[0], c->size, rank);
    const size_t row = laws_bytes(t) / (size_t)t->dims[0];

    *bytes = row * (size_t)rows.count;
    return (char *)whole + row * (size_t)rows.first;
}

/* Of a result of which each process has its rows, all of them. */
static int
gather_rows(const ir_type *t, void *whole, const cot_comm *c)
{
    for (int round = 0; round < c->size; round++) {
        const int p = (round - c->rank + c->size) % c->size;
        size_t own, their;
        const char *from = rows_of(t, whole, c, c->rank, &own);
        char *to = rows_of(t, whole, c, p, &their);
        if (p != c->rank && c->exchange(c->user, p, from, own, to, their))
            return COT_ERR_FOREIGN;
    }
    return 0;
}

static cot_status
call(cot_context *ctx, const ir_graph *f, const void *user)
{
    const shipped_call *c = user;
    void **in = sample(f, c->comm), **y = laws_values(f->n_out, f->out, f);
    void **args = IR_NEW_N(&ctx->arena, void *, f->n_in + f->n_out + 1),
         *work = aligned_alloc(64, (c->work_bytes + 127) / 64 * 64);

    memcpy(args, in, sizeof *args * (size_t)f->n_in);
    memcpy(args + f->n_in, y, sizeof *args * (size_t)f->n_out);
    size_t bytes;
    for (int i = 0; i < f->n_in; i++)
        if (spread_args >> i & 1)
            args[i] = rows_of(ir_type_at(f, f->in[i]), in[i], c->comm, c->comm->rank, &bytes);
    for (int j = 0; j < f->n_out; j++)
        if (spread_results >> j & 1)
            args[f->n_in + j] =
                rows_of(ir_type_at(f, f->out[j]), y[j], c->comm, c->comm->rank, &bytes);
    int status = work ? c->entry(c->comm, args, work) : COT_ERR_MEMORY;
    for (int j = 0; j < f->n_out && status == COT_OK; j++)
        if (spread_results >> j & 1)
            status = gather_rows(ir_type_at(f, f->out[j]), y[j], c->comm);
    if (status == COT_OK)
        keep(c->out, f, y);
    free(work);
    laws_free(f->n_in, in);
    laws_free(f->n_out, y);
    return (cot_status)status;
}

int
spread_call(const spread_program *p, int64_t groups, spread_entry *entry, size_t work_bytes,
            const cot_comm *comm, spread_result *out)
{
    const shipped_call c = { entry, work_bytes, comm, out };

    return in_context(p, groups, 1, call, &c, out);
}
