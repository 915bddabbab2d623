/* The roofline plot: operations a second over operations for each byte, both logarithmic.  A
 * slope for each level of memory, a roof for the operations, a circle for each kernel. */
#include "tools/profile.h"

#include <math.h>

enum {
    WIDTH = 860,
    HEIGHT = 520,
    LEFT = 80,
    RIGHT = 190,
    TOP = 50,
    BOTTOM = 60,
    LINE = 13 /* the height of a label */
};

/* Decades of both axes; what is drawn of 10^x is from 0 to 1 between them. */
typedef struct axes {
    double x0, x1, y0, y1;
} axes;

static const char *const color[] = { "#1b6ca8", "#2a9d5c", "#c77700", "#8a4fbe", "#b8323a" };

static double
at_x(const axes *a, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(x) - a->x0) / (a->x1 - a->x0);
}

static double
at_y(const axes *a, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log10(y) - a->y0) / (a->y1 - a->y0);
}

/* A row in the plot; without operations it is at the left edge. */
typedef struct point {
    double x, y; /* operations a byte, operations a second */
    bool moves;  /* it has none */
} point;

static bool
point_of(rt_counter *c, const axes *a, point *out)
{
    const double each = profile_run_seconds(c);

    if (!c->bytes || each <= 0)
        return false;
    out->moves = c->flops == 0;
    out->x = out->moves ? a ? pow(10, a->x0) : 0.01 : (double)c->flops / (double)c->bytes;
    out->y = out->x * (double)c->bytes / each;
    return true;
}

static axes
axes_of(rt_counter **row, uint32_t n, const machine *m)
{
    double fastest = m->flops[1];
    axes a = { -2, 2, 9, 0 };
    point p;

    for (uint32_t i = 0; i < n; i++)
        if (point_of(row[i], NULL, &p)) {
            a.x0 = fmin(a.x0, floor(log10(p.x)));
            a.x1 = fmax(a.x1, ceil(log10(p.x) + 0.1));
            a.y0 = fmin(a.y0, floor(log10(p.y)));
            fastest = fmax(fastest, p.y);
        }
    a.y1 = fmax(ceil(log10(fastest * 1.5)), a.y0 + 1);
    return a;
}

static void
add_axis(ir_buf *b, const axes *a)
{
    for (double d = a->x0; d <= a->x1; d++)
        ir_buf_printf(b,
                      "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='grid'/>"
                      "<text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n",
                      at_x(a, pow(10, d)), TOP, at_x(a, pow(10, d)), HEIGHT - BOTTOM,
                      at_x(a, pow(10, d)), HEIGHT - BOTTOM + 18, pow(10, d));
    for (double d = a->y0; d <= a->y1; d++)
        ir_buf_printf(b,
                      "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' class='grid'/>"
                      "<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n",
                      LEFT, at_y(a, pow(10, d)), WIDTH - RIGHT, at_y(a, pow(10, d)), LEFT - 8,
                      at_y(a, pow(10, d)) + 4, pow(10, d - 9));
    ir_buf_printf(b,
                  "<text x='%d' y='%d' text-anchor='middle'>operations for each byte of the "
                  "arrays</text>\n"
                  "<text transform='translate(22 %d) rotate(-90)' text-anchor='middle'>"
                  "GFLOP/s</text>\n",
                  (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, (TOP + HEIGHT - BOTTOM) / 2);
}

/* min(peak, x speed), from the left edge to the right one. */
static void
add_roof(ir_buf *b, const axes *a, double peak, double speed, const char *of, const char *name,
         bool dashed)
{
    const double left = pow(10, a->x0), right = pow(10, a->x1), top = pow(10, a->y1),
                 roof = peak > 0 ? peak : top, bend = roof / speed;
    const double from = fmax(left, pow(10, a->y0) / speed), to = fmin(fmax(bend, left), right);

    ir_buf_printf(b,
                  "<path d='M%.1f %.1fL%.1f %.1fL%.1f %.1f' fill='none' stroke='%s'%s>"
                  "<title>%s</title></path>\n",
                  at_x(a, from), at_y(a, fmin(from * speed, roof)), at_x(a, to),
                  at_y(a, fmin(to * speed, roof)), at_x(a, right),
                  at_y(a, fmin(right * speed, roof)), of,
                  dashed ? " stroke-dasharray='5 4'" : "", name);
}

static void
add_legend(ir_buf *b, int line, const char *of, const char *text)
{
    const int y = TOP + 10 + 18 * line, x = WIDTH - RIGHT + 16;

    if (*of)
        ir_buf_printf(b, "<circle cx='%d' cy='%d' r='5' fill='%s'/>", x, y - 4, of);
    ir_buf_printf(b, "<text x='%d' y='%d'>%s</text>\n", x + 12, y, text);
}

static void
add_roofs(ir_buf *b, const axes *a, const machine *m)
{
    const int n = m->threads > 1 ? 2 : 1;
    int line = 0;

    for (int all = 0; all < n; all++) {
        add_legend(b, line++, "",
                   ir_format(b->arena, "%d thread%s%s", all ? m->threads : 1, all ? "s" : "",
                             all ? " (dashed)" : ""));
        if (m->flops[all] > 0)
            add_legend(b, line++, "#555",
                       ir_format(b->arena, "f32 %.0f GFLOP/s", 1e-9 * m->flops[all]));
        for (int i = 0; i < m->n_levels; i++) {
            const char *name = ir_format(b->arena, "%s %.0f GB/s", m->level[i].name,
                                         1e-9 * m->level[i].speed[all]);

            add_roof(b, a, m->flops[all], m->level[i].speed[all], color[i], name, all);
            add_legend(b, line++, color[i], name);
        }
    }
    add_legend(b, line, "", "hollow: no operations");
}

static void
add_escaped(ir_buf *b, const char *s)
{
    for (; *s; s++)
        if (*s == '<' || *s == '&' || *s == '>')
            ir_buf_printf(b, "&#%d;", *s);
        else
            ir_buf_add(b, s, 1);
}

/* The lowest free line at or above y for a label that begins at x. */
typedef struct labels {
    struct {
        double x, y;
    } at[32];
    int n;
} labels;

static double
free_line(labels *l, double x, double y)
{
    for (int i = 0; i < l->n; i++)
        if (fabs(l->at[i].x - x) < 90 && fabs(l->at[i].y - y) < LINE) {
            y = l->at[i].y - LINE;
            i = -1;
        }
    if (l->n < 32) {
        l->at[l->n].x = x;
        l->at[l->n++].y = y;
    }
    return y;
}

/* The area of a circle is the share of the time.  Rows above a hundredth of it have labels. */
static void
add_kernel(ir_buf *b, const axes *a, const machine *m, rt_counter *c, double seconds, labels *l)
{
    const double share = rt_profile_seconds(c) / seconds, r = 3 + 17 * sqrt(fmin(share, 1));
    const machine_level *level = profile_level_of(c, m);
    const char *of = level ? color[level - m->level] : "#555";
    const profile_bound bound = profile_bound_of(c, m);
    point p;

    if (!point_of(c, a, &p))
        return;
    const double x = at_x(a, p.x), y = at_y(a, p.y);
    ir_buf_printf(b,
                  "<circle cx='%.1f' cy='%.1f' r='%.1f' fill='%s' fill-opacity='%s' "
                  "stroke='%s'><title>",
                  x, y, r, of, p.moves ? "0" : "0.45", of);
    add_escaped(b, c->name);
    ir_buf_printf(b, ": %.1f %% of the time, %.2f GB/s, %.2f GFLOP/s", 100 * share,
                  1e-9 * (double)c->bytes / profile_run_seconds(c),
                  1e-9 * (double)c->flops / profile_run_seconds(c));
    if (bound.share > 0)
        ir_buf_printf(b, ", %.0f %% of the limit: %s", 100 * bound.share, bound.by);
    ir_buf_str(b, "</title></circle>\n");
    if (share < 0.01)
        return;
    ir_buf_printf(b, "<text x='%.1f' y='%.1f'>", x + r + 3, free_line(l, x + r + 3, y + 4));
    add_escaped(b, c->name);
    ir_buf_str(b, "</text>\n");
}

void
profile_roofline(ir_buf *b, const rt_profile *p, const machine *m, double seconds)
{
    rt_counter **row;
    const uint32_t n = profile_sorted(p, b->arena, &row);
    const axes a = axes_of(row, n, m);
    labels l = { .n = 0 };

    ir_buf_printf(b,
                  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' "
                  "height='%d' font-family='sans-serif' font-size='12'>\n"
                  "<style>.grid{stroke:#ddd}path{stroke-width:1.5}</style>\n"
                  "<rect width='100%%' height='100%%' fill='#fff'/>\n"
                  "<text x='%d' y='28' font-size='15'>",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
    add_escaped(b, p->function);
    ir_buf_str(b, ": its kernels beside the limits of the machine</text>\n");
    add_axis(b, &a);
    add_roofs(b, &a, m);
    for (uint32_t i = 0; i < n; i++)
        add_kernel(b, &a, m, row[i], seconds, &l);
    ir_buf_str(b, "</svg>\n");
}
