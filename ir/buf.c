/* Growing text: a string that doubles in its arena. */
#include "ir/buf.h"

#include "ir/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void
ir_buf_init(ir_buf *b, ir_arena *a)
{
    *b = (ir_buf){ .arena = a };
}

void
ir_buf_add(ir_buf *b, const char *s, size_t n)
{
    if (b->n + n + 1 > b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 256;
        while (cap < b->n + n + 1)
            cap *= 2;
        char *p = ir_alloc(b->arena, cap);
        if (b->n)
            memcpy(p, b->text, b->n);
        b->text = p;
        b->cap = cap;
    }
    if (n)
        memcpy(b->text + b->n, s, n);
    b->n += n;
    b->text[b->n] = '\0';
}

void
ir_buf_str(ir_buf *b, const char *s)
{
    ir_buf_add(b, s, strlen(s));
}

void
ir_buf_vprintf(ir_buf *b, const char *format, va_list ap)
{
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = ir_vsnprintf(small, sizeof small, format, ap);
    if ((size_t)n < sizeof small) {
        ir_buf_add(b, small, (size_t)n);
    } else {
        char *s = ir_alloc(b->arena, (size_t)n + 1);
        ir_vsnprintf(s, (size_t)n + 1, format, again);
        ir_buf_add(b, s, (size_t)n);
    }
    va_end(again);
}

void
ir_buf_printf(ir_buf *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    ir_buf_vprintf(b, format, ap);
    va_end(ap);
}

static bool
special(ir_buf *b, double x)
{
    if (isnan(x))
        ir_buf_str(b, signbit(x) ? "-nan" : "nan");
    else if (isinf(x))
        ir_buf_str(b, x < 0 ? "-inf" : "inf");
    else
        return false;
    return true;
}

void
ir_buf_f64(ir_buf *b, double x)
{
    char s[40];
    if (special(b, x))
        return;
    for (int digits = 1; digits <= 17; digits++) {
        ir_snprintf(s, sizeof s, "%.*g", digits, x);
        if (ir_strtod(s, NULL) == x)
            break;
    }
    ir_buf_str(b, s);
}

void
ir_buf_f32(ir_buf *b, float x)
{
    char s[40];
    if (special(b, (double)x))
        return;
    for (int digits = 1; digits <= 9; digits++) {
        ir_snprintf(s, sizeof s, "%.*g", digits, (double)x);
        if (ir_strtof(s, NULL) == x)
            break;
    }
    ir_buf_str(b, s);
}
