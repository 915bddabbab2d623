/* Open sizes of a manifest: the expressions that lengths and bytes are, and the arithmetic of
 * f64 by which entries make constants of sizes.  Plain C11; part of ptx_manifest.h. */
#ifndef PTX_SIZES_H
#define PTX_SIZES_H

#include <math.h>

#include "ptx_json.h"

/* The sizes of a call, by their places in the function's "sizes". */
typedef struct ptx_expression {
    const char *at;             /* what remains of the text */
    const json *names;          /* "sizes" */
    const int64_t *size;
    int depth;                  /* parentheses around */
    bool good;
} ptx_expression;

enum { PTX_DEEPEST = 100 };

static int64_t ptx_sum(ptx_expression *x);

static void
ptx_blank(ptx_expression *x)
{
    x->at += strspn(x->at, " ");
}

/* Is the next character this one?  Then it is read. */
static bool
ptx_reads(ptx_expression *x, char c)
{
    ptx_blank(x);
    if (*x->at != c)
        return false;
    x->at++;
    return true;
}

/* A number, the name of a size, or an expression in parentheses. */
static int64_t
ptx_factor(ptx_expression *x)
{
    size_t letters;
    int64_t v = 0;
    int i = 0;

    if (ptx_reads(x, '(')) {
        x->good &= ++x->depth < PTX_DEEPEST;
        v = x->good ? ptx_sum(x) : 0;
        x->depth--;
        x->good &= ptx_reads(x, ')');
        return v;
    }
    letters = strspn(x->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (letters && *x->at >= '0' && *x->at <= '9') {
        v = strtoll(x->at, NULL, 10);
    } else {
        const json *name = x->names ? x->names->first : NULL;

        for (; name && (strlen(json_text(name, "name")) != letters ||
                        strncmp(json_text(name, "name"), x->at, letters) != 0);
             i++)
            name = name->next;
        x->good &= letters > 0 && name && x->size;
        v = x->good ? x->size[i] : 0;
    }
    x->at += letters;
    return v;
}

/* Products wrap around as the entry's do, which refuses such sizes. */
static int64_t
ptx_product(ptx_expression *x)
{
    int64_t v = ptx_factor(x);

    for (ptx_blank(x); x->good && *x->at && strchr("*/%", *x->at); ptx_blank(x)) {
        const char op = *x->at++;
        const int64_t by = ptx_factor(x);

        x->good &= op == '*' || by > 0;
        if (op == '*')
            v = (int64_t)((uint64_t)v * (uint64_t)by);
        else if (x->good)
            v = op == '/' ? v / by : v % by;
    }
    return v;
}

static int64_t
ptx_sum(ptx_expression *x)
{
    uint64_t v = ptx_reads(x, '-') ? -(uint64_t)ptx_product(x) : (uint64_t)ptx_product(x);

    while (x->good) {
        if (ptx_reads(x, '+'))
            v += (uint64_t)ptx_product(x);
        else if (ptx_reads(x, '-'))
            v -= (uint64_t)ptx_product(x);
        else
            break;
    }
    return (int64_t)v;
}

/* A member or an element that is a number, or an expression of sizes; false: it is neither. */
static bool
ptx_number(const json *j, const json *names, const int64_t *size, int64_t *out)
{
    ptx_expression x = { j && j->text ? j->text : "", names, size, 0, true };

    if (j && j->kind == JSON_NUMBER) {
        *out = j->number;
        return true;
    }
    *out = ptx_sum(&x);
    ptx_blank(&x);
    return x.good && *x.at == '\0' && *out >= 0;
}

/* -- constants that are made of sizes: f64, rounded once -- */

static double
ptx_f64(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t
ptx_bits(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A step of f64, or a conversion from it; false: it is one that entries do not have. */
static bool
ptx_float(const char *is, const char *type, const char *from, const uint64_t *x, uint64_t *to)
{
    const double a = ptx_f64(x[0]), b = ptx_f64(x[1]);
    float f;

    if (strcmp(is, "cvt") == 0 && strcmp(type, "f64") == 0 && *from == 'i') {
        *to = ptx_bits((double)(int64_t)x[0]);
    } else if (strcmp(is, "cvt") == 0 && strcmp(type, "f32") == 0) {
        f = (float)a;
        *to = 0;
        memcpy(to, &f, sizeof f);
    } else if (strcmp(is, "cvt") == 0) {
        return false;
    } else if (strcmp(is, "mul") == 0) {
        *to = ptx_bits(a * b);
    } else if (strcmp(is, "div") == 0) {
        *to = ptx_bits(a / b);
    } else if (strcmp(is, "lt") == 0) {
        *to = a < b;
    } else if (strcmp(is, "sqrt") == 0) {
        *to = ptx_bits(sqrt(a));
    } else {
        return false;
    }
    return true;
}

#endif
