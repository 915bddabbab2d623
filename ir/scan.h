/* Small steps for readers of a short text: a pipeline, names, a prototype. */
#ifndef IR_SCAN_H
#define IR_SCAN_H

#include <stdbool.h>
#include <string.h>

static inline void
ir_skip_space(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

/* Go past the character c and the space before it, if it is next. */
static inline bool
ir_accept(const char **at, char c)
{
    ir_skip_space(at);
    const bool is = **at == c;
    *at += is;
    return is;
}

#endif
