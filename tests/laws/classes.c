/* Programs with free axes by their numbers: the rows of class_rows.h, each at the sizes that
 * matter and at every element type that it takes. */
#include "tests/laws/classes.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/laws/class_rows.h"
#include "tests/sizes.h"

static int
axes_of(const row *r)
{
    return r->axes & ~SMOOTH;
}

/* Size s of one axis: those that matter, then the large ones. */
static int64_t
one_size(int s)
{
    return s < SIZES_MATTER ? sizes_that_matter[s] : sizes_large[s - SIZES_MATTER];
}

static bool
is_smooth(int64_t n)
{
    for (int64_t d = 2; d <= 13 && n > 1; d++)
        while (n % d == 0)
            n /= d;
    return n == 1;
}

/* Pair s: all of the most telling sizes; then every size that matters on one axis with 3 or 17
 * on the other. */
static bool
size_of(const row *r, int s, int64_t *n, int64_t *m)
{
    const int pairs = (int)sizes_rows(SIZES_FEW);

    *m = 1;
    if (axes_of(r) == 1) {
        *n = one_size(s);
    } else if (s < pairs) {
        *n = sizes_row(sizes_few, SIZES_FEW, s, 0);
        *m = sizes_row(sizes_few, SIZES_FEW, s, 1);
    } else {
        const int64_t long_one = sizes_that_matter[(s - pairs) / 2],
                      short_one = (s - pairs) % 4 < 2 ? 3 : 17;
        *n = (s - pairs) % 2 ? short_one : long_one;
        *m = (s - pairs) % 2 ? long_one : short_one;
    }
    if ((r->axes & SMOOTH) && !is_smooth(axes_of(r) == 1 ? *n : *m))
        return false;
    return *n >= r->least && *n * *m <= r->most && (axes_of(r) == 1 || *m >= r->least);
}

static int
sizes_of(const row *r)
{
    return axes_of(r) == 1 ? SIZES_MATTER + SIZES_LARGE
                           : (int)sizes_rows(SIZES_FEW) + 2 * SIZES_MATTER;
}

/* The type of each number in the row's size. */
static int
types_of(const row *r, cot_dtype *out)
{
    int n = 0;

    for (int t = COT_BOOL; t < COT_DTYPE_COUNT; t++)
        if (laws_has(r->types, (cot_dtype)t))
            out[n++] = (cot_dtype)t;
    return n;
}

/* The programs of one row: for each of its sizes the types.  They are counted once, for every
 * program of a process asks. */
static int
row_count(int i)
{
    static int counted[ROWS];
    cot_dtype t[COT_DTYPE_COUNT];
    int64_t n, m;
    int count = 0;

    if (counted[i])
        return counted[i] - 1;
    for (int s = 0; s < sizes_of(&rows[i]); s++)
        count += size_of(&rows[i], s, &n, &m);
    count *= types_of(&rows[i], t);
    counted[i] = count + 1;
    return count;
}

int
classes_count(void)
{
    int count = 0;

    for (int i = 0; i < ROWS; i++)
        count += row_count(i);
    return count;
}

static uint64_t
mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

int
classes_sample(uint64_t seed, int k)
{
    const int r = (int)(((uint64_t)k + seed) % ROWS);
    int first = 0;

    for (int i = 0; i < r; i++)
        first += row_count(i);
    return first +
           (int)(mixed(seed * 0x9E3779B97F4A7C15u + (uint64_t)k + 1) % (uint64_t)row_count(r));
}

/* Number i as a row, a size and a type. */
static const row *
find(int i, class_program *p)
{
    cot_dtype t[COT_DTYPE_COUNT];
    int types;

    for (p->row = 0; i >= row_count(p->row); p->row++)
        i -= row_count(p->row);
    types = types_of(&rows[p->row], t);
    p->type = t[i % types];
    i /= types;
    for (p->size = 0;; p->size++)
        if (size_of(&rows[p->row], p->size, &p->n, &p->m) && i-- == 0)
            return &rows[p->row];
}

const char *
classes_find(int i, class_program *out)
{
    return find(i, out)->op;
}

/* The expression at s, from left to right, up to >. */
static int64_t
value_of(const char **s, int64_t n, int64_t m)
{
    int64_t v = 0;
    char op = '+';

    for (; **s != '>'; ++*s) {
        char *end;
        const int64_t x = **s == 'n' ? n : **s == 'm' ? m : strtol(*s, &end, 10);
        *s = **s == 'n' || **s == 'm' ? *s + 1 : end;
        v = op == '+' ? v + x : op == '-' ? v - x : op == '*' ? v * x : v / x;
        op = **s;
        if (op == '>')
            break;
    }
    return v;
}

static const char *
with_sizes(ir_arena *a, const char *text, int64_t n, int64_t m)
{
    ir_buf b;

    ir_buf_init(&b, a);
    for (; *text; text++)
        if (*text == '<') {
            text++;
            ir_buf_printf(&b, "%lld", (long long)value_of(&text, n, m));
        } else {
            ir_buf_add(&b, text, 1);
        }
    return b.text;
}

static bool
make(cot_context *ctx, const row *r, class_program *p)
{
    const char *text = with_sizes(&ctx->arena, r->text, p->n, p->m);
    ir_module m;

    p->law.op = r->op;
    p->law.lo = r->lo;
    p->law.hi = r->hi;
    p->law.text = laws_substitute(&ctx->arena, text, cot_dtype_name(p->type));
    if (ir_parse(ctx, "class.cot", p->law.text, strlen(p->law.text), &m) != COT_OK)
        return false;
    p->law.f = m.fn[m.n - 1];
    return true;
}

bool
classes_make(cot_context *ctx, int i, class_program *p)
{
    const row *r = find(i, p);

    p->law = (laws_program){ .number = i };
    return make(ctx, r, p);
}

int
classes_rows(void)
{
    return ROWS;
}

bool
classes_axes_are_two(int r)
{
    return axes_of(&rows[r]) == 2;
}

bool
classes_at(cot_context *ctx, int r, cot_dtype t, int64_t n, int64_t m, class_program *p)
{
    *p = (class_program){ .row = r, .type = t, .n = n, .m = m };
    if (!laws_has(rows[r].types, t) || n < rows[r].least ||
        (axes_of(&rows[r]) == 2 && m < rows[r].least))
        return false;
    return make(ctx, &rows[r], p);
}

/* Half of the indices are anywhere in the axis, or a little beyond. */
static void
spread_indices(uint64_t *seed, int64_t n, const ir_type *t, void *array)
{
    for (int64_t i = 0; i < t->size; i++)
        if (laws_uniform(seed) < 0.5)
            laws_store(t->dtype, array, i,
                       (double)(int64_t)(laws_uniform(seed) * (double)(n + 2)));
}

void **
classes_operands(const class_program *p)
{
    uint64_t seed = 7000 + (uint64_t)p->law.number;
    const ir_graph *f = p->law.f;
    void **in = laws_sample(f, &seed, p->law.lo, p->law.hi,
                            p->law.number % 4 ? laws_fill : laws_fill_special);

    for (int i = 0; i < f->n_in; i++)
        if (strchr("ij", f->in_name[i][0]))
            spread_indices(&seed, p->n, ir_type_at(f, f->in[i]), in[i]);
    return in;
}
