/* The page: a template, in which a style sheet, scripts and the data stand in place of their
 * marks.  The files of `page` are embedded when the library is built. */
#include "runtime/explore/explore.h"

extern const char rt_explore_html[], rt_explore_css[], rt_explore_data_js[],
    rt_explore_view_js[], rt_explore_panes_js[], rt_explore_drawing_js[], rt_explore_keys_js[];

/* Adds the template up to the mark, and what stands there; returns what follows. */
static const char *
fill(ir_buf *b, const char *at, const char *mark, const char *text, size_t n)
{
    const char *found = strstr(at, mark);

    if (!found)
        return at;
    ir_buf_add(b, at, (size_t)(found - at));
    ir_buf_add(b, text, n);
    return found + strlen(mark);
}

void
rt_explore_page(ir_buf *b, const char *data, size_t n)
{
    static const char *const script[] = { rt_explore_data_js, rt_explore_view_js,
                                          rt_explore_panes_js, rt_explore_drawing_js,
                                          rt_explore_keys_js };
    const char *at =
        fill(b, rt_explore_html, "@style@", rt_explore_css, strlen(rt_explore_css));

    at = fill(b, at, "@data@", data, n);
    at = fill(b, at, "@script@", "", 0);
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        ir_buf_str(b, script[i]);
    ir_buf_str(b, at);
}
