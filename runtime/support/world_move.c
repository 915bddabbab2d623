/* Rows between processes: processes.gather and processes.move (world.h).
 *
 * A gather makes whole what each process has rows of.  A move makes the own rows of another
 * value, each of which is a row of the first or zeros: a process sends to each other the rows
 * that the other needs, in the order of the rows that they become, and copies what stays with
 * it.  Both sides find them from the numbers of groups alone, so that no index travels.  Groups
 * are owned by runs, and of a shift by a few of them only the rows at the limits of runs leave
 * a process: a halo exchange. */
#include <string.h>

#include "runtime/support/world.h"

static int64_t
most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t
least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* The list of the groups of a process, then the rows of another one; runs need neither, since
 * their rows arrive where they belong. */
int64_t
cot_rt_world_gather_room(int size, int rank, int64_t owners, int64_t groups, int64_t row)
{
    const cot_rt_owners o = cot_rt_owners_of(owners, size, rank);
    int64_t longest = 0;

    if (o.rule == COT_RT_OWN_RUNS)
        return 0;
    for (int p = 0; p < o.size; p++)
        longest = most(longest, cot_rt_owned_by(o.rule, groups, o.size, p).groups);
    return longest * ((int64_t)sizeof(int64_t) + row);
}

/* Rows of a process to their places in the whole value. */
static void
put_rows(const cot_rt_owned *own, int64_t groups, size_t row, int64_t *list, const char *x,
         char *out)
{
    cot_rt_owned_list(groups, own, list);
    for (int64_t k = 0; k < own->groups; k++)
        memcpy(out + (size_t)list[k] * row, x + (size_t)k * row, row);
}

static int
gather_leaves(const cot_comm *c, int64_t groups, size_t row, const char *x, char *out,
              int64_t *list)
{
    const cot_rt_owned own = cot_rt_owned_by(COT_RT_OWN_LEAVES, groups, c->size, c->rank);
    int64_t longest = 0;

    for (int p = 0; p < c->size; p++)
        longest = most(longest, cot_rt_owned_by(COT_RT_OWN_LEAVES, groups, c->size, p).groups);
    char *other = (char *)(list + longest);
    for (int round = 0; round < c->size; round++) {
        const int p = cot_rt_world_partner(c, round);
        const cot_rt_owned their = cot_rt_owned_by(COT_RT_OWN_LEAVES, groups, c->size, p);
        if (p != c->rank && cot_rt_world_exchange(c, p, x, (size_t)own.groups * row, other,
                                                  (size_t)their.groups * row))
            return COT_RT_WORLD_FAILED;
        put_rows(&their, groups, row, list, p == c->rank ? x : other, out);
    }
    return 0;
}

/* The rows of the partners of rounds `from` to `to`. */
static int
gather_rounds(const cot_comm *c, int64_t groups, size_t row, const char *x, char *out, int from,
              int to)
{
    const cot_rt_owned own = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, c->size, c->rank);
    int64_t number[COT_RT_WORLD_AT_ONCE];

    for (int r = from; r < to; r++) {
        const int p = cot_rt_world_partner(c, r);
        const cot_rt_owned their = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, c->size, p);
        const size_t n = p == c->rank ? 0 : row; /* no message to itself */
        if (cot_rt_world_start(c, p, x, (size_t)own.groups * n, out + (size_t)their.first * row,
                               (size_t)their.groups * n, &number[r - from]))
            return COT_RT_WORLD_FAILED;
    }
    for (int r = from; r < to; r++)
        if (cot_rt_world_wait(c, number[r - from]))
            return COT_RT_WORLD_FAILED;
    return 0;
}

static int
gather_runs(const cot_comm *c, int64_t groups, size_t row, const char *x, char *out)
{
    const cot_rt_owned own = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, c->size, c->rank);
    int status = 0;

    if (own.groups)
        memcpy(out + (size_t)own.first * row, x, (size_t)own.groups * row);
    for (int from = 0; from < c->size && !status; from += COT_RT_WORLD_AT_ONCE) {
        const int end = from + COT_RT_WORLD_AT_ONCE;
        status = gather_rounds(c, groups, row, x, out, from, end < c->size ? end : c->size);
    }
    return status;
}

int
cot_rt_world_gather(const void *comm, const void *rows, void *out, void *room, int64_t owners,
                    int64_t groups, int64_t row)
{
    cot_rt_subgrid g;
    const cot_comm *c = cot_rt_subgrid_of(&g, comm, owners);

    if (row == 0)
        return 0;
    return cot_rt_world_given_up(c,
                                 g.owners.rule == COT_RT_OWN_RUNS
                                     ? gather_runs(c, groups, (size_t)row, rows, out)
                                     : gather_leaves(c, groups, (size_t)row, rows, out, room));
}

typedef struct row_move {
    int64_t runs;
    const int64_t *run;
    size_t row;
} row_move;

/* Consecutive rows that stay together: rows of the result, those that they are. */
typedef struct moved_rows {
    int64_t to, from, n;
} moved_rows;

/* The next of the rows of which one process has the result and another the source; r and i are
 * the run and its first row, 0 at the start.  false: there is none left. */
static bool
next_rows(const row_move *m, const cot_rt_owned *to, const cot_rt_owned *from, int64_t *r,
          int64_t *i, moved_rows *out)
{
    for (; *r < m->runs; ++*r) {
        const int64_t source = m->run[2 * *r], n = m->run[2 * *r + 1], start = *i,
                      shift = source - start;
        const int64_t lo = most(most(start, to->first), from->first - shift),
                      hi = least(least(start + n, to->first + to->groups),
                                 from->first + from->groups - shift);
        *i += n;
        if (source < 0 || lo >= hi)
            continue;
        *out = (moved_rows){ lo - to->first, lo + shift - from->first, hi - lo };
        ++*r;
        return true;
    }
    return false;
}

/* Rows into a message, or with `out` out of one; with both from one array into the other.  How
 * many bytes. */
static size_t
copy_rows(const row_move *m, const cot_rt_owned *to, const cot_rt_owned *from, const char *x,
          char *message, char *out)
{
    int64_t r = 0, i = 0;
    size_t at = 0;
    moved_rows rows;

    while (next_rows(m, to, from, &r, &i, &rows)) {
        const size_t n = (size_t)rows.n * m->row;
        if (out)
            memcpy(out + (size_t)rows.to * m->row,
                   x ? x + (size_t)rows.from * m->row : message + at, n);
        else if (x)
            memcpy(message + at, x + (size_t)rows.from * m->row, n);
        at += n;
    }
    return at;
}

static size_t
count_bytes(const row_move *m, const cot_rt_owned *to, const cot_rt_owned *from)
{
    return copy_rows(m, to, from, NULL, NULL, NULL);
}

/* What goes to process p, and comes from it, in bytes. */
typedef struct move_sizes {
    size_t sends, receives;
} move_sizes;

static move_sizes
sizes_of(const row_move *m, int64_t groups, int64_t to, int size, int rank, int p)
{
    const cot_rt_owned from = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, size, rank),
                       own = cot_rt_owned_by(COT_RT_OWN_RUNS, to, size, rank),
                       theirs = cot_rt_owned_by(COT_RT_OWN_RUNS, to, size, p),
                       their_from = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, size, p);

    return (move_sizes){ count_bytes(m, &theirs, &from), count_bytes(m, &own, &their_from) };
}

static int64_t
numbers_bytes(int size)
{
    return (size + 1) / 2 * 2 * (int64_t)sizeof(int64_t); /* aligned to 16 */
}

int64_t
cot_rt_world_move_room(int size, int rank, const int64_t *run, int64_t groups, int64_t to,
                       int64_t row, int64_t runs, int64_t owners)
{
    const row_move m = { runs, run, (size_t)row };
    const cot_rt_owners o = cot_rt_owners_of(owners, size, rank);
    int64_t bytes = numbers_bytes(o.size);

    for (int p = 0; p < o.size; p++) {
        if (p == o.rank)
            continue;
        const move_sizes n = sizes_of(&m, groups, to, o.size, o.rank, p);
        bytes += (int64_t)(n.sends + n.receives);
    }
    return bytes;
}

int
cot_rt_world_start_move(const void *comm, const void *rows, const int64_t *run, void *room,
                        int64_t groups, int64_t to, int64_t row, int64_t runs, int64_t owners)
{
    cot_rt_subgrid g;
    const cot_comm *c = cot_rt_subgrid_of(&g, comm, owners);
    const row_move m = { runs, run, (size_t)row };
    const cot_rt_owned from = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, c->size, c->rank);
    int64_t *number = room;
    char *at = (char *)room + numbers_bytes(c->size);

    for (int round = 0; round < c->size; round++) {
        const int p = cot_rt_world_partner(c, round);
        if (p == c->rank)
            continue;
        const move_sizes n = sizes_of(&m, groups, to, c->size, c->rank, p);
        const cot_rt_owned theirs = cot_rt_owned_by(COT_RT_OWN_RUNS, to, c->size, p);
        copy_rows(&m, &theirs, &from, rows, at, NULL);
        if (cot_rt_world_start(c, p, at, n.sends, at + n.sends, n.receives, &number[p]))
            return cot_rt_world_given_up(c, COT_RT_WORLD_FAILED);
        at += n.sends + n.receives;
    }
    return 0;
}

int
cot_rt_world_move(const void *comm, const void *rows, const int64_t *run, const void *room,
                  void *out, int64_t groups, int64_t to, int64_t row, int64_t runs,
                  int64_t owners)
{
    cot_rt_subgrid g;
    const cot_comm *c = cot_rt_subgrid_of(&g, comm, owners);
    const row_move m = { runs, run, (size_t)row };
    const cot_rt_owned from = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, c->size, c->rank),
                       own = cot_rt_owned_by(COT_RT_OWN_RUNS, to, c->size, c->rank);
    const int64_t *number = room;
    const char *at = (const char *)room + numbers_bytes(c->size);

    if (own.groups)
        memset(out, 0, (size_t)own.groups * m.row);
    copy_rows(&m, &own, &from, rows, NULL, out);
    for (int round = 0; round < c->size; round++) {
        const int p = cot_rt_world_partner(c, round);
        if (p == c->rank)
            continue;
        const move_sizes n = sizes_of(&m, groups, to, c->size, c->rank, p);
        const cot_rt_owned their_from = cot_rt_owned_by(COT_RT_OWN_RUNS, groups, c->size, p);
        if (cot_rt_world_wait(c, number[p]))
            return cot_rt_world_given_up(c, COT_RT_WORLD_FAILED);
        copy_rows(&m, &own, &their_from, NULL, (char *)(uintptr_t)at + n.sends, out);
        at += n.sends + n.receives;
    }
    return 0;
}
