/* Lists that users write: types, integers, values, bodies, entries of an index, arrays by
 * name.
 *
 * A list with few entries holds a copy of them, so that it can be kept beyond the block that
 * made it; one with more points to the user's memory. */
#include <string.h>

#include "cotrace/compile.h"
#include "cotrace/module.h"
#include "frontend/trace.h"
#include "ir/diag.h"

/* The list `to` of n entries at `from`, in its own memory or where they are. */
#define LIST_OF(type, entry)                                                                   \
    type type##_of(int n, entry const *at)                                                     \
    {                                                                                          \
        const int most = (int)(sizeof((type *)0)->held / sizeof *at);                          \
        type list = { .n = n, .at = at };                                                      \
                                                                                               \
        if (n < 0 || n > most || !at)                                                          \
            return list;                                                                       \
        list.n_held = n;                                                                       \
        memcpy(list.held, at, sizeof *at * (size_t)n);                                         \
        return list;                                                                           \
    }

LIST_OF(cot_types, cot_type)
LIST_OF(cot_values, cot_value)
LIST_OF(cot_bodies, cot_body *)
LIST_OF(cot_ats, cot_at)

#define ENTRIES(list)                                                                          \
    ((list)->n == 0 || ((list)->n > 0 && (list)->n <= (list)->n_held) ? (list)->held           \
                                                                      : (list)->at)

const cot_type *
cot_types_entries(const cot_types *types)
{
    return types ? ENTRIES(types) : NULL;
}

cot_state
cot_state_of(int n, const cot_named *at)
{
    cot_state list = { .n = n };

    if (n <= COT_HELD_STATE && at)
        memcpy(list.held, at, sizeof *at * (size_t)(n > 0 ? n : 0));
    else
        list.at = (cot_named *)(uintptr_t)at;
    return list;
}

const cot_named *
cot_state_entries(const cot_state *s)
{
    return !s ? NULL : s->at ? s->at : s->held;
}

const int64_t *
cot_list_entries(const cot_list *list)
{
    return !list ? NULL : list->held[0] ? list->held + 1 : list->at;
}

const cot_value *
cot_values_entries(const cot_values *values)
{
    return values ? ENTRIES(values) : NULL;
}

cot_body *const *
fe_bodies(const cot_bodies *bodies)
{
    return ENTRIES(bodies);
}

const cot_at *
fe_ats(const cot_ats *ats)
{
    return ENTRIES(ats);
}

void
fe_readable(cot_values *list)
{
    if (list->n < 0 || (list->n > 0 && !cot_values_entries(list)))
        *list = (cot_values){ .n = 1, .n_held = 1 };
}
