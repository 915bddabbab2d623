/* Lists outlive the block that made them: each is made in a function of its own, kept, and used
 * after other calls have written over the stack.  A list of many entries points to memory of
 * its user. */
#include "tests/unit/traced.h"

static const cot_list at_file_scope = COT_LIST(1);

/* Write over what a call that has returned left on the stack. */
static void
overwrite_stack(void)
{
    volatile char bytes[1 << 14];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)0x55;
}

static cot_list second_axis(void) { return COT_LIST(1); }
static cot_list no_axis(void) { return COT_LIST(); }
static cot_list all_at(int64_t axis) { return COT_ALL(axis); }
static cot_list by_name(const char *text) { return COT_DIMS(text); }
static cot_types two_vectors(void) { return COT_TYPES(cot_f64(2), cot_f64(2)); }
static cot_types matrix(void) { return COT_TYPES(cot_f64(2, 2)); }
static cot_values both(const cot_value *in) { return COT_VALUES(in[0], in[1]); }
static cot_ats second_column(void) { return COT_AT(COT_WHOLE, 1); }

static cot_state
by_names(cot_array *a, cot_array *b)
{
    return COT_STATE({ "a", a }, { "b", b });
}

static const double figures[] = { 1, 2, 3, 4 }, others[] = { 10, 20, 30, 40 };

static void
sums(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(in[0], .axes = *(const cot_list *)user);
}

static void
sums_to(cot_list axes, cot_type type, const double *want)
{
    overwrite_stack();
    traced_gives(cot_fn_new(ctx, "sums", sums, 1, 1, &axes), matrix(),
                 (const void *const[]){ figures }, type, want, 0);
}

START_TEST(of_integers)
{
    sums_to(second_axis(), cot_f64(2), (const double[]){ 3, 7 });
    sums_to(no_axis(), cot_f64(2, 2), figures);
    sums_to((cot_list){ 0 }, cot_f64(), (const double[]){ 10 });
    sums_to(at_file_scope, cot_f64(2), (const double[]){ 3, 7 });
    sums_to((cot_list){ .n = 1, .at = (const int64_t[]){ 0 } }, cot_f64(2),
            (const double[]){ 4, 6 });
}
END_TEST

BODY(product, out[0] = cot_mul(in[0], in[1]);)
BODY(product_sum, out[0] = cot_reduce_sum(cot_mul(in[0], in[1]));)

START_TEST(of_arguments)
{
    cot_fn *f = cot_fn_new(ctx, "product", product, 2, 1, NULL);
    cot_fn *sum = cot_fn_named(cot_fn_new(ctx, "sum", product_sum, 2, 1, NULL), "x, y", "z");
    const cot_list which = second_axis(), all = all_at(0), names = by_name("x: none, y: 0");
    const cot_types types = two_vectors();
    const void *const in[] = { figures, others };

    overwrite_stack();
    traced_gives(cot_grad(sum, .wrt = which), types, in, cot_f64(2), figures, 0);
    traced_gives(cot_vmap(f, .in_dims = all), types, in, cot_f64(2), (const double[]){ 10, 40 },
                 0);
    traced_gives(cot_vmap(sum, .in_dims = names), types, in, cot_f64(2),
                 (const double[]){ 30, 60 }, 0);
}
END_TEST

static void
stacks(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_values list = both(in);

    (void)t, (void)user;
    overwrite_stack();
    out[0] = cot_concatenate(list, 0);
}

static void
indexes(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_ats column = second_column();

    (void)t, (void)user;
    overwrite_stack();
    out[0] = cot_index_get(in[0], column);
}

BODY(once, out[0] = in[0];)
BODY(twice, out[0] = cot_mul(in[0], 2.0);)
static cot_bodies branches(void) { return COT_BODIES(once, twice); }

static void
switches(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_bodies list = branches();

    (void)t, (void)user;
    overwrite_stack();
    out[0] =
        cot_switch(cot_convert(cot_reduce_max(in[1]), COT_I32), list, .in = COT_VALUES(in[0]));
}

START_TEST(of_operands)
{
    const void *const in[] = { figures, others };

    traced_gives(cot_fn_new(ctx, "stacks", stacks, 2, 1, NULL), two_vectors(), in, cot_f64(4),
                 (const double[]){ 1, 2, 10, 20 }, 0);
    traced_gives(cot_fn_new(ctx, "indexes", indexes, 1, 1, NULL), matrix(), in, cot_f64(2),
                 (const double[]){ 2, 4 }, 0);
    traced_gives(cot_fn_new(ctx, "switches", switches, 2, 1, NULL), two_vectors(), in,
                 cot_f64(2), (const double[]){ 2, 4 }, 0);
}
END_TEST

/* Seventeen axes are more than a list of integers holds, and nine values more than one of
 * values. */
START_TEST(of_many)
{
    const cot_list many = COT_LIST(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    const cot_list most = COT_LIST(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const cot_type x = cot_f64(2, 2);
    const cot_types nine = COT_TYPES(x, x, x, x, x, x, x, x, x);

    ck_assert_int_eq(many.n, 17);
    ck_assert_int_eq(cot_list_entries(&many)[16], 16);
    ck_assert_int_eq(many.held[0], 0);
    ck_assert_int_eq(most.n, 16);
    ck_assert_int_eq(cot_list_entries(&most)[15], 15);
    ck_assert_int_eq(most.held[0], 1);
    ck_assert_int_eq(nine.n, 9);
    ck_assert_int_eq(cot_types_entries(&nine)[8].dims[1], 2);
    ck_assert_int_eq(nine.n_held, 0);
    ck_assert_ptr_null(cot_types_entries(NULL));
    ck_assert_ptr_null(cot_list_entries(NULL));
    ck_assert_ptr_null(cot_values_entries(NULL));
}
END_TEST

/* Arrays by name: a list that the block keeps, and one of more entries than a list holds. */
START_TEST(of_arrays)
{
    cot_array *a = cot_array_new(ctx, cot_f32()), *b = cot_array_new(ctx, cot_f64());
    const cot_state few = by_names(a, b);
    cot_named most[COT_HELD_STATE + 1];
    for (int i = 0; i <= COT_HELD_STATE; i++)
        most[i] = (cot_named){ i < COT_HELD_STATE ? "a" : "last", i < COT_HELD_STATE ? a : b };
    const cot_state many = cot_state_of(COT_HELD_STATE + 1, most), none = cot_state_of(0, NULL),
                    nine = COT_STATE({ "1", a }, { "2", a }, { "3", a }, { "4", a }, { "5", a },
                                     { "6", a }, { "7", a }, { "8", a }, { "9", b });

    overwrite_stack();
    ck_assert_int_eq(few.n, 2);
    ck_assert_ptr_eq(cot_state_find(&few, "a"), a);
    ck_assert_ptr_eq(cot_state_find(&few, "b"), b);
    ck_assert_str_eq(cot_state_entries(&few)[1].name, "b");
    ck_assert_ptr_eq(cot_state_find(&many, "last"), b);
    ck_assert_ptr_eq(cot_state_entries(&many), most);
    ck_assert_int_eq(nine.n, 9);
    ck_assert_ptr_eq(cot_state_find(&nine, "9"), b);
    ck_assert_ptr_null(cot_state_find(&none, "a"));
    ck_assert_ptr_null(cot_state_entries(NULL));
    cot_array_free(a);
    cot_array_free(b);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "integers", of_integers, 1 }, { "arguments", of_arguments, 1 },
        { "operands", of_operands, 1 }, { "many", of_many, 1 },
        { "arrays", of_arrays, 1 },
    };

    return SUITE("lists", cases);
}
