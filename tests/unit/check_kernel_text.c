/* Kernel text means one module: what the lowering makes prints, reads back as the same, and
 * prints as the same text, for every width and for a GPU.  What is no such text is an error
 * with its line and column. */
#include "codegen/kernel/grid.h"
#include "codegen/lower.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "tests/laws/programs.h"
#include "tests/unit/matched.h"
#include "tests/unit/verified.h"

/* -- what is lowered -- */

static const struct {
    int bits, threads;
    bool fuse, grid;
} plans[] = {
    { 32, 1, true, false },  { 128, 1, true, false },  { 256, 2, true, false },
    { 512, 2, true, false }, { 128, 1, false, false }, { 0, 1, true, true },
};
enum { PLANS = sizeof plans / sizeof *plans, SEVENTH = 7 };

static cg_module *
read_back(ir_buf *text, ir_arena *a)
{
    cg_module *again;

    ck_assert_msg(cg_module_read(ctx, a, "printed", text->text, text->n, &again) == COT_OK,
                  "%s\n%s", cot_error(ctx), text->text);
    return again;
}

static bool
is_comparable(const cg_kernel *x)
{
    for (uint32_t v = 1; v < x->n_insns; v++)
        if (x->insn[v].op == CG_CALL || x->insn[v].op == CG_EXTERN)
            return false;
    return true;
}

/* The text reads back as the module; what was read from one text twice is the same, instruction
 * by instruction. */
static void
want_round_trip(const cg_module *lowered, ir_arena *a)
{
    ir_buf text, again;

    ir_buf_init(&text, a);
    ir_buf_init(&again, a);
    cg_module_print(&text, lowered);
    const cg_module *x = read_back(&text, a), *y = read_back(&text, a);
    cg_module_print(&again, x);
    ck_assert_str_eq(text.text, again.text);
    ck_assert_msg(modules_match(lowered, x, a), "another module is read:\n%s", text.text);
    for (uint32_t i = 0; i < x->n_kernels; i++)
        ck_assert_msg(!is_comparable(x->kernel[i]) ||
                          cg_kernel_same(x->kernel[i], y->kernel[i]),
                      "kernel %s differs from itself", x->kernel[i]->name);
}

static cg_module *
lowered_by(const ir_graph *f, int plan, ir_arena *a)
{
    cg_target t = { .vector_bits = plans[plan].bits,
                    .registers = 16,
                    .l1 = 32 << 10,
                    .l2 = 512 << 10,
                    .l3 = 8 << 20 };
    const cg_lower_options o = { .target = &t,
                                 .threads = plans[plan].threads,
                                 .fuse = plans[plan].fuse,
                                 .share_all = plans[plan].bits == 256 };
    cg_module *lowered;

    if (plans[plan].grid) {
        t = (cg_target){ 0 };
        cg_grid_target(&t);
    }
    ck_assert_msg(cg_lower(f, &o, a, &lowered) == COT_OK, "%s", cot_error(f->ctx));
    return lowered;
}

static void
round_trip(const ir_graph *f, int plan)
{
    ir_arena a;

    ir_arena_init(&a, f->ctx);
    want_round_trip(lowered_by(f, plan, &a), &a);
    ir_arena_free(&a);
}

static void
judge(const laws_program *p, const void *user)
{
    cot_context *outer = ctx;
    ir_graph *f;

    ctx = p->f->ctx;
    ck_assert_msg(pass_prepare(p->f, &f) == COT_OK, "%s", cot_error(ctx));
    round_trip(f, *(const int *)user);
    ctx = outer;
}

START_TEST(programs_of_the_laws)
{
    laws_each(_i, SEVENTH, laws_count(), false, judge, &(int){ _i });
    ck_assert_int_eq(laws_failures, 0);
}
END_TEST

/* -- names and numbers -- */

static void
text_of(ir_buf *text)
{
    ir_buf_init(text, &arena);
    cg_module_print(text, m);
}

/* Two buffers of a name, names that are no words, and every kind of NaN. */
START_TEST(names_are_distinct)
{
    static const char *const name[] = { "x", "x", "x.1", "a b", "one", "", "9", "\"\\\n" };
    ir_buf text;

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const uint32_t to = cg_buffer_add(k, name[i], COT_F32, CG_OUT, 4);
        k->buffer[to].arg = (int)i;
        cg_store(&b, to, number(0), cg_const(&b, COT_F32, i), 0);
    }
    m->n_args = (int)k->n_buffers;
    text_of(&text);
    ck_assert_ptr_nonnull(strstr(text.text, "  out x: f32[4]\n  out x.2: f32[4]\n"
                                            "  out x.1: f32[4]\n  out \"a b\": f32[4]\n"
                                            "  out \"one\": f32[4]\n  out \"\": f32[4]\n"
                                            "  out \"9\": f32[4]\n  out \"\\22\\5c\\0a\""));
    ck_assert_ptr_nonnull(strstr(text.text, "store x.2[0] = 1e-45\n"));
    want_round_trip(m, &arena);
}
END_TEST

START_TEST(constants_to_the_bit)
{
    static const struct {
        cot_dtype type;
        uint64_t bits;
        const char *text;
    } row[] = {
        { COT_F32, 0x7fc00000, " nan\n" },
        { COT_F32, 0xffc00000, " -nan\n" },
        { COT_F32, 0x7fc00001, " 0x7fc00001\n" },
        { COT_F32, 0xff800001, " 0xff800001\n" },
        { COT_F32, 0x80000000, " -0\n" },
        { COT_F32, 0xff800000, " -inf\n" },
        { COT_F32, 0x00000001, " 1e-45\n" },
        { COT_F32, 0x3dcccccd, " 0.1\n" },
        { COT_F64, 0x7ff8000000000000, " nan\n" },
        { COT_F64, 0xfff0000000000001, " 0xfff0000000000001\n" },
        { COT_F64, 0x3fb999999999999b, " 0.10000000000000002\n" },
        { COT_F16, 0x7e01, " 0x7e01\n" },
        { COT_BF16, 0x8000, " 0x8000\n" },
        { COT_I64, 0x8000000000000000, " -9223372036854775808\n" },
        { COT_U64, 0xffffffffffffffff, " 18446744073709551615\n" },
        { COT_I8, 0x80, " -128\n" },
        { COT_U8, 0xff, " 255\n" },
        { COT_BOOL, 1, " true\n" },
    };
    const uint32_t to = cg_buffer_add(k, "y", row[_i].type, CG_OUT, 1);
    ir_buf text;

    m->n_args = 1;
    cg_store(&b, to, number(0), cg_const(&b, row[_i].type, row[_i].bits), 0);
    text_of(&text);
    ck_assert_msg(strstr(text.text, row[_i].text) != NULL, "%s", text.text);
    want_round_trip(m, &arena);
}
END_TEST
enum { CONSTANTS = 18 };

/* -- mistakes -- */

#define HEAD "module f {\nkernel f {\n  in x: f32[8]\n  out y: f32[8]\n"

START_TEST(mistakes_have_a_place)
{
    static const struct {
        const char *text, *want;
    } row[] = {
        { "", "text:1: found the end of the text in column 1; wants 'module'" },
        { "module f {\n}\n", "text:2: found '}' in column 1; wants 'kernel'" },
        { HEAD "  store y[0] = 1:f64\n}\n}\n", "text:5: found '1:f64' in column 16" },
        { HEAD "  %1 = load f32 x[%2]\n}\n}\n",
          "text:5: found '%2]' in column 19; wants a value that is defined above" },
        { HEAD "  %1 = load f64 x[0]\n}\n}\n", "in column 17; wants a buffer of f64" },
        { HEAD "  %1 = sqrt i64 0\n}\n}\n", "in column 13; wants a type that sqrt is defined" },
        { HEAD "  %1 = fast f32 0\n}\n}\n", "wants an instruction before this, which fast" },
        { HEAD "  jump\n}\n}\n", "wants a statement before this, which jump is not" },
        { HEAD "  %1 = cvt i64 3\n}\n}\n", "wants a value, or a number with its type" },
        { HEAD "  in y: f32[8]\n}\n}\n", "wants a name that no buffer of the kernel has" },
        { HEAD "}\nkernel f {\n}\n}\n", "text:6: found 'f' in column 8; wants a name that no" },
        { HEAD "  call f(x, y)\n}\n}\n", "wants the name of a kernel of the module but the" },
        { HEAD "  call g(x, y)\n}\n}\n", "wants the name of a kernel of the module but the" },
        { HEAD "  %1 = load f32 x[0]\n  %1 = load f32 x[1]\n}\n}\n",
          "text:6: found '%1' in column 3; wants a number that no value of the kernel has" },
        { HEAD "  serial %1 in 0..8 {\n    yield %1\n  }\n}\n}\n", "no more values than the" },
        { HEAD "  %2 = serial %1 in 0..8 {\n  }\n}\n}\n", "wants 0 names of results" },
        { HEAD "  if true {\n    %1 = load f32 x[0]\n  }\n  store y[0] = %1\n}\n}\n",
          "text:8: found '%1' in column 16; wants a value that is defined above" },
        { HEAD "  %1 = slow_path f32 true, 1 (2:f32) of #1\n}\n}\n",
          "text:5: found '1' in column 42; wants the hash of a slow path of this library" },
        { HEAD "  fail never if true\n}\n}\n", "wants the name of a status" },
        { HEAD "  store y[$0] = 0\n}\n}\n", "wants a parameter that the kernel has" },
        { HEAD "  store y[8] = 0\n}\n}\n", "text:5: the kernel is refused: " },
        { HEAD "  store x[0] = 0\n}\n}\n", "the kernel is refused: kernel f" },
        { "module f {\nkernel f {\n  const c: f32[3] = [1, 2]\n}\n}\n",
          "text:3: found ']' in column 26; wants ','" },
        { "module f {\nkernel f {\n}\nkernel g plans {\n  call h()\n}\nkernel h plans {\n"
          "  call g()\n}\n}\n",
          "wants kernels that call each other at most" },
    };
    cg_module *read;

    const cot_status status =
        cg_module_read(ctx, &arena, "text", row[_i].text, strlen(row[_i].text), &read);
    ck_assert_int_eq(status, COT_ERR_PARSE);
    ck_assert_msg(strstr(cot_error(ctx), row[_i].want) != NULL, "%s\nwants %s", cot_error(ctx),
                  row[_i].want);
    ck_assert_ptr_null(read);
}
END_TEST
enum { MISTAKES = 24 };

/* Blocks within each other beyond the limit are an error, however many there are. */
START_TEST(nesting_is_bounded)
{
    ir_buf text;
    cg_module *read;

    ir_buf_init(&text, &arena);
    ir_buf_str(&text, HEAD);
    for (int i = 0; i < 100000; i++)
        ir_buf_str(&text, "if true {\n");
    ck_assert_int_eq(cg_module_read(ctx, &arena, "text", text.text, text.n, &read),
                     COT_ERR_PARSE);
    ck_assert_msg(strstr(cot_error(ctx), "256 blocks within each other") != NULL, "%s",
                  cot_error(ctx));
}
END_TEST

/* -- texts with a mistake anywhere -- */

static const char whole[] = "module f work 64 {\n"
                            "kernel f {\n"
                            "  in x: f32[8] align 16\n"
                            "  out y: f32[8] align 16 over x\n"
                            "  const c: i64[2] = [1, -2]\n"
                            "  work t: f32[8] at 0 align 64\n"
                            "  call g(t, x + 0, 1)\n"
                            "  %1 = load i64 c[0] if true\n"
                            "  %2 = cvt f32 %1\n"
                            "  %4 = while (%5: f32 = %2) {\n"
                            "    %6 = lt f32 %5, nan\n"
                            "    test %6\n"
                            "    yield 1.5\n"
                            "  }\n"
                            "  %7 = table f32 3 of [1, 2, 3, 4]\n"
                            "  store y[0] = %4 if true\n"
                            "  %8 = extern i32 c_f(x, writes y + 3, 2:i64) of name"
                            " as \"int c_f(const float *in0, float *out0, long data0)\"\n"
                            "  extern other(address, x) packed\n"
                            "  fail foreign if false\n"
                            "  copy 32 bytes y[0] <- t[0]\n"
                            "}\n"
                            "kernel g(1) {    ; a note\n"
                            "  out y: f32[8]\n"
                            "  in \"x y\": f32[8] streams\n"
                            "  %1 = serial %2 in 0..8 step 2 (%3: f32 = -0) {\n"
                            "    %4 = add i64 %2, $0\n"
                            "    %5 = load f32 \"x y\"[%2]\n"
                            "    prefetch y[%4]\n"
                            "    yield %5\n"
                            "  }\n"
                            "  %6 = vector %7 in 0..8 limit 5 {\n"
                            "    yield fold add 1:f32\n"
                            "  }\n"
                            "  %8, %9 = if true {\n"
                            "    yield %1, 0:i64\n"
                            "  } else {\n"
                            "    yield %6, 3:i64\n"
                            "  }\n"
                            "  store y[0] = %8\n"
                            "  barrier\n"
                            "}\n"
                            "kernel h alone {\n"
                            "  in x: f16[64] align 16\n"
                            "  shared s: f16[64] align 16\n"
                            "  local l: f16[8] align 16\n"
                            "  block %1 in 0..32 {\n"
                            "    fetch s[0] <- x[0] of 8\n"
                            "    fetch one s[0] <- x[0]\n"
                            "    commit\n"
                            "    arrive but 0\n"
                            "    fragment l[0] <- s[0] columns\n"
                            "    mma f16 l[0] += l[0] * l[4]\n"
                            "  }\n"
                            "}\n"
                            "}\n";

/* Words, numbers and signs between blanks and brackets. */
static size_t
token_length(const char *s)
{
    const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.$%#");

    return n ? n : 1;
}

static void
want_no_crash(const ir_buf *text)
{
    char *exact = malloc(text->n + 1); /* so that a sanitizer sees a read past its end */
    cg_module *read;
    ir_buf again;

    ck_assert_ptr_nonnull(exact);
    if (text->n)
        memcpy(exact, text->text, text->n);
    cot_error_clear(ctx);
    if (cg_module_read(ctx, text->arena, "text", exact, text->n, &read) == COT_OK) {
        ir_buf_init(&again, text->arena);
        cg_module_print(&again, read);
        want_round_trip(read, text->arena);
    } else {
        ck_assert_str_ne(cot_error(ctx), "");
        ck_assert_int_eq(cot_error_status(ctx), COT_ERR_PARSE);
    }
    free(exact);
}

/* Each token left out, written twice, or another one in its place. */
static void
change_each_token(const char *from)
{

    static const char *const other[] = { "",   "0",   "-1",  "%1",     "x",
                                         "}",  "{",   "if",  "..",     "\"",
                                         "%9", "nan", "f64", "yield",  "true",
                                         "$0", ",",   "\n",  "serial", "99999999999" };

    for (const char *s = from; *s; s += token_length(s)) {
        const size_t n = token_length(s);
        for (size_t i = 0; i <= sizeof other / sizeof *other && *s != ' '; i++) {
            ir_arena a;
            ir_buf text;
            ir_arena_init(&a, ctx);
            ir_buf_init(&text, &a);
            ir_buf_add(&text, from, (size_t)(s - from) + (i ? 0 : n));
            ir_buf_str(&text, i ? other[i - 1] : " ");
            ir_buf_str(&text, s + (i ? n : 0));
            want_no_crash(&text);
            ir_arena_free(&a);
        }
    }
}

START_TEST(any_token_is_wrong)
{
    cg_module *read;

    ck_assert_msg(cg_module_parse(ctx, &arena, "text", whole, sizeof whole - 1, &read) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    change_each_token(whole);
}
END_TEST

/* Of kernels that are verified: most changes get beyond the parser. */
START_TEST(any_token_of_a_lowered_kernel)
{
    static const char text[] = "fn @f(%x: f32[9,1041]) -> f32[9] {\n"
                               "  %0 = tanh %x : f32[9,1041]\n"
                               "  %1 = reduce_sum %0 {axes=[1]} : f32[9]\n"
                               "  ret %1\n"
                               "}\n";
    ir_module parsed;
    ir_graph *f;
    ir_buf out;

    ck_assert_int_eq(ir_parse(ctx, "f.cot", text, strlen(text), &parsed), COT_OK);
    ck_assert_int_eq(pass_prepare(parsed.fn[0], &f), COT_OK);
    ir_buf_init(&out, &arena);
    cg_module_print(&out, lowered_by(f, _i ? PLANS - 1 : 2, &arena));
    change_each_token(out.text);
}
END_TEST

/* The text up to each of its bytes. */
START_TEST(any_text_ends_too_early)
{
    ir_buf text;

    ir_buf_init(&text, &arena);
    for (const char *s = whole; *s; s++) {
        want_no_crash(&text);
        ir_buf_add(&text, s, 1);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(programs_of_the_laws, PLANS),
        ONCE(names_are_distinct),
        EACH(constants_to_the_bit, CONSTANTS),
        EACH(mistakes_have_a_place, MISTAKES),
        ONCE(nesting_is_bounded),
        ONCE(any_token_is_wrong),
        EACH(any_token_of_a_lowered_kernel, 2),
        ONCE(any_text_ends_too_early),
    };

    return SUITE_WITH("kernel_text", cases, verified_begin, verified_end);
}
