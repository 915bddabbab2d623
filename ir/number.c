/* The calling thread is switched to the locale "C" while the C library reads or writes numbers.
 * The switch allocates nothing in the C libraries that we know; where it fails, the locale
 * stays as it is. */
#include "ir/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct c_locale {
    locale_t own, before;
} c_locale;

static c_locale
begin(void)
{
    const locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    return (c_locale){ own, uselocale(own) };
}

static void
end(c_locale p)
{
    uselocale(p.before);
    if (p.own)
        freelocale(p.own);
}

double
ir_strtod(const char *s, char **rest)
{
    const c_locale p = begin();
    const double x = strtod(s, rest);

    end(p);
    return x;
}

float
ir_strtof(const char *s, char **rest)
{
    const c_locale p = begin();
    const float x = strtof(s, rest);

    end(p);
    return x;
}

int
ir_vsnprintf(char *s, size_t n, const char *format, va_list ap)
{
    const c_locale p = begin();
    const int length = vsnprintf(s, n, format, ap);

    end(p);
    return length;
}

int
ir_snprintf(char *s, size_t n, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    const int length = ir_vsnprintf(s, n, format, ap);
    va_end(ap);
    return length;
}
