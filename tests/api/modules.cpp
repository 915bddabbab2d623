// Names, structs, modules, ensembles, optional arguments, control flow and draws, from C++.
#include <cstdio>

#include "cotrace/cotrace.hpp"

struct line {
    cot::value weight, bias, x;
};
static_assert(sizeof(line) == 3 * sizeof(cot_value), "a struct of values is a list of them");

static void
line_body(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    const line *l = cot::as<line>(in);
    out[0] = cot::linear(l->x, l->weight, l->bias);
}

static void
scaled(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = cot::value(in[0]) * in[1];
}

static void
noise(cot_trace *t, const cot_value *in, cot_value *out, void *)
{
    out[0] = cot::value(in[0]) + cot::normal(t, cot::type(COT_F32));
}

static void
twice(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = 2 * cot::value(in[1]);
}

/* x 2^5, by a loop; with the struct passed on as a list. */
static void
looped(cot_trace *, const cot_value *in, cot_value *out, void *user)
{
    const line *l = cot::as<line>(in);
    cot_value first = cot::call(static_cast<cot_fn *>(user), cot::fields(*l));
    cot_flow_options o = {};
    o.in = cot_values_of(1, &first);
    out[0] = cot::fori(5, twice, o);
}

/* y by reference: the call that makes it may be evaluated later. */
static int
check(cot_context *ctx, cot_status status, cot_array *const &y,
      std::initializer_list<float> want)
{
    int good = status == COT_OK && cot_array_bytes(y) == want.size() * sizeof(float);
    const float *at = good ? static_cast<const float *>(cot_array_read(y)) : nullptr;

    for (size_t i = 0; good && i < want.size(); i++)
        good = at[i] == want.begin()[i];
    if (!good)
        std::fprintf(stderr, "%s\n", status == COT_OK ? "other numbers" : cot_error(ctx));
    return !good;
}

static int
modules(cot_context *ctx)
{
    float w[2][2] = {{1, 0}, {2, -1}}, b[2][1] = {{0}, {10}}, x[] = {2, 3}, c[] = {7};
    cot_module_spec spec = {};
    cot_array *a[6] = {}, *y = nullptr, *z = nullptr, *j[2] = {};
    cot_module *m[2];
    int bad = 0;

    spec.name = "Line", spec.body = line_body, spec.params = "weight, bias", spec.inputs = "x",
    spec.results = "y";
    for (int i = 0; i < 2; i++) {
        m[i] = cot::module_new(ctx, spec);
        cot_module_set(m[i], "weight",
                       a[2 * i] = cot_array_borrow(ctx, cot::type(COT_F32, { 1, 2 }), w[i]));
        cot_module_set(m[i], "bias",
                       a[2 * i + 1] = cot_array_borrow(ctx, cot::type(COT_F32, { 1 }), b[i]));
    }
    a[4] = cot_array_borrow(ctx, cot::type(COT_F32, {2}), x);
    a[5] = cot_array_borrow(ctx, cot::type(COT_F32, {1}), c);
    bad += check(ctx, cot::module_call(m[0], &y, 1, {{"bias", a[5]}}, {a[4]}), y, {9});
    cot_functional_options o = {};
    o.fn = cot::jacrev(cot_module_fn(m[1]), cot::names("weight, bias"));
    cot_status status = cot::module_call(m[1], j, 2, {{"bias", a[5]}}, {a[4]}, o);
    bad += check(ctx, status, j[0], {2, 3}) + check(ctx, status, j[1], {1});
    cot_state stacked[2];
    bad += cot::stack_module_state(ctx, {m[0], m[1]}, &stacked[0], &stacked[1]) != COT_OK;
    o.fn = cot::vmap(cot_module_fn(m[0]), cot::names("weight: 0, bias: 0, x: none"));
    bad += check(ctx, cot::module_call(m[0], &z, 1, stacked[0], {a[4]}, o), z, {2, 11});
    bad += cot_save(ctx, "line.npz", &stacked[0]) == COT_OK && std::remove("line.npz") != 0;
    cot_state_free(&stacked[0]), cot_state_free(&stacked[1]);
    cot_fn *f = cot::fn_named(cot::fn(ctx, "looped", looped, 3, 1, cot_module_fn(m[0])),
                              "weight, bias, x");
    const cot_array *args[] = {a[2], a[3], a[4]};
    bad += check(ctx, cot_jit(f, &y, 1, args, 3), y, {352});
    for (cot_array *each : a)
        cot_array_free(each);
    cot_array_free(y), cot_array_free(z), cot_array_free(j[0]), cot_array_free(j[1]);
    return bad;
}

static int
functions(cot_context *ctx)
{
    float x[] = {1, 2, 3};
    cot_array *a = cot_array_borrow(ctx, cot::type(COT_F32, {3}), x), *y = nullptr;
    cot_fn *f = cot::fn_optional(cot::fn(ctx, "scaled", scaled, 1, 1), "scale", 4);
    const cot_array *in = a;
    int bad = check(ctx, cot_jit(cot::vmap(f), &y, 1, &in, 1), y, {4, 8, 12});

    bad += check(ctx, cot_jit(cot::with(cot::vmap(f), "scale", .5), &y, 1, &in, 1), y,
                 { .5f, 1, 1.5f });
    cot_vmap_options o = {};
    o.randomness = COT_RANDOM_SAME;
    bad += cot_jit(cot::vmap_with(cot::fn(ctx, "noise", noise, 1, 1), o), &y, 1, &in,
                   1) != COT_OK;
    const float *at = static_cast<const float *>(cot_array_read(y));
    bad += !(at[1] - at[0] > .999f && at[1] - at[0] < 1.001f);
    cot_array_free(a), cot_array_free(y);
    return bad;
}

int
main()
{
    cot_context *ctx = cot_context_new(nullptr);
    int bad = modules(ctx) + functions(ctx);

    cot_context_free(ctx);
    return bad != 0;
}
