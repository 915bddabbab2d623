/* Where the nodes and edges of parts and overviews are: what dot's format `plain` says, in
 * points and with numbers in place of names.  The page draws the text, so that a part takes a
 * tenth of the bytes of its SVG. */
#include <math.h>
#include <stdlib.h>

#include "ir/number.h"
#include "runtime/explore/drawing.h"
#include "runtime/explore/parts.h"

enum {
    JOBS = 4, /* processes that share the parts */
    OVERVIEW_MOST = 150 /* nodes of an overview; several parts share one where there are more */
};

typedef struct layouts {
    const rt_exploring *x;
    rt_parts parts;
    rt_dot_job job[JOBS];
    ir_buf text[JOBS];
    ir_buf answer[JOBS];
} layouts;

/* The parts of the stage from this one on. */
static uint32_t
parts_of_stage(const rt_parts *p, uint32_t first)
{
    uint32_t n = 0;

    while (first + n < p->n && p->part[first + n].stage == p->part[first].stage)
        n++;
    return n;
}

static uint32_t
parts_of_node(uint32_t parts)
{
    return (parts + OVERVIEW_MOST - 1) / OVERVIEW_MOST;
}

/* Job k has every JOBS-th part; the overview of a stage is before its first part. */
static void
describe(layouts *l)
{
    const rt_parts *p = &l->parts;

    for (uint32_t i = 0; i < p->n; i++) {
        ir_buf *b = &l->text[i % JOBS];

        if (i == 0 || p->part[i].stage != p->part[i - 1].stage) {
            const uint32_t n = parts_of_stage(p, i);
            rt_overview_dot(b, l->x, p, i, n, parts_of_node(n));
        }
        rt_part_dot(b, l->x, p, i);
    }
}

/* -- what dot answers -- */

static const char *
next_line(const char *s)
{
    const char *end = strchr(s, '\n');

    return end ? end + 1 : s + strlen(s);
}

/* The next number of the line, in points. */
static long
points(const char **s)
{
    char *end;
    const double x = ir_strtod(*s, &end);

    *s = end;
    return lround(72 * x);
}

/* "n12", "n12_34", "p3", "h4", "m0": a value, the first one of parts, a graph as a negative
 * number, 0. */
static long
node_number(const char **s)
{
    char *end;

    *s += strspn(*s, " ");
    const char kind = **s;
    const long n = strtol(*s + (kind != '\0'), &end, 10);
    *s = end + strcspn(end, " ");
    return kind == 'h' ? -1 - n : n;
}

/* node NAME X Y WIDTH HEIGHT ...; y is from the bottom. */
static void
write_node(ir_buf *b, bool *first, const char *s, long height)
{
    const long number = node_number(&s), x = points(&s), y = points(&s), w = points(&s);

    rt_json_next(b, first);
    ir_buf_printf(b, "%ld,%ld,%ld,%ld,%ld", number, x, height - y, w, points(&s));
}

/* edge TAIL HEAD N X Y ... */
static void
write_edge(ir_buf *b, bool *first, const char *s, long height)
{
    const long from = node_number(&s), to = node_number(&s);
    char *end;
    long n = strtol(s, &end, 10);

    s = end;
    rt_json_next(b, first);
    ir_buf_printf(b, "[%ld,%ld", from, to);
    for (; n > 0; n--) {
        const long x = points(&s);
        ir_buf_printf(b, ",%ld,%ld", x, height - points(&s));
    }
    ir_buf_str(b, "]");
}

/* Lines that begin with `word`, up to the end of the graph; the line behind them. */
static const char *
write_lines(ir_buf *b, const char *s, const char *word,
            void write(ir_buf *, bool *, const char *, long), long height)
{
    const size_t n = strlen(word);
    bool first = true;

    for (; strncmp(s, word, n) == 0; s = next_line(s))
        write(b, &first, s + n, height);
    return s;
}

/* One graph of the answer; what follows it, or NULL where there is none. */
static const char *
write_layout(ir_buf *b, const char *s, const rt_part *part, uint32_t last, bool overview)
{
    bool first = true;

    if (!s || strncmp(s, "graph ", 6) != 0)
        return NULL;
    const char *sizes = s + 6;
    ir_strtod(sizes, (char **)&sizes); /* the scale */
    const long width = points(&sizes), height = points(&sizes);
    ir_buf_str(b, "{");
    rt_json_number(b, &first, "stage", part->stage);
    rt_json_name(b, &first, "parts");
    ir_buf_str(b, overview ? "true" : "false");
    rt_json_number(b, &first, "first", part->first);
    rt_json_number(b, &first, "last", last);
    rt_json_number(b, &first, "width", (double)width);
    rt_json_number(b, &first, "height", (double)height);
    ir_buf_str(b, ",\"nodes\":[");
    s = write_lines(b, next_line(s), "node ", write_node, height);
    ir_buf_str(b, "],\"edges\":[");
    s = write_lines(b, s, "edge ", write_edge, height);
    ir_buf_str(b, "]}\n");
    return strncmp(s, "stop", 4) == 0 ? next_line(s) : NULL;
}

/* All of them in order, each from the answer that has it; false: one is missing. */
static bool
write_all(const layouts *l, ir_buf *b)
{
    const rt_parts *p = &l->parts;
    const char *at[JOBS];
    bool first = true;

    for (int k = 0; k < JOBS; k++)
        at[k] = l->answer[k].n ? l->answer[k].text : NULL;
    for (uint32_t i = 0; i < p->n; i++) {
        const char **s = &at[i % JOBS];

        if (i == 0 || p->part[i].stage != p->part[i - 1].stage) {
            rt_json_next(b, &first);
            *s = write_layout(b, *s, &p->part[i], p->part[i + parts_of_stage(p, i) - 1].last,
                              true);
        }
        rt_json_next(b, &first);
        *s = write_layout(b, *s, &p->part[i], p->part[i].last, false);
        if (!*s)
            return false;
    }
    return true;
}

bool
rt_explore_layouts(const rt_exploring *x, const bool *large, ir_buf *b)
{
    layouts *l = IR_NEW(x->arena, layouts);
    bool good = true;

    l->x = x;
    rt_explore_cut(x, large, &l->parts);
    for (int k = 0; k < JOBS; k++) {
        ir_buf_init(&l->text[k], x->arena);
        ir_buf_init(&l->answer[k], x->arena);
        l->job[k] = (rt_dot_job){ .format = "-Tplain", .text = &l->text[k] };
    }
    describe(l);
    for (int k = 0; k < JOBS; k++)
        if (l->text[k].n)
            rt_dot_start(&l->job[k]);
    for (int k = 0; k < JOBS; k++)
        good &= l->text[k].n == 0 || rt_dot_finish(&l->job[k], &l->answer[k]);
    if (good && write_all(l, b))
        return true;
    b->n = 0;
    return l->parts.n == 0;
}
