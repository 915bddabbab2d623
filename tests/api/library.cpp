// The library from C++: each kind of overload in one body, and the line of a mistake.
#include <cstdio>
#include <cstring>

#include "cotrace/cotrace.hpp"

static void
larger(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = cot::max(in[0], in[1]);
}

static void
uses_all(cot_trace *t, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0], places;                       // f32[4, 6]
    cot_move_options half = {};
    half.start = cot::list({0, 0}).x, half.limit = cot::list({4, 3}).x;
    cot::value y = cot::concatenate({cot::slice(x, half),
                                     cot::transpose(cot::tril(cot::transpose(x)))}, 1);
    y = cot::cumsum(cot::sort(cot::roll(y, 1, 0), 1), 1) + cot::median(y, 0);
    y = cot::window_max(cot::reshape(y, {4, 9}), {1, 3}) +
        cot::reduce_sum(cot::top_k(y, 2, &places));
    y = y + cot::convert(cot::reduce_sum(places), COT_F32);
    out[0] = y;
    (void)t;
}

static void
numpy_names(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0], grid[2];                      // f32[6]
    cot_reduce_options o = {};
    o.ddof = 1;
    cot::meshgrid({x, x}, grid);
    cot::value y = cot::nansum(cot::nan_to_num(cot::repeat(x, 2, 0))) + cot::nanstd(x) +
        cot::std(x, o);
    y = y + cot::trapezoid(cot::diff(x, 1, 0), 0) +
        cot::reduce_sum(cot::convolve(x, x) + cot::correlate(x, x));
    y = y + cot::reduce_max(cot::interp(cot::mod(x, 2), x, x)) +
        cot::polyval(cot::polyfit(x, x, 1), y);
    y = y + cot::copysign(cot::cov(x), -1) + cot::corrcoef(x) +
        cot::floor_divide(cot::log10(y), 2);
    y = y + cot::reduce_sum(cot::tile(cot::moveaxis(grid[0], 0, 1), {1, 2}));
    out[0] = cot::where(cot::isnan(y), 0, cot::where(cot::isinf(y), 1, y));
}

static void
draws(cot_trace *t, const cot_value *in, cot_value *out, void *)
{
    cot_random_options o = {};
    o.key = in[0];
    cot::value p = cot::convert(cot::bernoulli(t, cot::type(COT_BOOL, {3}), 0.5, o), COT_F32);
    cot::value n = cot::convert(cot::randint(t, cot::type(COT_I32, {3}), 0, 9, o), COT_F32);
    out[0] = cot::dropout(p + n, 0.1, o) + cot::psum(p, "i");
}

static void
reduces(cot_trace *t, const cot_value *in, cot_value *out, void *)
{
    cot_combine_options o = {};
    const cot_value low = cot::full(t, cot::type(COT_F32), -1e30);
    o.xs = cot_values_of(1, in), o.inits = cot_values_of(1, &low);
    out[0] = cot::reduce(larger, o);
}

static void
wrong(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = cot::squeeze(in[0], {0});                  // line 70
}

static void
keeps(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = cot::ge(in[0], in[1]);
}

static void
windowed(cot_trace *t, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0], half[2];                      // f32[6]
    cot_combine_options o = {};
    o.window = cot::list({3}).x, o.strides = cot::list({3}).x;
    cot::split(x, 2, 0, half);
    cot::value y = cot::select_and_scatter(keeps, nullptr, x,
                                           cot::full(t, cot::type(COT_F32, {2}), 1),
                                           cot::full(t, cot::type(COT_F32), 0), o);
    cot::value sum = cot::reduce_sum(cot::sliding_windows(y, 2, 0)) +
        cot::reduce_sum(cot::softmin(half[0] + half[1]));
    sum = sum + cot::reduce_sum(cot::take(cot::fftfreq(t, COT_F32, 6),
                                          cot::full(t, cot::type(COT_I32, {1}), 1), 0));
    cot_unique_options few = {};
    few.size = 2;
    sum = sum + cot::reduce_sum(cot::unique(x, few)) +
        cot::convert(cot::reduce_and(cot::gt(x, 0)), COT_F32);
    out[0] = cot::size(x, 0) == 6 ? sum : cot::trace_fail(t, "wants six numbers");
}

static void
learns(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0];
    cot_loss_options each = {};
    each.reduction = COT_LOSS_EACH;
    cot::value y = cot::elu(cot::rms_norm(x)),
        first = cot::index(y, {cot::ellipsis(), cot::span(0, 3)});
    y = cot::index_add(y, {0, 1}, 2.0);
    out[0] = cot::reduce_sum(cot::mse(first, cot::index(y, {cot::whole(), cot::span(-3)}),
                                      each));
    out[0] = out[0] + cot::huber(x, y);
}

static void
twice(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = cot::value(in[0]) * 2;
}

static void
halved(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = cot::value(in[0]) / 2;
}

static void
chooses(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    const cot_value x[] = {cot::index(in[0], {cot::span(0, 3)})};
    cot_flow_options o = {};
    o.in = cot_values_of(1, x);
    out[0] = cot::switch_(cot::convert(cot::index(in[0], 0, 0), COT_I32),
                          {twice, halved, twice}, o);
}

static void
images(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0];                               // f32[1, 4, 2, 2]
    const cot::list four{4, 4};
    cot_interpolate_options o = {};
    o.size = four.x;
    cot::value y = cot::interpolate(cot::pixel_shuffle(x, 2), COT_SAMPLE_CUBIC, o);
    y = cot::fold(cot::unfold(cot::pixel_unshuffle(y, 2), {1, 2}), {2, 2}, {1, 2});
    cot::value rows = cot::reshape(y, {4, 4}), bags = cot::convert(cot::gt(rows, 0), COT_I32);
    y = cot::grid_sample(y, cot::reshape(rows, {1, 4, 2, 2}));
    y = cot::reduce_sum(y) + cot::reduce_sum(cot::cdist(rows, rows));
    out[0] = y + cot::reduce_sum(cot::embedding_bag(rows, bags, COT_BAG_MAX));
}

static void
distributions(cot_trace *t, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0];                               // f32[3]
    cot_choice_options o = {};
    o.p = x, o.distinct = 1;
    cot::value y = cot::choice(t, x, {2}, o), cov = cot::eye(t, COT_F32, 3);
    y = cot::reduce_sum(y) + cot::reduce_sum(cot::gumbel(t, cot::type(COT_F32, {4})) +
                                             cot::reduce_sum(cot::poisson(t, x)));
    out[0] = y + cot::reduce_sum(cot::dirichlet(t, x) * cot::multivariate_normal(t, x, cov));
}

static void
signals(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0];                               // f32[9]
    cot_stft_options o = {};
    o.hop = 2;
    cot::value y = cot::istft(cot::stft(x, 4, o), 4, o);
    y = y + cot::expi(cot::bessel_k0(y)) + cot::bessel_y0(y) * cot::bessel_k1(y) -
        cot::bessel_y1(y);
    out[0] = cot::reduce_sum(cot::block_diag({cot::toeplitz(x), y})) +
        cot::reduce_sum(cot::logm(cot::sqrtm(cot::toeplitz(x))));
    cot::value z, form = cot::schur(cot::toeplitz(x), &z);
    out[0] = out[0] + cot::reduce_sum(form + z);
}

static bool
traces(cot_context *ctx, cot_fn *f, cot_type type)
{
    const cot_graph *g;
    const cot::types types = {type};
    bool ok = cot_trace_fn(f, types.x, &g) == COT_OK;
    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    return ok;
}

int
main()
{
    cot_context *ctx = cot_context_new(nullptr);
    const double six = 6;
    cot_array *x = cot_array_copy(ctx, cot::type(COT_F64), &six),
        *half = cot::eval(ctx, halved, {x});
    if (!half || *static_cast<const double *>(cot_array_read(half)) != 3)
        return std::fprintf(stderr, "%s\n", cot_error(ctx)), 1;
    cot_array_free(x), cot_array_free(half);
    cot_vmap_options axis = {};
    axis.axis = "i";
    bool ok = traces(ctx, cot::fn(ctx, "uses_all", uses_all, 1, 1), cot::type(COT_F32, {4, 6}));
    ok = traces(ctx, cot::fn(ctx, "numpy_names", numpy_names, 1, 1), cot::type(COT_F32, {6})) &&
        ok;
    ok = traces(ctx, cot::grad(cot::fn(ctx, "images", images, 1, 1)),
                cot::type(COT_F32, {1, 4, 2, 2})) && ok;
    ok = traces(ctx, cot::grad(cot::fn(ctx, "distributions", distributions, 1, 1)),
                cot::type(COT_F32, {3})) && ok;
    ok = traces(ctx, cot::grad(cot::fn(ctx, "signals", signals, 1, 1)),
                cot::type(COT_F32, {9})) && ok;
    ok = ok && traces(ctx, cot::vmap_with(cot::fn(ctx, "draws", draws, 1, 1), axis),
                      cot::type(COT_U64, {5, 2}));
    ok = ok && traces(ctx, cot::checkpoint(cot::fn(ctx, "reduces", reduces, 1, 1)),
                      cot::type(COT_F32, {7}));
    ok = ok && traces(ctx, cot::grad(cot::fn(ctx, "learns", learns, 1, 1)),
                      cot::type(COT_F32, {2, 4}));
    ok = ok && traces(ctx, cot::fn(ctx, "windowed", windowed, 1, 1), cot::type(COT_F32, {6}));
    ok = ok && traces(ctx, cot::jacrev(cot::fn(ctx, "chooses", chooses, 1, 1), {0}, 0, 2),
                      cot::type(COT_F32, {6}));
    const cot_graph *g;
    const cot::types types = {cot::type(COT_F32, {3})};
    ok = ok && cot_trace_fn(cot::fn(ctx, "wrong", wrong, 1, 1), types.x, &g) == COT_ERR_SHAPE;
    if (ok && !std::strstr(cot_error(ctx), "library.cpp:70: squeeze: ")) {
        std::fprintf(stderr, "%s\n", cot_error(ctx));
        ok = false;
    }
    cot_context_free(ctx);
    return ok ? 0 : 1;
}
