/* Rows between processes: processes.gather and processes.move (world.c).
 *
 * A gather makes whole what each process has rows of.  A move makes the own rows of another
 * value, each of which is a row of the first or zeros: a process sends to each other the rows
 * that the other needs, in the order of the rows that they become, and keeps what stays with
 * it.  Both sides find that order from the numbers of groups alone, so that no index travels.
 * Of a shift by a few groups, which are owned by runs, only the rows at the limits of runs
 * leave a process: a halo exchange. */
#include <stdlib.h>
#include <string.h>

#include "runtime/world_sum.h"

/* Rows of process p to their places in the whole value. */
static void
put_rows(const ir_owned *own, size_t row, const int64_t *list, const char *x, char *out)
{
    if (row == 0)
        return;
    for (int64_t k = 0; k < own->groups; k++)
        memcpy(out + (size_t)list[k] * row, x + (size_t)k * row, row);
}

static int
gather_rows(const cot_comm *c, ir_own_rule rule, int64_t groups, size_t row, int64_t *list,
            char *other, const char *x, char *out)
{
    const ir_owned own = ir_owned_by(rule, groups, c->size, c->rank);

    for (int round = 0; round < c->size; round++) {
        const int p = rt_world_partner(c, round);
        const ir_owned their = ir_owned_by(rule, groups, c->size, p);
        if (p != c->rank && rt_world_exchange(c, p, x, (size_t)own.groups * row, other,
                                              (size_t)their.groups * row))
            return RT_WORLD_FAILED;
        ir_owned_list(groups, &their, list);
        put_rows(&their, row, list, p == c->rank ? x : other, out);
    }
    return 0;
}

int
rt_world_gather(const cot_comm *c, ir_own_rule rule, int64_t groups, size_t row,
                const void *rows, void *out)
{
    char *other = malloc((size_t)groups * row + 1);
    int64_t *list = malloc(sizeof *list * (size_t)(groups + 1));
    const int status = other && list ? gather_rows(c, rule, groups, row, list, other, rows, out)
                                     : RT_WORLD_MEMORY;

    free(other), free(list);
    return status;
}

typedef struct row_move {
    const cot_comm *comm;
    const rt_move *m;
    size_t row;
    const char *x;
    char *out, *sent, *received;
    int64_t *from;          /* by row of the result: the row that it is, or -1 */
    int *owner;             /* by row of x */
    int64_t *place;         /* by row of x: which of its owner's it is */
    int64_t *list, *theirs; /* the rows of the result: of this process, of another */
} row_move;

static void
find_rows(row_move *v)
{
    const rt_move *m = v->m;
    int64_t i = 0;

    for (int64_t k = 0; k < m->runs; k++)
        for (int64_t j = 0; j < m->run[2 * k + 1]; j++)
            v->from[i++] = m->run[2 * k] < 0 ? -1 : m->run[2 * k] + j;
    for (int p = 0; p < v->comm->size; p++) {
        const ir_owned own = ir_owned_by(m->rule, m->groups, v->comm->size, p);
        ir_owned_list(m->groups, &own, v->list);
        for (int64_t k = 0; k < own.groups; k++) {
            v->owner[v->list[k]] = p;
            v->place[v->list[k]] = k;
        }
    }
}

/* The rows that process p needs of this one, in the order of its own; how many bytes. */
static size_t
pack(const row_move *v, const ir_owned *their, char *to)
{
    size_t n = 0;

    for (int64_t k = 0; k < their->groups; k++) {
        const int64_t i = v->from[v->theirs[k]];
        if (i < 0 || v->owner[i] != v->comm->rank)
            continue;
        memcpy(to + n, v->x + (size_t)v->place[i] * v->row, v->row);
        n += v->row;
    }
    return n;
}

/* Rows that came from process p to their places; zeros are there already. */
static size_t
unpack(const row_move *v, const ir_owned *own, int p, const char *x)
{
    size_t n = 0;

    for (int64_t k = 0; k < own->groups; k++) {
        const int64_t i = v->from[v->list[k]];
        if (i < 0 || v->owner[i] != p)
            continue;
        if (x)
            memcpy(v->out + (size_t)k * v->row, x + n, v->row);
        n += v->row;
    }
    return n;
}

static int
move_rows(row_move *v)
{
    const cot_comm *c = v->comm;
    const rt_move *m = v->m;
    const ir_owned own = ir_owned_by(m->rule, m->to, c->size, c->rank);

    find_rows(v);
    ir_owned_list(m->to, &own, v->list);
    memset(v->out, 0, (size_t)own.groups * v->row);
    for (int round = 0; round < c->size; round++) {
        const int p = rt_world_partner(c, round);
        const ir_owned their = ir_owned_by(m->rule, m->to, c->size, p);
        ir_owned_list(m->to, &their, v->theirs);
        const size_t sends = pack(v, &their, v->sent), receives = unpack(v, &own, p, NULL);
        if (p != c->rank && rt_world_exchange(c, p, v->sent, sends, v->received, receives))
            return RT_WORLD_FAILED;
        unpack(v, &own, p, p == c->rank ? v->sent : v->received);
    }
    return 0;
}

static int64_t
most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

int
rt_world_move(const cot_comm *comm, const rt_move *m, size_t row, const void *rows, void *out)
{
    const size_t longest = (size_t)most(m->groups, m->to) + 1;
    row_move v = { .comm = comm, .m = m, .row = row, .x = rows, .out = out };
    int status = RT_WORLD_MEMORY;

    if (row == 0)
        return 0;
    int64_t *numbers = malloc(sizeof *numbers * 4 * longest);
    v.owner = malloc(sizeof *v.owner * longest);
    v.sent = malloc((size_t)m->to * row + 1);
    v.received = malloc((size_t)m->to * row + 1);
    if (numbers && v.owner && v.sent && v.received) {
        v.from = numbers;
        v.place = numbers + longest;
        v.list = numbers + 2 * longest;
        v.theirs = numbers + 3 * longest;
        status = move_rows(&v);
    }
    free(numbers), free(v.owner), free(v.sent), free(v.received);
    return status;
}
