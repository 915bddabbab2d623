/* Numbers as text, and formatted text, with a decimal point whatever locale the program has
 * set: texts are the same for all, and C has no other point. */
#ifndef IR_NUMBER_H
#define IR_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

/* As the functions of the C library, in the locale "C". */
double ir_strtod(const char *s, char **end);
float ir_strtof(const char *s, char **end);
int ir_vsnprintf(char *s, size_t n, const char *format, va_list ap)
    __attribute__((format(printf, 3, 0)));
int ir_snprintf(char *s, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
