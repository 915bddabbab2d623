/* The entry on the host: launches, loops, branches and whiles over a device that is plain
 * memory and a few C functions, and writes down what it is asked. */

#include "codegen/host/host.h"
#include "ir/diag.h"
#include "tests/unit/suite.h"

enum { ADD_ONE = 1, HALVE, IS_LARGE, KERNELS };

static ir_arena arena;
static cg_module *m;
static cg_kernel *k;
static cg_build b;

/* ---- the device ---- */

typedef struct record {
    int launches, copies, reads, writes, calls;
    int refuse;                 /* the launch that fails; 0: none */
    int64_t blocks;
} record;

static cot_status
launch(void *self, int kernel, int64_t blocks, void *const *buffer, const int64_t *param)
{
    record *r = self;
    const float *x = buffer[0];

    r->blocks = blocks;
    if (++r->launches == r->refuse)
        return COT_ERR_TARGET;
    if (kernel == ADD_ONE)
        *(float *)buffer[1] = *x + (float)param[0];
    else if (kernel == HALVE)
        *(float *)buffer[1] = *x / 2;
    else
        *(uint8_t *)buffer[1] = *x > 1;
    return COT_OK;
}

static cot_status
copy(void *self, void *to, const void *from, size_t bytes)
{
    ((record *)self)->copies++;
    memcpy(to, from, bytes);
    return COT_OK;
}

static cot_status
read_bytes(void *self, const void *at, size_t bytes, void *to)
{
    ((record *)self)->reads++;
    memcpy(to, at, bytes);
    return COT_OK;
}

static cot_status
write_bytes(void *self, void *at, size_t bytes, const void *from)
{
    ((record *)self)->writes++;
    memcpy(at, from, bytes);
    return COT_OK;
}

/* A foreign function: y[i] = x[i] + scalar for all that is handed; answers their number. */
static cot_status
call(void *self, const cg_extern *x, const cg_handed *h, cot_dtype type, uint64_t *answer)
{
    ((record *)self)->calls++;
    ck_assert_int_eq(x->n, 3);
    ck_assert_int_eq(type, COT_I32);
    ck_assert(!h[0].writes && h[1].writes);
    ck_assert_uint_eq(h[0].bytes, 8);
    for (size_t i = 0; i < 2; i++)
        ((float *)h[1].at)[i] = ((const float *)h[0].at)[i] + (float)h[2].bits;
    *answer = 2;
    return COT_OK;
}

/* ---- modules ---- */

static void
setup(void)
{
    static const char *const name[KERNELS] = { "entry", "add", "halve", "large" };

    suite_begin();
    ir_arena_init(&arena, ctx);
    m = cg_module_new(ctx, &arena, "test");
    k = cg_kernel_new(m, name[0]);
    for (int i = 1; i < KERNELS; i++) {
        cg_kernel *callee = cg_kernel_new(m, name[i]);

        callee->n_params = i == ADD_ONE;
        cg_buffer_add(callee, "x", COT_F32, CG_IN, 1);
        cg_buffer_add(callee, "y", i == IS_LARGE ? COT_BOOL : COT_F32, CG_OUT, 1);
    }
    cg_begin(&b, k);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static uint32_t
buffer(cot_dtype t, cg_space space, int64_t n, int64_t offset)
{
    uint32_t i = cg_buffer_add(k, "b", t, space, n);

    if (space <= CG_OUT)
        k->buffer[i].arg = m->n_args++;
    k->buffer[i].offset = offset;
    return i;
}

static void
call_kernel(int kernel, uint32_t from, cg_val at, uint32_t to, cg_val put, cg_val param)
{
    cg_call_kernel(&b, kernel, (uint32_t[]){ from, to }, (cg_val[]){ at, put }, param ? 1 : 0,
                   &param);
}

static cot_status
run(record *r, void *const *args, void *work)
{
    const cg_device d = { .self = r,
                          .launch = launch,
                          .copy = copy,
                          .read = read_bytes,
                          .write = write_bytes,
                          .call = call };
    void *frame = malloc(cg_host_bytes(m));

    m->work_bytes = 64;
    cot_status status;

    ck_assert_msg(cg_verify(m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_host_check(m) == COT_OK, "%s", cot_error(ctx));
    status = cg_host_run(m, &d, args, work, frame);
    free(frame);
    return status;
}

/* y[2 i + 1] = x[i] + i, by offsets that the loop computes, through the work block. */
START_TEST(a_loop_launches_with_offsets)
{
    float x[4] = { 1, 2, 3, 4 }, y[8] = { 0 }, work[16] = { 0 };
    uint32_t in = buffer(COT_F32, CG_IN, 4, 0), out = buffer(COT_F32, CG_OUT, 8, 0);
    uint32_t t = buffer(COT_F32, CG_WORK, 1, 16);
    cg_val l = cg_loop_begin(&b, CG_SERIAL, cg_i64(&b, 0), cg_i64(&b, 4), 1, 0),
           i = cg_loop_var(&b, l);
    record r = { 0 };

    call_kernel(ADD_ONE, in, i, t, 0, i);
    cg_copy(&b, out, cg_iadd(&b, cg_imul(&b, i, 2), cg_i64(&b, 1)), t, cg_i64(&b, 0), 4);
    cg_loop_end(&b, l);
    ck_assert_int_eq(run(&r, (void *[]){ x, y }, work), COT_OK);
    for (int n = 0; n < 4; n++) {
        ck_assert(y[2 * n] == 0);
        ck_assert(y[2 * n + 1] == x[n] + (float)n);
    }
    ck_assert(work[4] == 7);
    ck_assert_int_eq(r.launches, 4);
    ck_assert_int_eq(r.copies, 4);
    ck_assert_int_eq(r.reads, 0);
    ck_assert(cg_host_is_straight(m));
}
END_TEST

/* y = x; while (y > 1) y /= 2, at most `most` times; returns how often in n. */
static void
halving(uint32_t x, uint32_t y, uint32_t n, int64_t most)
{
    uint32_t p = buffer(COT_BOOL, CG_WORK, 1, 0);
    cg_val zero = cg_i64(&b, 0), loop, count, go;

    cg_copy(&b, y, zero, x, zero, 4);
    loop = cg_while_begin(&b);
    count = cg_while_carry(&b, loop, COT_I64, zero);
    call_kernel(IS_LARGE, y, 0, p, 0, 0);
    go = cg_load(&b, p, zero, 0);
    cg_fail_if(&b,
               cg_insn2(&b, SC_and, COT_BOOL, go,
                        cg_insn2(&b, SC_le, COT_I64, cg_i64(&b, most), count)),
               COT_ERR_BOUND);
    cg_while_test(&b, loop, go);
    call_kernel(HALVE, y, 0, y, 0, 0);
    cg_while_next(&b, loop, count, cg_iadd(&b, count, cg_i64(&b, 1)));
    cg_while_end(&b, loop);
    cg_store(&b, n, zero, cg_loop_result(&b, loop, 0), 0);
}

START_TEST(a_while_reads_its_predicate)
{
    static const struct { int most, launches; cot_status status; float y; } row[] = {
        { 10, 7, COT_OK, 1 },
        { 3, 7, COT_OK, 1 },
        { 2, 5, COT_ERR_BOUND, 2 },
    };
    float x = 8, y = 0;
    int64_t n = -1;
    uint8_t work[64];
    record r = { 0 };
    uint32_t in = buffer(COT_F32, CG_IN, 1, 0), out = buffer(COT_F32, CG_OUT, 1, 0),
             count = buffer(COT_I64, CG_OUT, 1, 0);

    halving(in, out, count, row[_i].most);
    ck_assert_int_eq(run(&r, (void *[]){ &x, &y, &n }, work), row[_i].status);
    ck_assert(y == row[_i].y);
    ck_assert_int_eq(r.launches, row[_i].launches);
    ck_assert_int_eq(n, row[_i].status == COT_OK ? 3 : -1);
    ck_assert(!cg_host_is_straight(m));
}
END_TEST

/* The branch is taken by what memory says; it yields a number that the next launch takes. */
START_TEST(an_if_yields)
{
    float x = 1, y = 0;
    uint8_t p = (uint8_t)_i;
    uint32_t in = buffer(COT_F32, CG_IN, 1, 0), when = buffer(COT_BOOL, CG_IN, 1, 0);
    uint32_t out = buffer(COT_F32, CG_OUT, 1, 0);
    cg_val at = cg_if_begin(&b, cg_load(&b, when, cg_i64(&b, 0), 0));
    record r = { 0 };

    call_kernel(HALVE, in, 0, out, 0, 0);
    cg_if_else(&b, at);
    cg_if_yield(&b, at, COT_I64, cg_i64(&b, 5), cg_i64(&b, 7));
    cg_if_end(&b, at);
    call_kernel(ADD_ONE, out, 0, out, 0, cg_loop_result(&b, at, 0));
    ck_assert_int_eq(run(&r, (void *[]){ &x, &p, &y }, NULL), COT_OK);
    ck_assert(y == (_i ? 5.5f : 7.0f));
    ck_assert_int_eq(r.reads, 1);
}
END_TEST

/* Two carries that change places: each takes the other's old value. */
START_TEST(carries_move_at_once)
{
    float x = 0, y = 0;
    uint32_t in = buffer(COT_F32, CG_IN, 1, 0), out = buffer(COT_F32, CG_OUT, 1, 0);
    cg_val l = cg_loop_begin(&b, CG_SERIAL, cg_i64(&b, 0), cg_i64(&b, 3), 1, 0);
    cg_val p = cg_loop_carry(&b, l, COT_I64, cg_i64(&b, 100)),
           q = cg_loop_carry(&b, l, COT_I64, cg_i64(&b, 7));
    record r = { 0 };

    cg_loop_next(&b, l, p, q);
    cg_loop_next(&b, l, q, p);
    cg_loop_end(&b, l);
    call_kernel(ADD_ONE, in, 0, out, 0,
                cg_isub(&b, cg_loop_result(&b, l, 0), cg_loop_result(&b, l, 1)));
    ck_assert_int_eq(run(&r, (void *[]){ &x, &y }, NULL), COT_OK);
    ck_assert(y == -93);
}
END_TEST

START_TEST(a_foreign_function_is_handed_the_devices_memory)
{
    float x[3] = { 1, 2, 3 }, y[3] = { 0 };
    uint32_t in = buffer(COT_F32, CG_IN, 3, 0), out = buffer(COT_F32, CG_OUT, 3, 0),
             n = buffer(COT_I32, CG_OUT, 1, 0);
    cg_extern_arg arg[3] = { { .buffer = 1 + in, .offset = cg_i64(&b, 1) },
                             { .buffer = 1 + out, .writes = true },
                             { .type = COT_I64, .value = cg_i64(&b, 40) } };
    const cg_extern e = {
        .name = "lib.add", .symbol = "add", .prototype = "", .n = 3, .arg = arg
    };
    int32_t count = 0;
    record r = { 0 };

    cg_store(&b, n, cg_i64(&b, 0), cg_call_extern(&b, &e, COT_I32), 0);
    ck_assert_int_eq(run(&r, (void *[]){ x, y, &count }, NULL), COT_OK);
    ck_assert(y[0] == 42 && y[1] == 43 && y[2] == 0);
    ck_assert_int_eq(count, 2);
    ck_assert_int_eq(r.calls, 1);
}
END_TEST

START_TEST(a_failing_launch_ends_the_run)
{
    float x[4] = { 1, 2, 3, 4 }, y[4] = { 0 };
    uint32_t in = buffer(COT_F32, CG_IN, 4, 0), out = buffer(COT_F32, CG_OUT, 4, 0);
    cg_val l = cg_loop_begin(&b, CG_SERIAL, cg_i64(&b, 0), cg_i64(&b, 4), 1, 0);
    record r = { .refuse = 3 };

    call_kernel(HALVE, in, cg_loop_var(&b, l), out, cg_loop_var(&b, l), 0);
    cg_loop_end(&b, l);
    ck_assert_int_eq(run(&r, (void *[]){ x, y }, NULL), COT_ERR_TARGET);
    ck_assert_int_eq(r.launches, 3);
    ck_assert(y[1] == 1 && y[2] == 0);
}
END_TEST

/* What a host does not have is found before anything runs. */
START_TEST(a_vector_loop_is_no_entrys)
{
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, 4), 1, 0);

    cg_loop_end(&b, l);
    ck_assert_int_eq(cg_host_check(m), COT_ERR_INTERNAL);
}
END_TEST

START_TEST(the_manifest_lists_buffers_and_steps)
{
    static const float c[2] = { 1, 2 };
    uint32_t in = buffer(COT_F32, CG_IN, 1, 0), out = buffer(COT_F32, CG_OUT, 1, 0),
             table = buffer(COT_F32, CG_CONST, 2, 0);
    ir_buf text;

    k->buffer[table].data = c;
    halving(in, out, buffer(COT_I64, CG_OUT, 1, 0), 4);
    call_kernel(ADD_ONE, table, cg_i64(&b, 1), out, 0, cg_i64(&b, 3));
    ir_buf_init(&text, &arena);
    cg_host_print(&text, m);
    static const char *const part[] = {
        "{\"type\": \"f32\", \"size\": 4, \"bytes\": 8, \"constant\": \"AACAPwAAAEA=\"}",
        "\"work\": 0}",
        "\"argument\": 2}",
        "{\"copy\": 4, \"to\": [1, ",
        "{\"while\": ",
        "\"is\": \"le\", \"type\": \"i64\"",
        "\"status\": 8}",
        "{\"launch\": 1, \"buffers\": [[1], [1]], \"params\": []}",
        "{\"launch\": 0, \"buffers\": [[2, ",
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        ck_assert_msg(strstr(text.text, part[i]), "no %s in\n%s", part[i], text.text);
}
END_TEST

/* A loop in a while launches the same in each iteration and each run if its bounds and the
 * arguments of its launches are constants or functions of its own variable; not if they come
 * from memory, directly or through arithmetic, from the while's iterations, or from what a
 * branch yields. */
enum { CONSTANT, OWN, LOADED, OF_LOADED, OF_ITERATIONS, OF_A_BRANCH };

static cg_val
bound_of(int kind, uint32_t n, cg_val loaded, cg_val iteration, cg_val yielded)
{
    return kind == LOADED          ? loaded
           : kind == OF_LOADED     ? cg_imul(&b, loaded, 2)
           : kind == OF_ITERATIONS ? cg_iadd(&b, iteration, cg_i64(&b, 1))
           : kind == OF_A_BRANCH   ? yielded
                                   : cg_i64(&b, n);
}

START_TEST(loops_that_launch_the_same_are_captured)
{
    const bool early = _i % 2,
               last = _i / 2 % 2; /* the number is made outside; is a parameter */
    const int kind = _i / 4;
    const uint32_t x = buffer(COT_F32, CG_IN, 1, 0), size = buffer(COT_I64, CG_IN, 1, 0),
                   y = buffer(COT_F32, CG_OUT, 1, 0), p = buffer(COT_BOOL, CG_WORK, 1, 0);
    const cg_val zero = cg_i64(&b, 0), loaded = cg_load(&b, size, zero, 0),
                 branch = cg_if_begin(&b, cg_insn2(&b, SC_lt, COT_I64, zero, loaded));
    bool is[256] = { false }, any = false;

    cg_if_else(&b, branch);
    cg_if_yield(&b, branch, COT_I64, cg_i64(&b, 5), cg_i64(&b, 7));
    cg_if_end(&b, branch);
    const cg_val yielded = cg_loop_result(&b, branch, 0),
                 outside =
                     early && kind != OF_ITERATIONS ? bound_of(kind, 4, loaded, 0, yielded) : 0,
                 loop = cg_while_begin(&b), iteration = cg_while_carry(&b, loop, COT_I64, zero);
    call_kernel(IS_LARGE, y, 0, p, 0, 0);
    cg_while_test(&b, loop, cg_load(&b, p, zero, 0));
    const cg_val number = outside ? outside : bound_of(kind, 4, loaded, iteration, yielded),
                 inner =
                     cg_loop_begin(&b, CG_SERIAL, zero, last ? cg_i64(&b, 3) : number, 1, 0);
    call_kernel(ADD_ONE, x, 0, y, 0,
                kind == OWN ? cg_imul(&b, cg_loop_var(&b, inner), 3)
                : last      ? number
                            : cg_loop_var(&b, inner));
    cg_loop_end(&b, inner);
    cg_while_next(&b, loop, iteration, cg_iadd(&b, iteration, cg_i64(&b, 1)));
    cg_while_end(&b, loop);

    ck_assert_uint_le(k->n_insns, sizeof is / sizeof *is);
    ck_assert_int_eq(cg_host_captured_loops(m, is), kind <= OWN);
    for (cg_val v = 0; v < k->n_insns; v++)
        any |= is[v] && v != inner;
    ck_assert(is[inner] == (kind <= OWN) && !any);
}
END_TEST

/* Sizes lie in memory of the host: no device reads them.  They place a buffer, count blocks,
 * and end the call where there is nothing to do. */
START_TEST(sizes_are_the_hosts)
{
    static const struct {
        int64_t n;
        int launches;
    } row[] = { { 3, 1 }, { 0, 0 } };
    float x = 4, y = 0, work[16] = { 0 };
    const uint32_t in = buffer(COT_F32, CG_IN, 1, 0), out = buffer(COT_F32, CG_OUT, 1, 0),
                   t = buffer(COT_F32, CG_WORK, 1, 0), sizes = buffer(COT_I64, CG_IN, 1, 0);
    const int64_t *size = &row[_i].n;
    record r = { 0 };

    k->buffer[sizes].sizes = true;
    m->n_sizes = 1;
    const cg_val n = cg_load(&b, sizes, cg_i64(&b, 0), 0);
    cg_fail_if(&b, cg_insn2(&b, SC_le, COT_I64, n, cg_i64(&b, 0)), COT_OK);
    const cg_insn place = {
        .op = CG_PLACE, .type = COT_DTYPE_NONE, .imm = t, .in = { cg_imul(&b, n, 4) }
    };
    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, place);
    IR_PUSH(k->arena, k->body.insn, k->body.n, k->body.cap, k->n_insns - 1);
    k->buffer[t].placed = true;
    call_kernel(ADD_ONE, in, 0, t, 0, n);
    k->insn[k->body.insn[k->body.n - 1]].call->grid = n;
    cg_copy(&b, out, cg_i64(&b, 0), t, cg_i64(&b, 0), 4);
    ck_assert_int_eq(run(&r, (void *[]){ &x, &y, (void *)(uintptr_t)size }, work), COT_OK);
    ck_assert_int_eq(r.launches, row[_i].launches);
    ck_assert_int_eq(r.blocks, row[_i].n);
    ck_assert_int_eq(r.reads, 0);
    ck_assert(y == (row[_i].n ? 7 : 0) && work[3] == y);
    ck_assert(cg_host_is_straight(m));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(sizes_are_the_hosts, 2),
        EACH(loops_that_launch_the_same_are_captured, 4 * (OF_A_BRANCH + 1)),
        ONCE(a_loop_launches_with_offsets),
        EACH(a_while_reads_its_predicate, 3),
        EACH(an_if_yields, 2),
        ONCE(carries_move_at_once),
        ONCE(a_foreign_function_is_handed_the_devices_memory),
        ONCE(a_failing_launch_ends_the_run),
        ONCE(a_vector_loop_is_no_entrys),
        ONCE(the_manifest_lists_buffers_and_steps),
    };

    return SUITE_WITH("host", cases, setup, teardown);
}
