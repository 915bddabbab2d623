/* Lines that compiled functions print to stdout: a text and a value.
 *
 * A line is written at once, so that lines of several threads do not mix.  Numbers have enough
 * digits to be distinguished.  An array is printed in nested brackets with all elements in
 * row-major order; a complex number is (re, im).  Objects that print link this file. */
#include "runtime/support/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef void put_element(const void *x, int64_t i);

/* Replaces the locale's decimal separator, which may have several bytes, by a point.  No byte
 * of it occurs in numbers of the locale "C". */
static void
put_real(double x, int digits)
{
    char text[48];

    snprintf(text, sizeof text, "%.*g", digits, x);
    for (const char *s = text; *s;) {
        const size_t plain = strspn(s, "0123456789+-abcdefinABCDEFIN");

        fwrite(s, 1, plain, stdout);
        s += plain;
        if (*s)
            putchar('.');
        s += strcspn(s, "0123456789");
    }
}

static void
put_f32(const void *x, int64_t i)
{
    put_real((double)((const float *)x)[i], 9);
}

static void
put_f64(const void *x, int64_t i)
{
    put_real(((const double *)x)[i], 17);
}

static void
put_i64(const void *x, int64_t i)
{
    printf("%" PRId64, ((const int64_t *)x)[i]);
}

static void
put_u64(const void *x, int64_t i)
{
    printf("%" PRIu64, ((const uint64_t *)x)[i]);
}

static void
put_bool(const void *x, int64_t i)
{
    fputs(((const uint8_t *)x)[i] ? "true" : "false", stdout);
}

/* The elements from *at on, for the axes k ... rank - 1. shape is the rank, then the sizes; for
 * complex numbers the rank is given as -1 - rank, and an element is two numbers. */
static void
put_axes(const void *x, const int64_t *shape, int64_t k, int64_t *at, put_element *put)
{
    const bool pairs = shape[0] < 0;

    if (k == (pairs ? -1 - shape[0] : shape[0])) {
        fputs(pairs ? "(" : "", stdout);
        put(x, (*at)++);
        if (pairs) {
            fputs(", ", stdout);
            put(x, (*at)++);
            putchar(')');
        }
        return;
    }
    putchar('[');
    for (int64_t i = 0; i < shape[1 + k]; i++) {
        if (i > 0)
            fputs(", ", stdout);
        put_axes(x, shape, k + 1, at, put);
    }
    putchar(']');
}

static void
put_line(const void *x, const uint8_t *text, const int64_t *shape, put_element *put)
{
    const char *begin = (const char *)text, *gap = strstr(begin, "{}");
    int64_t at = 0;

    flockfile(stdout);
    fwrite(begin, 1, gap ? (size_t)(gap - begin) : strlen(begin), stdout);
    if (!gap && *begin)
        putchar(' ');
    put_axes(x, shape, 0, &at, put);
    if (gap)
        fputs(gap + 2, stdout);
    putchar('\n');
    funlockfile(stdout);
}

void
cot_rt_print_f32(float *x, const uint8_t *text, const int64_t *shape)
{
    put_line(x, text, shape, put_f32);
}

void
cot_rt_print_f64(double *x, const uint8_t *text, const int64_t *shape)
{
    put_line(x, text, shape, put_f64);
}

void
cot_rt_print_i64(int64_t *x, const uint8_t *text, const int64_t *shape)
{
    put_line(x, text, shape, put_i64);
}

void
cot_rt_print_u64(uint64_t *x, const uint8_t *text, const int64_t *shape)
{
    put_line(x, text, shape, put_u64);
}

void
cot_rt_print_bool(bool *x, const uint8_t *text, const int64_t *shape)
{
    put_line(x, text, shape, put_bool);
}

int
cot_rt_check(const bool *holds)
{
    return !*holds;
}
