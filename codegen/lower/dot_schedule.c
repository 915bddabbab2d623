/* Schedules of contractions as text (dot_schedule.h).
 *
 * One table has a row for each field: its name, its words or its range, and the kinds of lanes
 * that use it.  Printing, parsing and the test of ranges walk over the table, so that a new
 * field is one row. */
#include "codegen/lower/dot_schedule.h"

#include <stddef.h>
#include <string.h>

enum { MOST_WORDS = 9, MOST_NAME = 64 };

typedef struct field {
    const char *name;
    size_t at;
    unsigned used; /* bits: the kinds of lanes that use it                      */
    int64_t least, most; /* where it is used                                          */
    const char *word[MOST_WORDS];
} field;

#define ONE(lanes) (1u << (lanes))
#define TILED      (ONE(CG_DOT_COLUMNS) | ONE(CG_DOT_LINES) | ONE(CG_DOT_BATCH))
#define CPU        (TILED | ONE(CG_DOT_SUM))
#define GRID_TILES (ONE(CG_DOT_TILES) | ONE(CG_DOT_TENSOR))
#define SWAPS                                                                                  \
    (ONE(CG_DOT_COLUMNS) | ONE(CG_DOT_SUM) | ONE(CG_DOT_THREADS) | ONE(CG_DOT_WARPS) |         \
     ONE(CG_DOT_BLOCKS))
#define AT(field) offsetof(cg_dot_schedule, field)
#define NO_WORDS  { NULL }

static const field fields[] = {
    { "lanes",
      AT(lanes),
      ~0u,
      0,
      CG_DOT_BLOCKS,
      { "columns", "lines", "batch", "sum", "threads", "tiles", "tensor", "warps", "blocks" } },
    { "swap", AT(swap), SWAPS, 0, 1, NO_WORDS },
    { "width", AT(width), CPU | ONE(CG_DOT_TILES), 1, 64, NO_WORDS },
    { "rows", AT(rows), TILED | GRID_TILES, 1, 64, NO_WORDS },
    { "results", AT(results), ONE(CG_DOT_LINES), 1, 64, NO_WORDS },
    { "vectors", AT(vectors), ONE(CG_DOT_COLUMNS) | ONE(CG_DOT_LINES) | ONE(CG_DOT_TILES), 1,
      64, NO_WORDS },
    { "run", AT(run), ONE(CG_DOT_BATCH), 1, INT64_MAX, NO_WORDS },
    { "unroll", AT(unroll), TILED, CG_DOT_ALL, 64, NO_WORDS },
    { "left",
      AT(left),
      ONE(CG_DOT_COLUMNS),
      0,
      CG_DOT_COPIED,
      { "place", "", "", "strips", "turned", "copied" } },
    { "right",
      AT(right),
      ONE(CG_DOT_COLUMNS) | ONE(CG_DOT_BATCH),
      0,
      CG_DOT_ONCE,
      { "place", "panels", "once" } },
    { "ways", AT(ways), ONE(CG_DOT_COLUMNS), 0, 4, NO_WORDS },
    { "turn", AT(turn), ONE(CG_DOT_COLUMNS), 0, 64, NO_WORDS },
    { "m_block", AT(m_block), ONE(CG_DOT_COLUMNS) | ONE(CG_DOT_TENSOR), 0, INT64_MAX,
      NO_WORDS },
    { "n_block", AT(n_block), ONE(CG_DOT_COLUMNS) | ONE(CG_DOT_TENSOR), 0, INT64_MAX,
      NO_WORDS },
    { "stages", AT(stages), ONE(CG_DOT_TENSOR), 2, 8, NO_WORDS },
    { "stream", AT(stream), ONE(CG_DOT_COLUMNS), 0, 1, NO_WORDS },
    { "prefetch", AT(prefetch), ONE(CG_DOT_COLUMNS), 0, 1, NO_WORDS },
    { "share",
      AT(share),
      CPU,
      0,
      CG_DOT_SHARE_BLOCKS,
      { "none", "batch", "rows", "columns", "blocks" } },
    { "shares", AT(shares), CPU, 0, 1 << 20, NO_WORDS },
};
enum { FIELDS = sizeof fields / sizeof *fields };

static int64_t *
value_of(const field *f, cg_dot_schedule *how)
{
    return (int64_t *)((char *)how + f->at);
}

void
cg_dot_schedule_print(ir_buf *b, const cg_dot_schedule *how)
{
    cg_dot_schedule copy = *how;

    for (const field *f = fields; f < fields + FIELDS; f++) {
        const int64_t x = *value_of(f, &copy);

        if (x == 0 && f > fields)
            continue;
        ir_buf_printf(b, "%s%s=", f > fields ? " " : "", f->name);
        if (f->word[0])
            ir_buf_str(b, f->word[x]);
        else if (x == CG_DOT_ALL)
            ir_buf_str(b, "all");
        else
            ir_buf_printf(b, "%lld", (long long)x);
    }
}

static bool
is_text(const char *word, const char *s, size_t n)
{
    return word && strlen(word) == n && memcmp(word, s, n) == 0;
}

static const field *
field_of(const char *s, size_t n)
{
    for (const field *f = fields; f < fields + FIELDS; f++)
        if (is_text(f->name, s, n))
            return f;
    return NULL;
}

/* The value of a field; false: it is none. */
static bool
read_value(const field *f, const char *s, size_t n, int64_t *out)
{
    *out = 0;
    for (int i = 0; f->word[0] && i < MOST_WORDS; i++) {
        *out = i;
        if (n > 0 && is_text(f->word[i], s, n))
            return true;
    }
    if (f->word[0] || n == 0 || n > 18)
        return false;
    if (f->least == CG_DOT_ALL && is_text("all", s, n)) {
        *out = CG_DOT_ALL;
        return true;
    }
    for (*out = 0; n > 0 && *s >= '0' && *s <= '9'; s++, n--)
        *out = 10 * *out + (*s - '0');
    return n == 0;
}

/* Is a field out of its range, or not used by the kind of lanes?  NULL, or what is wrong. */
static const char *
range_wrong(ir_arena *a, const cg_dot_schedule *how)
{
    cg_dot_schedule copy = *how;

    for (const field *f = fields; f < fields + FIELDS; f++) {
        const int64_t x = *value_of(f, &copy);

        if (!(f->used & ONE(how->lanes)) && x != 0)
            return ir_format(a, "%s is not used where lanes=%s", f->name,
                             fields[0].word[how->lanes]);
        if ((f->used & ONE(how->lanes)) && (x < f->least || x > f->most))
            return ir_format(a, "%s is %lld; wants %lld to %lld", f->name, (long long)x,
                             (long long)f->least, (long long)f->most);
    }
    return (how->share == CG_DOT_SHARE_NONE) == (how->shares == 0) && how->shares != 1
               ? NULL
               : "share and shares want each other, and at least two shares";
}

const char *
cg_dot_schedule_parse(ir_arena *a, const char *text, size_t n, cg_dot_schedule *out)
{
    const char *end = text + n;
    bool seen[FIELDS] = { false };

    *out = (cg_dot_schedule){ 0 };
    while (text < end) {
        const size_t blank = strspn(text, " \t"), length = strcspn(text + blank, " \t\r\n;");
        const char *s = text + blank, *equals = memchr(s, '=', length);

        if (s >= end || length == 0)
            break;
        const int shown = (int)(length < MOST_NAME ? length : MOST_NAME);
        const field *f = equals ? field_of(s, (size_t)(equals - s)) : NULL;
        if (!f)
            return ir_format(a, "'%.*s' is no field of a schedule", shown, s);
        if (seen[f - fields])
            return ir_format(a, "%s occurs twice", f->name);
        seen[f - fields] = true;
        if (!read_value(f, equals + 1, (size_t)(s + length - equals - 1), value_of(f, out)))
            return ir_format(a, "'%.*s' has no value of %s", shown, s, f->name);
        text = s + length;
    }
    return seen[0] ? range_wrong(a, out) : "it has no field 'lanes'";
}

typedef struct line {
    const char *name, *record, *next;
    size_t name_n, record_n; /* name_n 0: an empty line */
} line;

static const char between[] = ": schedule ";

/* Read the line at s; false: it is none of ours. */
static bool
read_line(const char *s, line *out)
{
    const size_t n = strcspn(s, "\r\n;"), to = strcspn(s, "\n"), blank = strspn(s, " \t");
    const char *colon = memchr(s, ':', n);

    *out = (line){ .next = s[to] ? s + to + 1 : s + to };
    if (blank >= n)
        return true;
    if (!colon || n - (size_t)(colon - s) < sizeof between ||
        memcmp(colon, between, sizeof between - 1) != 0)
        return false;
    out->name = s + blank;
    out->name_n = (size_t)(colon - out->name);
    out->record = colon + sizeof between - 1;
    out->record_n = n - (size_t)(out->record - s);
    return out->name_n > 0;
}

const char *
cg_dot_schedule_for(const char *schedules, const char *kernel, size_t *n)
{
    line at;

    for (const char *s = schedules; s && *s; s = at.next) {
        if (!read_line(s, &at) || !at.name_n || !is_text(kernel, at.name, at.name_n))
            continue;
        *n = at.record_n;
        return at.record;
    }
    return NULL;
}

const char *
cg_dot_schedules_wrong(ir_arena *a, const char *schedules, int n, const char *const *kernel)
{
    int number = 1;
    line at;

    for (const char *s = schedules; s && *s; s = at.next, number++) {
        bool known = false;

        if (!read_line(s, &at))
            return ir_format(a, "line %d is no 'KERNEL: schedule FIELD=VALUE ...'", number);
        for (int i = 0; i < n && at.name_n; i++)
            known |= is_text(kernel[i], at.name, at.name_n);
        if (at.name_n && !known)
            return ir_format(a, "line %d: no contraction is lowered as a kernel '%.*s'", number,
                             (int)(at.name_n < MOST_NAME ? at.name_n : MOST_NAME), at.name);
    }
    return NULL;
}
