/* Static archives of one object. */
#include "runtime/build.h"

static void
add_member(ir_buf *b, const char *name, size_t bytes)
{
    char head[96];

    snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", bytes);
    ir_buf_add(b, head, 60);
}

static void
add_big_endian(ir_buf *b, size_t x)
{
    const char bytes[4] = { (char)(x >> 24), (char)(x >> 16), (char)(x >> 8), (char)x };

    ir_buf_add(b, bytes, 4);
}

void
rt_print_archive(ir_buf *b, int n, const cg_natural *fn, const void *object, size_t bytes)
{
    size_t names = 0, index;

    for (int i = 0; i < n; i++)
        names += strlen(fn[i].name) + 1;
    index = 4 + 4 * (size_t)n + names;
    ir_buf_str(b, "!<arch>\n");
    add_member(b, "/", index + (index & 1));
    add_big_endian(b, (size_t)n);
    for (int i = 0; i < n; i++)
        add_big_endian(b, 8 + 60 + index + (index & 1));
    for (int i = 0; i < n; i++)
        ir_buf_add(b, fn[i].name, strlen(fn[i].name) + 1);
    if (index & 1)
        ir_buf_add(b, "", 1);
    add_member(b, "functions.o/", bytes);
    ir_buf_add(b, object, bytes);
    if (bytes & 1)
        ir_buf_str(b, "\n");
}
