/* JSON, written item by item.
 *
 * Text may stand in a script element of a page: `<` and `&` are escaped, so that no name of a
 * program closes the element, and bytes that are no UTF-8 become U+FFFD. */
#include "runtime/explore/explore.h"

#include <math.h>

/* The length of the UTF-8 sequence at s, of n bytes; 0: it is none. */
static size_t
sequence(const unsigned char *s, size_t n)
{
    const size_t length = s[0] < 0x80             ? 1
                          : (s[0] & 0xe0) == 0xc0 ? 2
                          : (s[0] & 0xf0) == 0xe0 ? 3
                          : (s[0] & 0xf8) == 0xf0 ? 4
                                                  : 0;
    uint32_t c = length > 1 ? s[0] & (0x7fu >> length) : s[0];

    if (length == 0 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    return c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : length;
}

static bool
is_escaped(unsigned char c)
{
    return c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f;
}

void
rt_json_bytes(ir_buf *b, const char *s, size_t n)
{
    const unsigned char *at = (const unsigned char *)s;

    ir_buf_str(b, "\"");
    for (size_t i = 0, length; i < n; i += length ? length : 1) {
        length = sequence(at + i, n - i);
        if (length == 0)
            ir_buf_str(b, "\\ufffd");
        else if (at[i] == '\n')
            ir_buf_str(b, "\\n");
        else if (is_escaped(at[i]))
            ir_buf_printf(b, "\\u%04x", at[i]);
        else
            ir_buf_add(b, s + i, length);
    }
    ir_buf_str(b, "\"");
}

void
rt_json_string(ir_buf *b, const char *s)
{
    rt_json_bytes(b, s ? s : "", s ? strlen(s) : 0);
}

void
rt_json_next(ir_buf *b, bool *first)
{
    if (!*first)
        ir_buf_str(b, ",");
    *first = false;
}

void
rt_json_name(ir_buf *b, bool *first, const char *name)
{
    rt_json_next(b, first);
    rt_json_string(b, name);
    ir_buf_str(b, ":");
}

void
rt_json_number(ir_buf *b, bool *first, const char *name, double x)
{
    rt_json_name(b, first, name);
    if (x == rint(x) && fabs(x) < 0x1p53)
        ir_buf_printf(b, "%.0f", x);
    else
        ir_buf_f64(b, isfinite(x) ? x : 0);
}

void
rt_json_text(ir_buf *b, bool *first, const char *name, const char *s)
{
    rt_json_name(b, first, name);
    rt_json_string(b, s);
}
