/* The source files that the nodes of the first stages come from, line by line, where they can
 * be read. */
#include "runtime/explore/explore.h"

enum { MOST_BYTES = 4 << 20 }; /* of a file; a larger one is left out */

int
rt_explore_file(const rt_exploring *x, const char *name)
{
    for (uint32_t i = 0; name && i < x->n_files; i++)
        if (x->file[i] == name || strcmp(x->file[i], name) == 0)
            return (int)i;
    return -1;
}

void
rt_explore_find_files(rt_exploring *x)
{
    int line;

    for (uint32_t i = 0; i < x->n_graphs; i++)
        ir_each_node (n, x->graph[i]) {
            const char *name = ir_loc_root(x->ctx, n->loc, &line);

            if (name && rt_explore_file(x, name) < 0)
                IR_PUSH(x->arena, x->file, x->n_files, x->cap_files, name);
        }
}

/* The lines of the file as a list; false, and nothing is written, where it cannot be read. */
static bool
write_lines(const rt_exploring *x, ir_buf *b, FILE *file)
{
    ir_buf text;
    char block[1 << 13];
    size_t n;

    ir_buf_init(&text, x->arena);
    while ((n = fread(block, 1, sizeof block, file)) > 0 && text.n < MOST_BYTES)
        ir_buf_add(&text, block, n);
    if (text.n == 0 || text.n >= MOST_BYTES || ferror(file))
        return false;
    bool first = true;
    ir_buf_str(b, "[");
    for (const char *s = text.text, *end = s + text.n; s < end;) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));

        rt_json_next(b, &first);
        rt_json_bytes(b, s, (size_t)((stop ? stop : end) - s));
        s = stop ? stop + 1 : end;
    }
    ir_buf_str(b, "]");
    return true;
}

void
rt_explore_files(const rt_exploring *x, ir_buf *b)
{
    bool first = true;

    ir_buf_str(b, "\"files\":[");
    for (uint32_t i = 0; i < x->n_files; i++) {
        FILE *file = fopen(x->file[i], "rb");
        bool inner = true;

        rt_json_next(b, &first);
        ir_buf_str(b, "{");
        rt_json_text(b, &inner, "name", x->file[i]);
        rt_json_name(b, &inner, "lines");
        if (!file || !write_lines(x, b, file))
            ir_buf_str(b, "null");
        if (file)
            fclose(file);
        ir_buf_str(b, "}\n");
    }
    ir_buf_str(b, "]");
}
