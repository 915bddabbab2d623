/* Messages that no other suite meets, compared whole: texts of graphs that do not type, bodies
 * (lines of model.c), and calls around them.  tests/messages.sh says which rows of errors.def
 * no test quotes. */
#include "traced.h"

#include "cotrace/custom.h"
#include "cotrace/module.h"
#include "cotrace/random.h"

static cot_value foreign;           /* of another context */

/* ---- texts ---- */

#define FN(in, type, body) "fn @f(" in ") -> " type " {\n  " body "\n  ret %0\n}\n"

static const struct text { const char *text, *message;
} texts[] = {
    { "fn @f(%x: f32[3000000,3000000,3000000]) -> f32[] {\n  ret %x\n}\n",
      "t.cot:1: the type has more than 2^48 elements" },
    { FN("%x: f32[2]", "f32[2]", "%0 = constant : f32[2]"),
      "t.cot:2: found ':'; wants the attribute data of constant" },
    { FN("%x: f32[2,3]", "f32[3,2]",
         "%0 = broadcast_in_dim %x {shape=[3,2], dims=[1,0]} : f32[3,2]"),
      "t.cot:2: broadcast_in_dim: dims[1] is 0 after 1; wants ascending entries" },
    { FN("%x: f32[2,3]", "f32[2,4]",
         "%0 = broadcast_in_dim %x {shape=[2,4], dims=[0,1]} : f32[2,4]"),
      "t.cot:2: broadcast_in_dim: axis 1 of f32[2,3] becomes axis 1 of size 4; wants an equal "
      "size, "
      "or 1 in the operand" },
    { FN("%x: i32[2,3,4]", "i32[3]", "%0 = reduce_sum %x {axes=[0,2]} : i32[3]"),
      "t.cot:2: reduce_sum: axes are not adjacent; wants adjacent axes, as the order of "
      "elements is "
      "part of the result" },
    { FN("%x: f32[2,3,4]", "f32[3]", "%0 = reduce_sum %x {axes=[0,2]} : f32[3]"),
      "t.cot:2: reduce_sum: axes are not adjacent; wants adjacent axes, as the order of "
      "elements is "
      "part of the result" },
    { FN("%x: f32[5], %i: i32[3,1]", "f32[3]",
         "%0 = gather %x, %i {offset_dims=[], collapsed=[0], operand_batch=[], "
         "indices_batch=[], index_map=[0,0], "
         "sizes=[1]} : f32[3]"),
      "t.cot:2: gather: index_map has 2 entries; wants 1, the size of the indices' last axis" },
    { FN("%x: f32[300]", "u8[]", "%0 = argmax %x {axis=0, dtype=u8} : u8[]"),
      "t.cot:2: argmax: axis 0 has size 300, too large to count in u8" },
    { FN("%k: u64[]", "u64[]", "%0 = philox %k, %k, %k {word=2} : u64[]"),
      "t.cot:2: philox: word is 2; wants 0 or 1" },
    { FN("%x: f32[2]", "f32[2]", "%0 = neg %x, %x : f32[2]"),
      "t.cot:2: neg: has 2 operands; wants 1" },
    { FN("%x: f32[0]", "i32[]", "%0 = argmax %x {axis=0} : i32[]"),
      "t.cot:2: argmax: axis 0 of f32[0] is empty; wants a size of 1 or more" },
    { "fn @id(%x: f32[2]) -> f32[2] {\n  ret %x\n}\n" FN(
          "%p: bool[3], %x: f32[2]", "f32[2]",
          "%0 = cond %p, %x {branches=[@id, @id]} : f32[2]"),
      "t.cot:5: cond: predicate is bool[3], but operand 1 is f32[2]; wants the predicate's "
      "axes first" },
    { "fn @id(%x: f32[2]) -> f32[2] {\n  ret %x\n}\n" FN("%p: bool[], %x: f32[2]", "f32[2]",
                                                         "%0 = cond %p, %x : f32[2]"),
      "t.cot:5: found ':'; wants the attribute branches of cond" },
};

START_TEST(of_texts)
{
    const cot_graph *g;

    ck_assert_int_ne(cot_parse(ctx, "t.cot", texts[_i].text, strlen(texts[_i].text), NULL, &g),
                     COT_OK);
    ck_assert_str_eq(cot_error(ctx), texts[_i].message);
}
END_TEST

/* ---- bodies ---- */

/* What `.axes = 1` means to C, without its warning. */
#define BARE(number) { .n = number }

/* clang-format off */
/* Bodies are rows of one line, since messages name their lines. */
#define CALL_BOTH(f, x, y)  cot_call_all(*(cot_fn **)f, COT_VALUES(x), y, 2)
#define CUSTOM(user)        ((const cot_custom *)user)
#define NO_BODIES           (cot_bodies){ 0 }
#define SCAN_BOTH(x, xs_)                                                                      \
    cot_scan(same, .in = COT_VALUES(x), .xs = COT_VALUES(xs_), .length = COT_NONE)

#line 1 "model.c"
BODY(stranger,   out[0] = cot_add(in[0], foreign);)
BODY(strange,    out[0] = foreign;)
BODY(alone,      out[0] = cot_select(cot_gt(in[0], 0), 1, 2);)
BODY(alone2,     out[0] = cot_where(cot_gt(in[0], 0), 1, 2.5);)
BODY(no_carry,   out[0] = cot_while(stranger, stranger, .t = t);)
BODY(no_steps,   out[0] = cot_scan(stranger, .length = 3, .t = t);)
BODY(no_slices,  out[0] = cot_map(stranger, .xs = COT_VALUES(in[0], in[1]));)
BODY(few_steps,  out[0] = cot_fori(-1, stranger, .in = COT_VALUES(in[0]));)
BODY(call_two,   cot_value y[2]; CALL_BOTH(user, in[0], y); out[0] = y[0];)
BODY(squeezed,   out[0] = cot_squeeze(in[0], 1);)
BODY(parts,      cot_value y[2]; cot_split(in[0], 2, 1, y); out[0] = y[0];)
BODY(beyond,     out[0] = cot_index(in[0], 7, 0);)
BODY(product,    out[0] = cot_matmul(in[0], in[1]);)
BODY(layer,      out[0] = cot_linear(in[0], in[1], in[2]);)
BODY(key,        out[0] = cot_uniform(t, cot_f32(3), .key = in[0]);)
BODY(captured,   out[0] = cot_add(in[0], cot_capture(t, NULL, "w"));)
BODY(made,       out[0] = cot_full(t, cot_type_new((cot_dtype)99, 0, NULL), 1);)
BODY(axes,       out[0] = cot_reduce_sum(in[0], .axes = BARE(1));)
BODY(order,      out[0] = cot_transpose(in[0], .perm = BARE(2));)
BODY(contract,   out[0] = cot_dot_general(in[0], in[0], .lhs = BARE(1), .rhs = COT_LIST(1));)
BODY(shape,      out[0] = cot_broadcast_in_dim(in[0], .shape = BARE(3));)
BODY(index_map,  out[0] = cot_scatter(in[0], in[1], in[2], .collapsed = BARE(3));)
BODY(starts,     out[0] = cot_slice(in[0], .start = BARE(1));)
BODY(huge,       out[0] = cot_broadcast_to(in[0], 30000000, 30000000, 2, 3);)

BODY(apply,      out[0] = cot_custom_call(CUSTOM(user), COT_LIST(), COT_VALUES(in[0]), NULL);)
BODY(more,       out[0] = cot_gt(in[0], 0);)
BODY(same,       out[0] = in[0];)
BODY(endless,    out[0] = cot_while(more, same, .in = COT_VALUES(in[0]), .max = 5);)
BODY(range,      out[0] = cot_randint(t, cot_i32(3), 5, 5);)
BODY(dropped,    out[0] = cot_dropout(in[0], 1.5);)
BODY(no_body,    out[0] = cot_while(NULL, same, .in = COT_VALUES(in[0]));)
BODY(no_branch,  out[0] = cot_switch_(COT_HERE, cot_operand_value(in[0]), NO_BODIES, NULL, 0);)
BODY(nowhere,    out[0] = cot_cond(1, same, same, .in = COT_VALUES(in[0]), .n_out = 2);)
BODY(prefixes,  out[0] = cot_associative_scan(NULL, .xs = COT_VALUES(in[0]));)
BODY(sizes,      out[0] = cot_reshape(in[0], -1, -1);)
BODY(odd_pairs,  out[0] = cot_ppermute(in[0], "i", COT_LIST(0, 1, 1));)
BODY(unsaid,     out[0] = cot_scan(same, .in = COT_VALUES(in[0]));)
BODY(unsaid_map, out[0] = cot_map(same, .t = t);)
BODY(said_twice, out[0] = SCAN_BOTH(in[0], in[1]);)
BODY(scaled,     out[0] = cot_layer_norm(in[0], .scale = in[1]);)
BODY(shifted,    out[0] = cot_layer_norm(in[0], .bias = in[1]);)
BODY(by_root,    out[0] = cot_rms_norm(in[0], .scale = in[1]);)
BODY(by_group,   out[0] = cot_group_norm(in[0], 2, .scale = in[1]);)
BODY(by_example, out[0] = cot_instance_norm(in[0], .bias = in[1]);)
BODY(slopes,     out[0] = cot_prelu(in[0], in[1]);)
BODY(conv_bias,  out[0] = cot_conv1d(in[0], in[1], in[2]);)
BODY(back_bias,  out[0] = cot_conv_transpose1d(in[0], in[1], in[2]);)
BODY(last_bias,  out[0] = cot_conv1d(in[0], in[1], in[2], .spec = "NWC,WIO->NWC");)
#line 105 "check_messages.c"
/* clang-format on */

static void
fails(cot_body *body, cot_types types, cot_status status, const char *message)
{
    traced_fails(cot_fn_new_((cot_place){ "main.c", 2 }, ctx, "f", body, types.n, 1, NULL),
                 types, status, message);
}

static void
keeps(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    foreign = in[0];
    out[0] = in[0];
}

START_TEST(of_two_contexts)
{
    cot_context *other = cot_context_new(NULL);
    const cot_graph *g;

    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(other, "keeps", keeps, 1, 1, NULL), COT_TYPES(cot_f32(2)), &g),
        COT_OK);
    fails(stranger, COT_TYPES(cot_f32(2)), COT_ERR_TRACE,
          "model.c:1: add: operand 1 belongs to another context");
    fails(strange, COT_TYPES(cot_f32(2)), COT_ERR_TRACE,
          "main.c:2: f: result 0 belongs to another context");
    cot_context_free(other);
}
END_TEST

START_TEST(of_no_trace)
{
    cot_value none = cot_sin_((cot_place){ "main.c", 3 }, (cot_value){ ctx, 1, 1 });

    ck_assert_int_eq(none.id, 0);
    ck_assert_str_eq(cot_error(ctx),
                     "main.c:3: sin: no trace is open; ops on values belong in a body");
}
END_TEST

START_TEST(of_operands)
{
    cot_type m = cot_f32(2, 3);

    fails(alone, COT_TYPES(m), COT_ERR_ARG,
          "model.c:3: select: operand 1 is a number; wants a value there");
    fails(alone2, COT_TYPES(m), COT_ERR_ARG,
          "model.c:4: where: operand 1 is a number; wants a value there");
    fails(squeezed, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:10: squeeze: axis 1 of f32[2,3] has not size 1; wants that");
    fails(parts, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:11: split: axis 1 of f32[2,3] does not divide into 2 equal parts");
    fails(beyond, COT_TYPES(m), COT_ERR_ARG,
          "model.c:12: index: index 7 is out of range for axis 0 of f32[2,3]");
    fails(product, COT_TYPES(cot_f32(), m), COT_ERR_SHAPE,
          "model.c:13: matmul: operand is f32[]; wants at least 1 axes");
    fails(layer, COT_TYPES(m, cot_f32(2, 4), cot_f32(2)), COT_ERR_SHAPE,
          "model.c:14: linear: x is f32[2,3], weight is f32[2,4]; wants x[..., in] and "
          "weight[out, in]");
    fails(key, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:15: uniform: the key is f32[2,3]; wants u64[2]");
    fails(
        captured, COT_TYPES(m), COT_ERR_ARG,
        "model.c:16: capture: the array is NULL; wants one that lives as long as the function");
    traced_fails(cot_vmap(cot_fn_new(ctx, "f", odd_pairs, 1, 1, NULL), .axis = "i"),
                 COT_TYPES(m), COT_ERR_ARG,
                 "model.c:37, in vmap: ppermute: pairs are an odd list; wants from, to, from, "
                 "to, ...: examples of the "
                 "axis, each at most once on either side");
    fails(odd_pairs, COT_TYPES(m), COT_ERR_ARG,
          "model.c:37: ppermute: no vmap around names its axis \"i\"; wants one with .axis = "
          "\"i\"");
    fails(range, COT_TYPES(m), COT_ERR_ARG,
          "model.c:30: randint: the range is 5 to 5; wants 1 to 2^32 integers");
    fails(dropped, COT_TYPES(m), COT_ERR_ARG,
          "model.c:31: dropout: p is 1.5; wants 0 or more, below 1");
    fails(sizes, COT_TYPES(m), COT_ERR_ARG,
          "model.c:36: reshape: shape[1] is -1; wants sizes of 0 or more, and at most one -1");
    fails(made, COT_TYPES(m), COT_ERR_DTYPE,
          "model.c:17: full: element type 99 is not one of cot_dtype");
    fails(huge, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:24: broadcast_in_dim: the type has more than 2^48 elements");
}
END_TEST

START_TEST(of_flow)
{
    cot_type m = cot_f32(2, 3);

    fails(no_carry, COT_TYPES(m), COT_ERR_ARG,
          "model.c:5: while: has no carries; wants at least one value in .in");
    fails(no_steps, COT_TYPES(m), COT_ERR_ARG,
          "model.c:6: scan: has neither carries nor results; wants .in or .n_out");
    fails(no_slices, COT_TYPES(m, cot_f32(3)), COT_ERR_SHAPE,
          "model.c:7: map: .xs 1 is f32[3]; wants an axis to slice, of size 2");
    fails(no_slices, COT_TYPES(m, cot_f32()), COT_ERR_SHAPE,
          "model.c:7: map: .xs 1 is f32[]; wants an axis to slice, of size 2");
    fails(no_body, COT_TYPES(m), COT_ERR_ARG, "model.c:32: f.while: a body is NULL");
    fails(no_branch, COT_TYPES(cot_i32()), COT_ERR_ARG,
          "model.c:33: cond: has no body; wants one for each branch");
    fails(nowhere, COT_TYPES(cot_f32()), COT_ERR_ARG,
          "model.c:34: cond: has several results and no .out; wants room for them");
    fails(prefixes, COT_TYPES(m), COT_ERR_ARG, "model.c:35: associative_scan: a body is NULL");
    fails(few_steps, COT_TYPES(m), COT_ERR_ARG,
          "model.c:8: fori: the number of steps is -1; wants 0 to 2147483647");
    fails(unsaid, COT_TYPES(m), COT_ERR_ARG,
          "model.c:38: scan: has neither slices nor a number of steps; wants .xs, or .length "
          "(COT_NONE: no step)");
    fails(unsaid_map, COT_TYPES(m), COT_ERR_ARG,
          "model.c:39: map: has neither slices nor a number of steps; wants .xs, or .length "
          "(COT_NONE: no step)");
    fails(said_twice, COT_TYPES(m, cot_f32(3)), COT_ERR_SHAPE,
          "model.c:40: scan: .xs 0 is f32[3]; wants an axis to slice, of size 0");
    cot_fn *one = cot_fn_new(ctx, "one", keeps, 1, 1, NULL);
    traced_fails(cot_fn_new(ctx, "f", call_two, 1, 1, &one), COT_TYPES(m), COT_ERR_ARG,
                 "model.c:9: call: one has 1 results; the call takes 2");
}
END_TEST

/* A weight that does not fit is the layer's error, not that of the product inside it. */
START_TEST(of_weights)
{
    cot_type x = cot_f32(2, 4, 5);

    fails(scaled, COT_TYPES(x, cot_f32(4)), COT_ERR_SHAPE,
          "model.c:41: layer_norm: .scale is f32[4]; wants a shape that broadcasts to that of "
          "f32[2,4,5]");
    fails(scaled, COT_TYPES(x, cot_f32(1, 2, 4, 5)), COT_ERR_SHAPE,
          "model.c:41: layer_norm: .scale is f32[1,2,4,5]; wants a shape that broadcasts to "
          "that of f32[2,4,5]");
    fails(shifted, COT_TYPES(x, cot_f32(4)), COT_ERR_SHAPE,
          "model.c:42: layer_norm: .bias is f32[4]; wants a shape that broadcasts to that of "
          "f32[2,4,5]");
    fails(by_root, COT_TYPES(x, cot_f32(4)), COT_ERR_SHAPE,
          "model.c:43: rms_norm: .scale is f32[4]; wants a shape that broadcasts to that of "
          "f32[2,4,5]");
    fails(by_group, COT_TYPES(x, cot_f32(5)), COT_ERR_SHAPE,
          "model.c:44: group_norm: .scale is f32[5]; wants one element for each channel, axis "
          "1 of f32[2,4,5]");
    fails(by_example, COT_TYPES(x, cot_f32(5)), COT_ERR_SHAPE,
          "model.c:45: instance_norm: .bias is f32[5]; wants one element for each channel, "
          "axis 1 of f32[2,4,5]");
    fails(slopes, COT_TYPES(x, cot_f32(5)), COT_ERR_SHAPE,
          "model.c:46: prelu: weight is f32[5]; wants one element for each channel, axis 1 of "
          "f32[2,4,5]");
    fails(conv_bias, COT_TYPES(x, cot_f32(3, 4, 1), cot_f32(5)), COT_ERR_SHAPE,
          "model.c:47: conv1d: bias is f32[5]; wants one element for each feature, axis 1 of "
          "f32[2,3,5]");
    fails(back_bias, COT_TYPES(x, cot_f32(4, 3, 1), cot_f32(5)), COT_ERR_SHAPE,
          "model.c:48: conv_transpose1d: bias is f32[5]; wants one element for each feature, "
          "axis 1 of f32[2,3,5]");
    fails(last_bias, COT_TYPES(x, cot_f32(1, 5, 3), cot_f32(4)), COT_ERR_SHAPE,
          "model.c:49: conv1d: bias is f32[4]; wants one element for each feature, axis 2 of "
          "f32[2,4,3]");
}
END_TEST

/* COT_OFF and COT_DUMP, here by their fields: a name that nothing has is not passed over. */
START_TEST(of_options)
{
    static const struct { cot_options o; const char *want;
    } rows[] = {
        { { .off = "fuse,csee" }, "COT_OFF names 'csee'; wants cse, fuse or all" },
        { { .dump = "trace,plans", .dump_fn = "none" },
          "COT_DUMP names 'plans'; wants a pass, trace, fuse, plan, llvm, asm, ptx or all; did "
          "you mean 'plan'?" },
    };
    const cot_types t = COT_TYPES(cot_f32(2));

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cot_context *c = cot_context_new(&rows[i].o);
        cot_kernel *k = NULL;
        ck_assert_int_eq(cot_compile(cot_fn_new(c, "keeps", keeps, 1, 1, NULL), t,
                                     &(cot_compile_options){ .backend = "eval" }, &k),
                         COT_ERR_ARG);
        ck_assert_str_eq(cot_error(c), rows[i].want);
        cot_context_free(c);
    }
    cot_context *c =
        cot_context_new(&(cot_options){ .off = "cse,fuse",
                                        .dump = "trace,grad,fuse,kernels,plan,llvm,asm,ptx,all",
                                        .dump_fn = "none" });
    cot_kernel *k = NULL;
    ck_assert_msg(cot_compile(cot_fn_new(c, "keeps", keeps, 1, 1, NULL), t,
                              &(cot_compile_options){ .backend = "eval" }, &k) == COT_OK,
                  "%s", cot_error(c));
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

/* A bare number where a list is wanted gives the list a length and no entries; C allows it. */
START_TEST(of_bare_numbers)
{
    cot_type m = cot_f32(2, 3);
    cot_place here = { "main.c", 7 };
    cot_fn *f = cot_fn_new(ctx, "f", keeps, 1, 1, NULL);

    fails(axes, COT_TYPES(m), COT_ERR_ARG,
          "model.c:18: reduce_sum: axes is the bare number 1; wants a list, as COT_LIST(1)");
    fails(order, COT_TYPES(m), COT_ERR_ARG,
          "model.c:19: transpose: perm is the bare number 2; wants a list, as COT_LIST(2)");
    fails(contract, COT_TYPES(m), COT_ERR_ARG,
          "model.c:20: dot_general: lhs is the bare number 1; wants a list, as COT_LIST(1)");
    fails(shape, COT_TYPES(m), COT_ERR_ARG,
          "model.c:21: broadcast_in_dim: shape is the bare number 3; wants a list, as "
          "COT_LIST(3)");
    fails(index_map, COT_TYPES(m, cot_i32(1, 1), m), COT_ERR_ARG,
          "model.c:22: scatter: collapsed is the bare number 3; wants a list, as COT_LIST(3)");
    fails(starts, COT_TYPES(m), COT_ERR_ARG,
          "model.c:23: slice: start is the bare number 1; wants a list, as COT_LIST(1)");
#define BARES(call, options, ...)                                                              \
    traced_fails(call(here, f, &(options){ __VA_ARGS__ }, sizeof(options)),                    \
                 COT_TYPES(m), COT_ERR_ARG
    BARES(cot_vmap_, cot_vmap_options, .in_dims = BARE(1)),
                 "main.c:7: vmap(f): in_dims is the bare number 1; wants a list, as "
                 "COT_LIST(1)");
    BARES(cot_vmap_, cot_vmap_options, .out_dims = BARE(-1)),
        "main.c:7: vmap(f): out_dims is the bare number -1; wants a list, as COT_LIST(-1)");
    BARES(cot_grad_, cot_wrt_options, .wrt = BARE(1)),
        "main.c:7: grad(f): wrt is the bare number 1; wants a list, as COT_LIST(1)");
    BARES(cot_jacfwd_, cot_jacfwd_options, .wrt = BARE(2)),
        "main.c:7: jacfwd(f): wrt is the bare number 2; wants a list, as COT_LIST(2)");
}
END_TEST

/* ---- functions ---- */

static void
squares(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_mul(in[0], in[0]));
}

START_TEST(of_functions)
{
    cot_place here = { "main.c", 7 };
    cot_fn *f = cot_fn_new_(here, ctx, "squares", squares, 1, 1, NULL), *fwd, *bwd;
    const cot_graph *g;
    const char text[] = "fn @f(%x: f32[]) -> f32[] {\n  ret %x\n}\n";

    traced_fails(cot_fn_named_(here, f, "x, y", NULL), COT_TYPES(cot_f32(3)), COT_ERR_ARG,
                 "main.c:7: squares: has 1 arguments, the names are 2");
    traced_fails(cot_fn_new_(here, ctx, "f", squares, -1, 1, NULL), COT_TYPES(cot_f32(3)),
                 COT_ERR_ARG,
                 "main.c:7: f: has a negative number of arguments; wants 0 or more");
    traced_fails(cot_fn_named_(here, cot_grad(f), "x", NULL), COT_TYPES(cot_f32(3)),
                 COT_ERR_ARG,
                 "main.c:7: grad(squares): is not a body; name the body it is made of");
    traced_fails(cot_vmap_(here, f,
                           &(cot_vmap_options){ .in_dims = COT_LIST(COT_NONE), .size = -2 },
                           sizeof(cot_vmap_options)),
                 COT_TYPES(cot_f32(3)), COT_ERR_ARG,
                 "main.c:7: vmap(squares): in maps no argument; wants at least one, or size");
    traced_fails(cot_fn_optional_(here, f, "x, y", 1), COT_TYPES(cot_f32(3)), COT_ERR_ARG,
                 "main.c:7: squares: has 1 optional argument, the names are 2");
    cot_vjp_halves_(here, f, &fwd, &bwd, NULL, 0);
    traced_fails(bwd, COT_TYPES(cot_f32(3)), COT_ERR_ARG,
                 "main.c:7: bwd(squares): no trace of the first half leaves residuals of the "
                 "types of these 1 "
                 "arguments; trace or call the first half before");
    ck_assert_int_eq(cot_parse(ctx, "t.cot", text, strlen(text), "main", &g), COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx), "t.cot: has no function main");
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_parse(ctx, "t.cot", "", 0, NULL, &g), COT_ERR_PARSE);
    ck_assert_str_eq(cot_error(ctx), "t.cot:1: found the end of the text; wants 'fn'");
}
END_TEST

/* ---- custom functions ---- */

static void
forward(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_mul(in[0], 2);
}

static void
not_linear(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_sin_((cot_place){ "model.c", 30 }, in[0]);
}

static void
other_type(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_reduce_sum(in[0]);
}

static int
run_fails(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info, (void)in, (void)out;
    return 42;
}

static void
same_type(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
saves_what_is_not_there(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 5);
}

START_TEST(of_custom_functions)
{
    const cot_graph *g;
    float x[3] = { 0, 0, 0 };
    cot_types types = COT_TYPES(cot_f32(3)), two = COT_TYPES(cot_f32(3), cot_f32(3));
    const cot_custom *linear =
        cot_custom_new(ctx, "linear", .forward = forward, .vjp = not_linear);
    const cot_custom *other =
        cot_custom_new_((cot_place){ "main.c", 10 }, ctx, "other",
                        &(cot_custom_options){ .forward = forward, .vjp = other_type },
                        sizeof(cot_custom_options));
    const cot_custom *failing =
        cot_custom_new(ctx, "failing", .run = run_fails, .types = same_type);

    traced_fails(cot_jvp(cot_fn_new(ctx, "f", apply, 1, 1, (void *)linear)), two, COT_ERR_RULE,
                 "model.c:26, in jvp: custom_call: linear has no jvp rule, and its vjp rule is "
                 "not linear in its "
                 "cotangent: sin at model.c:30 is not; wants .jvp");
    traced_fails(cot_vjp_((cot_place){ "main.c", 9 },
                          cot_fn_new(ctx, "f", apply, 1, 1, (void *)other), NULL, 0),
                 two, COT_ERR_SHAPE,
                 "main.c:10: custom_call: vjp of other: result 0 is f32[]; wants f32[3]");
    const cot_custom *saving = cot_custom_new(ctx, "saving", .forward = forward, .vjp = forward,
                                              .setup = saves_what_is_not_there);
    traced_fails(cot_fn_new(ctx, "f", apply, 1, 1, (void *)saving), types, COT_ERR_ARG,
                 "model.c:26: custom_call: saving: setup names input 5; has 1");
    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(ctx, "f", apply, 1, 1, (void *)failing), types, &g), COT_OK);
    ck_assert_int_eq(ir_eval(g, (void *[]){ x }, (const void *[]){ x }), COT_ERR_FOREIGN);
    ck_assert_str_eq(cot_error(ctx), "model.c:26: custom_call: failing failed with status 42");
}
END_TEST

/* ---- loops, memory ---- */

START_TEST(of_bounds)
{
    const cot_graph *g;
    float x = 1, y;

    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(ctx, "endless", endless, 1, 1, NULL), COT_TYPES(cot_f32()), &g),
        COT_OK);
    ck_assert_int_eq(ir_eval(g, (void *[]){ &y }, (const void *[]){ &x }), COT_ERR_BOUND);
    ck_assert_str_eq(cot_error(ctx), "model.c:29: while: still goes on after 5 steps, its max");
}
END_TEST

static void *
no_memory(void *user, void *old, size_t bytes)
{
    if (bytes && bytes >= *(size_t *)user)
        return NULL;
    if (bytes)
        return realloc(old, bytes);
    free(old);
    return NULL;
}

START_TEST(of_memory)
{
    size_t none = SIZE_MAX;
    cot_context *c = cot_context_new(&(cot_options){ .alloc = no_memory, .alloc_user = &none });

    none = 1; /* nothing, not even the message */
    ck_assert_ptr_null(cot_array_new(c, cot_f32(1000000)));
    ck_assert_int_eq(cot_error_status(c), COT_ERR_MEMORY);
    ck_assert_int_eq(strncmp(cot_error(c), "out of memory: ", 15), 0);
    ck_assert_ptr_nonnull(strstr(cot_error(c), " bytes more are wanted"));
    cot_error_clear(c);
    none = 1 << 20; /* nothing large */
    ck_assert_ptr_null(cot_array_new(c, cot_f32(1000000)));
    ck_assert_int_eq(cot_error_status(c), COT_ERR_MEMORY);
    ck_assert_str_eq(cot_error(c), "out of memory: f32[1000000] has 4000000 bytes");
    none = SIZE_MAX;
    cot_context_free(c);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(of_texts, sizeof texts / sizeof *texts),
        ONCE(of_two_contexts),
        ONCE(of_no_trace),
        ONCE(of_operands),
        ONCE(of_flow),
        ONCE(of_weights),
        ONCE(of_options),
        ONCE(of_bare_numbers),
        ONCE(of_functions),
        ONCE(of_custom_functions),
        ONCE(of_bounds),
        ONCE(of_memory),
    };

    return SUITE("messages", cases);
}
