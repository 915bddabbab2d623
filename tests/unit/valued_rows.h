/* The rows of the file VALUED_ROWS as bodies, functions that run them and a table of these. */
#define LIST(...) __VA_ARGS__
#define INTS(t, n, ...) cot_constant(t, cot_i32(n), ((const int32_t[]){ __VA_ARGS__ }))

#define ROW(name, n, types, in, type, tolerance, smooth, want, ...) BODY(f_##name, __VA_ARGS__)
#include VALUED_ROWS
#undef ROW
/* The arrays of a row are made where it runs. */
#define ROW(name, n, types, in, type, tolerance, smooth, want, ...)                            \
    static void run_##name(void)                                                               \
    {                                                                                          \
        run_valued(&(const valued){ #name, f_##name, n, { LIST types }, { LIST in }, type,     \
                                    AT want, tolerance, smooth });                             \
    }
#include VALUED_ROWS
#undef ROW
#define ROW(name, ...) run_##name,
static void (*const rows[])(void) = {
#include VALUED_ROWS
};
#undef ROW

START_TEST(row)
{
    rows[_i]();
}
END_TEST
#define ROWS { "row", row, sizeof rows / sizeof *rows }
