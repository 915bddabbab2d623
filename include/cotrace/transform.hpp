/* Cotrace for C++17: functions, transforms, custom functions, modules.
 *
 *     cot_fn *df = cot::vmap(cot::grad(f, {0}), {cot::none, 0, 0});
 *
 * Part of cotrace/cotrace.hpp, which includes it; what a function does stands at its namesake
 * in the C headers. */
#ifndef COTRACE_TRANSFORM_HPP
#define COTRACE_TRANSFORM_HPP
#ifndef COTRACE_COTRACE_HPP
#error "include cotrace/cotrace.hpp"
#endif

namespace cot {

inline cot_fn *
fn(cot_context *ctx, const char *name, cot_body *body, int n_in, int n_out,
   void *user = nullptr, COT_PLACE_)
{
    return cot_fn_new_(COT_AT_, ctx, name, body, n_in, n_out, user);
}

inline value call(cot_fn *f, values in, COT_PLACE_) { return cot_call_(COT_AT_, f, in.x); }

inline void
call_all(cot_fn *f, values in, cot_value *out, int n_out, COT_PLACE_)
{
    cot_call_all_(COT_AT_, f, in.x, out, n_out);
}

/* The results of a body on arrays, now: cot::eval(ctx, body, {x, y}). */
inline cot_array *
eval(cot_context *ctx, cot_body *body, std::initializer_list<const cot_array *> args,
     COT_PLACE_)
{
    return cot_eval_(COT_AT_, ctx, body, args.begin(), static_cast<int>(args.size()));
}

inline cot_status
eval_all(cot_context *ctx, cot_body *body, cot_array **results, int n_results,
         std::initializer_list<const cot_array *> args, COT_PLACE_)
{
    return cot_eval_all_(COT_AT_, ctx, body, results, n_results, args.begin(),
                         static_cast<int>(args.size()));
}

inline cot_fn *
fn_named(cot_fn *f, const char *arguments, const char *results = nullptr, COT_PLACE_)
{
    return cot_fn_named_(COT_AT_, f, arguments, results);
}
inline cot_fn *
fn_optional(cot_fn *f, const char *name, double x, COT_PLACE_)
{
    return cot_fn_optional_(COT_AT_, f, name, x);
}
inline cot_fn *with(cot_fn *f, const char *name, operand x)
{ return cot_with_(x.at, f, name, x.x); }
inline cot_fn *taking(cot_fn *f, const char *names, COT_PLACE_)
{ return cot_taking_(COT_AT_, f, names); }
template <class T>
cot_tree *
tree(cot_context *ctx, const char *text, COT_PLACE_)
{
    return cot_tree_new_(COT_AT_, ctx, text, sizeof(T));
}

/* Custom functions: fill a cot_custom_options. */
inline const cot_custom *
custom_new(cot_context *ctx, const char *name, const cot_custom_options &o, COT_PLACE_)
{
    return cot_custom_new_(COT_AT_, ctx, name, &o, sizeof o);
}
inline value
custom_call(const cot_custom *c, values in, list attrs = {}, cot_value *out = nullptr,
            COT_PLACE_)
{
    return cot_custom_call_(COT_AT_, c, attrs.x, in.x, out);
}
inline value
move_batch_front(cot_value x, int64_t dim, int64_t size, COT_PLACE_)
{
    return cot_move_batch_front_(COT_AT_, x, dim, size);
}

#define COT_TRANSFORM_(name, options)                                           \
    inline cot_fn *name(cot_fn *f, list wrt = {}, int aux = 0, COT_PLACE_)      \
    {                                                                           \
        options o = {};                                                         \
        o.wrt = wrt.x;                                                          \
        o.aux = aux;                                                            \
        return cot_##name##_(COT_AT_, f, &o, sizeof o);                         \
    }
/* cot::jacrev(f, {0}, 0, 16): 16 rows at a time. */
#define COT_CHUNKED_(name, options)                                                           \
    inline cot_fn *name(cot_fn *f, list wrt = {}, int aux = 0, int64_t chunk = 0, COT_PLACE_) \
    {                                                                                         \
        options o = {};                                                                       \
        o.wrt = wrt.x;                                                                        \
        o.aux = aux;                                                                          \
        o.chunk = chunk;                                                                      \
        return cot_##name##_(COT_AT_, f, &o, sizeof o);                                       \
    }
COT_TRANSFORM_(grad, cot_wrt_options)
COT_TRANSFORM_(grad_and_value, cot_wrt_options)
COT_TRANSFORM_(jvp, cot_wrt_options)
COT_TRANSFORM_(vjp, cot_wrt_options)
COT_TRANSFORM_(linearize, cot_wrt_options)
COT_CHUNKED_(jacfwd, cot_jacfwd_options)
COT_CHUNKED_(jacrev, cot_wrt_options)
COT_CHUNKED_(hessian, cot_wrt_options)
#undef COT_TRANSFORM_
#undef COT_CHUNKED_

inline cot_fn *
vmap(cot_fn *f, list in_dims = {}, list out_dims = {}, int64_t chunk = 0, COT_PLACE_)
{
    const cot_vmap_options o = {0, in_dims.x, out_dims.x, chunk, 0, COT_RANDOM_ERROR,
                                nullptr, nullptr};
    return cot_vmap_(COT_AT_, f, &o, sizeof o);
}

/* With every option of the C struct: size, randomness, axis, over. */
inline cot_fn *
vmap_with(cot_fn *f, const cot_vmap_options &o, COT_PLACE_)
{
    return cot_vmap_(COT_AT_, f, &o, sizeof o);
}

inline cot_fn *
functionalize(cot_fn *f, cot_remove remove = COT_REMOVE_MUTATIONS, COT_PLACE_)
{
    const cot_functionalize_options o = {0, remove};
    return cot_functionalize_(COT_AT_, f, &o, sizeof o);
}

inline cot_fn *
pipeline(cot_fn *f, const char *text, COT_PLACE_)
{
    return cot_pipeline_(COT_AT_, f, text);
}

/* A module of a spec, as in C. */
inline cot_module *
module_new(cot_context *ctx, const cot_module_spec &spec, COT_PLACE_)
{
    return cot_module_new_(COT_AT_, ctx, &spec, sizeof spec);
}

/* Arrays by name, for one call: {{"weight", w}, {"bias", b}}. */
struct state {
    cot_state x;

    state(std::initializer_list<cot_named> at)
        : x(cot_state_of(static_cast<int>(at.size()), at.begin())) {}
    state(cot_state at) : x(at) {}
};

inline cot_status
module_call(cot_module *m, cot_array **results, int n_results, const state &given,
            std::initializer_list<cot_array *> inputs, const cot_functional_options &o = {},
            COT_PLACE_)
{
    return cot_module_call_(COT_AT_, m, results, n_results, &given.x, 1, inputs.begin(),
                            static_cast<int>(inputs.size()), &o, sizeof o);
}
[[deprecated("use cot::module_call(m, results, n_results, given, inputs, o)")]]
inline cot_status
functional_call(cot_module *m, const state &given, std::initializer_list<cot_array *> inputs,
                cot_array **results, int n_results, const cot_functional_options &o = {},
                COT_PLACE_)
{
    return cot_module_call_(COT_AT_, m, results, n_results, &given.x, 1, inputs.begin(),
                            static_cast<int>(inputs.size()), &o, sizeof o);
}

inline cot_status
stack_module_state(cot_context *ctx, std::initializer_list<cot_module *> modules,
                   cot_state *params, cot_state *buffers, COT_PLACE_)
{
    return cot_stack_module_state_(COT_AT_, ctx, modules.begin(),
                                   static_cast<int>(modules.size()), params, buffers);
}

}   /* namespace cot */

#endif
