/* Forms from their values at sample sizes.
 *
 * The terms are chosen from a finite set, fewest first: products of up to three sizes, and
 * quotients of the polynomials that were met before by the widths of vectors and blocks.  The
 * factors are the solution of linear equations, rounded, which must then give every value
 * exactly.  Samples are more than unknowns, so that a wrong choice of terms is refuted by those
 * that were not needed to solve.
 *
 * Where a size is no multiple of a divisor, a quotient rounded up is the one rounded down plus
 * 1.  The form is always in terms of the latter: loops over whole blocks and the partial block
 * behind them then agree on which elements are whose at the multiples, too, where the partial
 * block is empty. */
#include "codegen/open/form.h"

#include <math.h>

#include "codegen/kernel/affine.h"

/* By which kernels divide extents: lanes of vectors, tiles, blocks of sums. */
static const int16_t divisors[] = { 2,  4,  8,  16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                    6,  12, 24, 48, 96, 14, 28,  56,  192, 384,  3,    5,
                                    10, 20, 40, 7,  9,  18, 36,  80,  160, 320,  640 };
enum {
    DIVISORS = (int)(sizeof divisors / sizeof *divisors),
    MAX_UNKNOWNS = 1 + CG_MAX_TERMS + CG_MAX_QUOTIENTS,
    MAX_SAMPLES = 16,
    MAX_PRODUCTS = CG_MAX_SIZES * (CG_MAX_SIZES + 1) * (CG_MAX_SIZES + 2),
    MAX_DIVISORS = 64,
    MOST_DIVISOR = 1 << 20,
    MOST_SHIFT = 16
};

void
cg_add_base(cg_samples *s, const cg_polynomial *p)
{
    for (uint32_t i = 0; i < s->n_bases; i++)
        if (cg_polynomial_same(&s->base[i], p))
            return;
    IR_PUSH(s->arena, s->base, s->n_bases, s->cap_bases, *p);
}

void
cg_add_divisor(cg_samples *s, int64_t d)
{
    if (d < 2 || d > MOST_DIVISOR || s->n_divisors == MAX_DIVISORS)
        return;
    for (int i = 0; i < DIVISORS; i++)
        if (divisors[i] == d)
            return;
    for (uint32_t i = 0; i < s->n_divisors; i++)
        if (s->divisor[i] == d)
            return;
    IR_PUSH(s->arena, s->divisor, s->n_divisors, s->cap_divisors, d);
}

/* Is x the polynomial y times a factor? */
static bool
is_multiple(const cg_polynomial *x, const cg_polynomial *y, int64_t factor)
{
    cg_polynomial z = *y;

    z.constant *= factor;
    for (int i = 0; i < z.n; i++)
        z.term[i].factor *= factor;
    return cg_polynomial_same(x, &z);
}

void
cg_add_length(cg_samples *s, const cg_size_form *f)
{
    cg_size_form own = *f;

    if (f->n != 1 || f->quotient[0].times)
        return;
    /* n - n/2 is (n + 1)/2 */
    if (f->quotient[0].divisor == 2 &&
        is_multiple(&f->whole, &f->quotient[0].of, -f->quotient[0].factor))
        own.quotient[0].of.constant++;
    for (uint32_t i = 0; i < s->n_lengths; i++)
        if (s->length[i].quotient[0].divisor == own.quotient[0].divisor &&
            cg_polynomial_same(&s->length[i].quotient[0].of, &own.quotient[0].of))
            return;
    IR_PUSH(s->arena, s->length, s->n_lengths, s->cap_lengths, own);
}

/* The next choice of `degree` sizes, in ascending order with repetition; false: that was the
 * last one. */
static bool
next_product(cg_size_term *t, int sizes)
{
    int k = t->degree - 1;

    while (k >= 0 && t->size[k] == sizes - 1)
        k--;
    if (k < 0)
        return false;
    const uint8_t next = (uint8_t)(t->size[k] + 1);
    for (; k < t->degree; k++)
        t->size[k] = next;
    return true;
}

/* All products of up to CG_MAX_DEGREE sizes. */
static int
products(const cg_samples *s, cg_size_term *out)
{
    int n = 0;

    for (int degree = 1; degree <= CG_MAX_DEGREE; degree++) {
        cg_size_term t = { .factor = 1, .degree = degree };

        do
            out[n++] = t;
        while (next_product(&t, s->sizes));
    }
    return n;
}

/* An attempt: the form has these terms and quotients, with unknown factors. */
static int64_t
column(const cg_samples *s, const cg_size_form *f, int c, int sample)
{
    const int64_t *size = s->size + (ptrdiff_t)sample * s->sizes;

    return c == 0            ? 1
           : c <= f->whole.n ? cg_term_at(&f->whole.term[c - 1], size)
                             : cg_quotient_at(f, c - 1 - f->whole.n, size);
}

/* Numbers modulo the prime 2^31 - 1. */
static const int64_t prime = 2147483647;

static int64_t
modulo(int64_t x)
{
    const int64_t rest = x % prime;

    return rest < 0 ? rest + prime : rest;
}

/* Is the determinant of n rows 0? */
static bool
is_singular(int64_t row[][MAX_UNKNOWNS], int n)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;

        while (pivot < n && row[pivot][c] == 0)
            pivot++;
        if (pivot == n)
            return true;
        for (int j = c; pivot > c && j < n; j++) {
            const int64_t x = row[c][j];
            row[c][j] = row[pivot][j];
            row[pivot][j] = x;
        }
        for (int i = c + 1; i < n; i++) {
            const int64_t by = row[i][c];
            for (int j = c; by && j < n; j++)
                row[i][j] = modulo(row[i][j] * row[c][c] - row[c][j] * by);
        }
    }
    return false;
}

/* May the values be a sum of multiples of the columns?  Then the differences between the first
 * few samples are dependent, which few wrong choices of terms satisfy.  What is so in whole
 * numbers is so modulo a prime. */
static bool
may_be(const cg_samples *s, const int64_t *value, const cg_size_form *f)
{
    const int n = 1 + f->whole.n + f->n;
    int64_t row[MAX_UNKNOWNS][MAX_UNKNOWNS], first[MAX_UNKNOWNS];

    if (n >= s->n)
        return true;
    for (int i = 0; i <= n; i++)
        for (int c = 0; c < n; c++) {
            const int64_t x = modulo(c ? column(s, f, c, i) : value[i]);

            if (i == 0)
                first[c] = x;
            else
                row[i - 1][c] = modulo(x - first[c]);
        }
    return is_singular(row, n);
}

static void
swap_rows(long double *x, long double *y, int n)
{
    for (int i = 0; i < n; i++) {
        const long double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* Gauss and Jordan's elimination of the first n columns; false: they are dependent. */
static bool
eliminate(long double row[][MAX_UNKNOWNS + 1], int rows, int n)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;

        for (int i = c + 1; i < rows; i++)
            if (fabsl(row[i][c]) > fabsl(row[pivot][c]))
                pivot = i;
        if (fabsl(row[pivot][c]) < 1e-6L)
            return false;
        swap_rows(row[c], row[pivot], n + 1);
        for (int i = 0; i < rows; i++) {
            const long double by = i == c ? 0 : row[i][c] / row[c][c];
            for (int j = c; by != 0 && j <= n; j++)
                row[i][j] -= by * row[c][j];
        }
    }
    return true;
}

/* Find the factors of f for these values, and check them. */
static bool
solve(const cg_samples *s, const int64_t *value, cg_size_form *f)
{
    long double row[MAX_SAMPLES][MAX_UNKNOWNS + 1];
    const int n = 1 + f->whole.n + f->n;

    for (int i = 0; i < f->whole.n; i++)
        f->whole.term[i].factor = 1;
    for (int i = 0; i < f->n; i++)
        f->quotient[i].factor = 1;
    f->whole.constant = 0;
    if (n > s->n || !may_be(s, value, f))
        return false;
    for (int i = 0; i < s->n; i++) {
        for (int c = 0; c < n; c++)
            row[i][c] = (long double)column(s, f, c, i);
        row[i][n] = (long double)value[i];
    }
    if (!eliminate(row, s->n, n))
        return false;
    f->whole.constant = llroundl(row[0][n] / row[0][0]);
    for (int c = 1; c < n; c++)
        *(c <= f->whole.n ? &f->whole.term[c - 1].factor
                          : &f->quotient[c - 1 - f->whole.n].factor) =
            llroundl(row[c][n] / row[c][c]);
    for (int i = 0; i < s->n; i++)
        if (cg_form_at(f, s->size + (ptrdiff_t)i * s->sizes) != value[i])
            return false;
    return true;
}

/* Try the quotients of f with `terms` products besides, of those from `from` on. */
static bool
with_products(const cg_samples *s, const int64_t *value, int terms, int from,
              const cg_size_term *product, int n, cg_size_form *f)
{
    if (terms == 0)
        return solve(s, value, f);
    for (int i = from; i < n; i++) {
        f->whole.term[f->whole.n++] = product[i];
        if (with_products(s, value, terms - 1, i + 1, product, n, f))
            return true;
        f->whole.n--;
    }
    return false;
}

static bool
is_constant(const cg_samples *s, const int64_t *value)
{
    for (int i = 1; i < s->n; i++)
        if (value[i] != value[0])
            return false;
    return true;
}

bool
cg_fit_polynomial(cg_samples *s, const int64_t *value, cg_polynomial *out)
{
    cg_size_term product[MAX_PRODUCTS];
    const int n = products(s, product);

    for (int terms = is_constant(s, value) ? 0 : 1; terms <= CG_MAX_TERMS; terms++) {
        cg_size_form f = { 0 };

        if (!with_products(s, value, terms, 0, product, n, &f))
            continue;
        *out = f.whole;
        return true;
    }
    return false;
}

/* Try the quotients of lengths, by themselves or times a size, and products besides. */
static bool
known_quotient(const cg_samples *s, const int64_t *value, const cg_size_term *product, int n,
               int terms, cg_size_form *out)
{
    for (uint32_t i = 0; i < s->n_lengths; i++)
        for (int times = 0; times <= s->sizes; times++) {
            cg_size_form f = { .n = 1 };

            f.quotient[0] = s->length[i].quotient[0];
            f.quotient[0].times = times;
            if (with_products(s, value, terms, 0, product, n, &f)) {
                *out = f;
                return true;
            }
        }
    return false;
}

/* Try forms with one quotient, of base x, and up to two products. */
static bool
one_quotient(const cg_samples *s, const int64_t *value, const cg_size_term *product, int n,
             uint32_t x, int terms, cg_size_form *out)
{
    for (int d = 0; d < DIVISORS + (int)s->n_divisors; d++)
        for (int times = 0; times <= s->sizes; times++) {
            cg_size_form f = { .n = 1 };

            f.quotient[0].divisor = d < DIVISORS ? divisors[d] : s->divisor[d - DIVISORS];
            f.quotient[0].times = times;
            f.quotient[0].of = s->base[x];
            if (with_products(s, value, terms, 0, product, n, &f)) {
                *out = f;
                return true;
            }
        }
    return false;
}

/* -- quotients of a polynomial that differs from a base by a few elements: those behind the
 * first vector, or rounded up where a sample is a multiple -- */

/* Which of the shifts that the samples allow is meant: first one that counts blocks, or behind
 * which whole vectors begin, then any whose quotient is used as it is, then the nearest. */
typedef enum shift_kind { SHIFT_MEANT, SHIFT_PLAIN, SHIFT_ANY, SHIFT_KINDS } shift_kind;

typedef struct shift_search {
    const cg_samples *s;
    const int64_t *value;
    const cg_size_term *product;
    int n;                      /* products */
    int64_t of_value[3], (*of_product)[3]; /* differences() */
    int64_t of_base[4];
    cg_size_form found[SHIFT_KINDS];
    bool is_found[SHIFT_KINDS];
} shift_search;

/* Between the first four samples, modulo the prime. */
static void
differences(const int64_t *value, int64_t out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = modulo(modulo(value[i + 1]) - modulo(value[0]));
}

static int64_t
minor(const int64_t *x, const int64_t *y, int i, int j)
{
    return modulo(x[i] * y[j] - x[j] * y[i]);
}

/* Is it a multiple of a number of blocks, rounded up, where no sample is a multiple of a
 * block: f (n - 1)/d + f, or that times a size? */
static bool
counts_blocks(const cg_size_form *f, int64_t shift)
{
    const cg_polynomial *w = &f->whole;
    const int64_t factor = f->quotient[0].factor;

    if (shift != -1 || !f->quotient[0].times)
        return shift == -1 && w->n == 0 && w->constant == factor;
    return w->n == 1 && w->constant == 0 && w->term[0].factor == factor &&
           w->term[0].degree == 1 && w->term[0].size[0] == f->quotient[0].times - 1;
}

static bool
is_of_kind(shift_kind kind, const cg_size_form *f, int64_t shift)
{
    const int64_t constant = f->whole.constant;

    switch (kind) {
    case SHIFT_MEANT:
        return counts_blocks(f, shift) ||
               constant * f->quotient[0].divisor == -shift * f->quotient[0].factor;
    case SHIFT_PLAIN: return constant == 0;
    default: return true;
    }
}

/* Keep a form that is the first of its kind. */
static void
keep_shift(shift_search *t, cg_size_form *f, int64_t shift)
{
    if (!solve(t->s, t->value, f))
        return;
    for (int kind = 0; kind < SHIFT_KINDS; kind++) {
        if (t->is_found[kind] || !is_of_kind((shift_kind)kind, f, shift))
            continue;
        t->is_found[kind] = true;
        t->found[kind] = *f;
    }
}

/* Try a quotient alone and with each product.  Of three columns of differences that are
 * dependent, the determinant is 0: that tells for nearly all that are not the values. */
static void
with_shift(shift_search *t, int64_t shift, cg_size_form *f)
{
    int64_t value[4], q[3];

    for (int i = 0; i < 4; i++) {
        const int times = f->quotient[0].times;
        const int64_t x = cg_floor_div(t->of_base[i] + shift, f->quotient[0].divisor);

        value[i] = modulo(x);
        if (times)
            value[i] *= modulo(t->s->size[i * t->s->sizes + times - 1]);
    }
    differences(value, q);
    const int64_t x = minor(t->of_value, q, 1, 2), y = minor(t->of_value, q, 2, 0),
                  z = minor(t->of_value, q, 0, 1);
    f->whole.n = 0;
    if (x == 0 && y == 0 && z == 0)
        keep_shift(t, f, shift);
    for (int i = 0; i < t->n; i++) {
        const int64_t *p = t->of_product[i];

        if (modulo(modulo(x * p[0]) + modulo(y * p[1]) + modulo(z * p[2])) != 0)
            continue;
        f->whole.n = 1;
        f->whole.term[0] = t->product[i];
        keep_shift(t, f, shift);
    }
}

/* 1, -1, 2, -2, ..., and at last that of a quotient that is rounded up. */
static int64_t
shift_number(int i, int64_t divisor)
{
    return i == 2 * MOST_SHIFT ? divisor - 1 : i % 2 ? -(i / 2 + 1) : i / 2 + 1;
}

/* Try the quotients of a base; false: go on, since a form of the first kind was not found. */
static bool
shifts_of_base(shift_search *t, const cg_polynomial *base)
{
    const cg_samples *s = t->s;

    for (int i = 0; i < 4; i++)
        t->of_base[i] = cg_polynomial_at(base, s->size + (ptrdiff_t)i * s->sizes);
    for (int d = 0; d < DIVISORS + (int)s->n_divisors; d++)
        for (int times = 0; times <= s->sizes; times++)
            for (int i = 0; i <= 2 * MOST_SHIFT; i++) {
                cg_size_form f = { .n = 1 };

                f.quotient[0].divisor = d < DIVISORS ? divisors[d] : s->divisor[d - DIVISORS];
                f.quotient[0].times = times;
                f.quotient[0].of = *base;
                const int64_t shift = shift_number(i, f.quotient[0].divisor);
                f.quotient[0].of.constant += shift;
                with_shift(t, shift, &f);
                if (t->is_found[0])
                    return true;
            }
    return false;
}

static bool
shifted_quotient(const cg_samples *s, const int64_t *value, const cg_size_term *product, int n,
                 cg_size_form *out)
{
    shift_search t = { .s = s, .value = value, .product = product, .n = n };
    int64_t of_product[MAX_PRODUCTS][3];

    if (s->n < 4)
        return false;
    t.of_product = of_product;
    differences(value, t.of_value);
    for (int i = 0; i < n; i++) {
        int64_t x[4];

        for (int k = 0; k < 4; k++)
            x[k] = cg_term_at(&product[i], s->size + (ptrdiff_t)k * s->sizes);
        differences(x, of_product[i]);
    }
    for (uint32_t x = 0; x < s->n_bases; x++)
        if (shifts_of_base(&t, &s->base[x]))
            break;
    for (int kind = 0; kind < SHIFT_KINDS; kind++)
        if (t.is_found[kind]) {
            *out = t.found[kind];
            return true;
        }
    return false;
}

/* Two quotients, of bases x and y. */
static bool
two_quotients(const cg_samples *s, const int64_t *value, const cg_size_term *product, int n,
              uint32_t x, uint32_t y, cg_size_form *out)
{
    for (int d = 0; d < DIVISORS; d++)
        for (int e = 0; e < DIVISORS; e++)
            for (int terms = 0; terms <= 1; terms++) {
                cg_size_form f = { .n = 2 };

                f.quotient[0].divisor = divisors[d];
                f.quotient[0].of = s->base[x];
                f.quotient[1].divisor = divisors[e];
                f.quotient[1].of = s->base[y];
                if ((x == y && d >= e) || !with_products(s, value, terms, 0, product, n, &f))
                    continue;
                *out = f;
                return true;
            }
    return false;
}

/* One quotient, by itself and times a size: the elements of an array one of whose lengths is
 * the quotient, and another one a size and a number. */
static bool
and_times(const cg_samples *s, const int64_t *value, const cg_size_term *product, int n,
          const cg_size_form *of, cg_size_form *out)
{
    for (int times = 1; times <= s->sizes; times++)
        for (int terms = 0; terms <= CG_MAX_TERMS; terms++) {
            cg_size_form f = { .n = 2 };

            f.quotient[0] = f.quotient[1] = of->quotient[0];
            f.quotient[0].times = times;
            if (!with_products(s, value, terms, 0, product, n, &f))
                continue;
            *out = f;
            return true;
        }
    return false;
}

static bool
quotient_and_times(const cg_samples *s, const int64_t *value, const cg_size_term *product,
                   int n, uint32_t x, cg_size_form *out)
{
    for (int d = 0; d < DIVISORS; d++) {
        cg_size_form f = { .n = 1 };

        f.quotient[0].divisor = divisors[d];
        f.quotient[0].of = s->base[x];
        if (and_times(s, value, product, n, &f, out))
            return true;
    }
    return false;
}

bool
cg_fit_form(cg_samples *s, const int64_t *value, cg_size_form *out)
{
    cg_size_term product[MAX_PRODUCTS];
    const int n = products(s, product);

    *out = (cg_size_form){ 0 };
    if (cg_fit_polynomial(s, value, &out->whole))
        return true;
    for (int terms = 0; terms <= 2; terms++)
        if (known_quotient(s, value, product, n, terms, out))
            return true;
    for (uint32_t i = 0; i < s->n_lengths; i++)
        if (and_times(s, value, product, n, &s->length[i], out))
            return true;
    for (int terms = 0; terms <= 2; terms++)
        for (uint32_t x = 0; x < s->n_bases; x++)
            if (one_quotient(s, value, product, n, x, terms, out))
                return true;
    if (shifted_quotient(s, value, product, n, out))
        return true;
    for (uint32_t x = 0; x < s->n_bases; x++)
        for (uint32_t y = x; y < s->n_bases; y++)
            if (two_quotients(s, value, product, n, x, y, out))
                return true;
    for (uint32_t x = 0; x < s->n_bases; x++)
        if (quotient_and_times(s, value, product, n, x, out))
            return true;
    return false;
}
