/* How often the loops of kernels run: nothing that gathers or scatters visits more elements
 * than it has, and gradients are added up where they end.  Counted in the text of the kernels,
 * whose bounds are numbers. */
#include "traced.h"

typedef struct text { char *at; size_t n; } text;

static void
keep(void *user, const char *s, size_t n)
{
    text *t = user;

    t->at = realloc(t->at, t->n + n + 1);
    memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = 0;
}

/* The iterations of "serial %1 in 0..100 step 8 {", or 0 if it is no loop. */
static double
iterations(const char *line)
{
    static const char *const kind[] = { "serial ", "vector ", "unroll ", "parallel " };
    const char *p = line + strspn(line, " "), *in;
    long long lo, hi, step = 1;
    bool loop = false;

    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        loop |= strncmp(p, kind[i], strlen(kind[i])) == 0;
    in = loop ? strstr(p, " in ") : NULL;
    if (!in || sscanf(in, " in %lld..%lld step %lld", &lo, &hi, &step) < 2)
        return 0;
    return (double)((hi - lo + step - 1) / step);
}

/* How many loads and stores run, and how many loops there are. */
static double
accesses(char *s, int *loops)
{
    double times[64] = { 1 }, count = 0;
    int depth = 0;

    for (char *line = strtok(s, "\n"); line; line = strtok(NULL, "\n")) {
        const size_t n = strlen(line);
        if (strstr(line, " load ") || strstr(line, " store "))
            count += times[depth];
        if (n && line[n - 1] == '{') {
            const double by = iterations(line);
            *loops += by > 0;
            times[depth + 1] = times[depth] * (by > 0 ? by : 1);
            depth++;
        } else if (n && line[strspn(line, " ")] == '}' && depth > 0) {
            depth--;
            depth += n && line[n - 1] == '{';
        }
    }
    return count;
}

enum { ROWS = 500, WIDTH = 24, TAKEN = 300 };

BODY(take, out[0] = cot_take(in[0], in[1], 0);)
BODY(take_with, out[0] = cot_reduce_sum(cot_mul(cot_take(in[0], in[1], 0), in[2]));)
BODY(add, out[0] = cot_index_add(in[0], COT_AT(in[1]), in[2]);)
BODY(largest, out[0] = cot_index_max(in[0], COT_AT(in[1]), in[2]);)
BODY(segments, out[0] = cot_segment_sum(in[2], in[1], ROWS);)
BODY(along_with, out[0] = cot_reduce_sum(cot_mul(cot_take_along(in[0], in[1], 1), in[2]));)
BODY(put, out[0] = cot_add_along(in[0], in[1], in[2], 1);)

typedef struct row {
    cot_body *body;
    bool grad, mapped, along;
} row;

static const row rows[] = {
    { take, false, false, false },     { take_with, true, false, false },
    { add, false, false, false },      { largest, false, false, false },
    { segments, false, false, false }, { along_with, true, false, true },
    { put, false, false, true },       { add, false, true, false },
    { take_with, true, true, false },
};

START_TEST(no_scatter_is_quadratic)
{
    const row *r = &rows[_i];
    const double elements = ROWS * WIDTH, taken = r->along ? ROWS * WIDTH : TAKEN * WIDTH;
    const int64_t n = r->along ? ROWS : TAKEN;
    cot_fn *f = cot_fn_new(ctx, "f", r->body, 3, 1, NULL);
    cot_types types =
        r->mapped  ? COT_TYPES(cot_f32(4, ROWS, WIDTH), cot_i32(4, n), cot_f32(4, n, WIDTH))
        : r->along ? COT_TYPES(cot_f32(ROWS, WIDTH), cot_i32(n, WIDTH), cot_f32(n, WIDTH))
                   : COT_TYPES(cot_f32(ROWS, WIDTH), cot_i32(n), cot_f32(n, WIDTH));
    cot_kernel *k;
    text t = { 0 };
    int loops = 0;

    if (r->grad)
        f = cot_grad(f);
    if (r->mapped)
        f = cot_vmap(f);
    if (cot_compile(f, types, NULL, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    ck_assert_int_eq(cot_dump_kernel(k, "kernels", keep, &t), COT_OK);
    const double count = accesses(t.at, &loops);
    ck_assert_int_gt(loops, 0);
    ck_assert_msg(count <= (r->mapped ? 4 : 1) * (2 * elements + 5 * taken),
                  "%g accesses for %g elements, of which %g taken", count, elements, taken);
    /* the gradient is added up in the result */
    if (r->grad)
        ck_assert_uint_lt(cot_kernel_work_bytes(k), (size_t)(elements * 4));
    free(t.at);
    cot_kernel_free(k);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(no_scatter_is_quadratic, sizeof rows / sizeof *rows),
    };

    return SUITE("counts", cases);
}
