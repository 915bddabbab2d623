/* Messages that are begun before they are waited for (late.h).
 *
 * What is sent is kept, and only passed on when it is waited for, or when a later message to
 * the partner must not overtake it.  Until then what is received is not what will be, and what
 * is sent must not change. */
#include "tests/processes/late.h"

#include <stdlib.h>
#include <string.h>

static int
pass_on(late *w, late_message *m)
{
    m->passed = true;
    w->changed |= m->sends && memcmp(m->copy, m->send, m->sends) != 0;
    return w->of->exchange(w->of->user, m->partner, m->copy, m->sends, m->receive, m->receives);
}

/* Those of the first n that go to a partner. */
static int
pass_until(late *w, int n, int partner)
{
    for (int k = 0; k < n; k++)
        if (w->message[k].partner == partner && !w->message[k].passed &&
            pass_on(w, &w->message[k]))
            return 1;
    return 0;
}

static int
exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
         size_t receive_bytes)
{
    late *w = user;

    if (pass_until(w, w->n, partner))
        return 1;
    return w->of->exchange(w->of->user, partner, send, send_bytes, receive, receive_bytes);
}

static int64_t
start(void *user, int partner, const void *send, size_t send_bytes, void *receive,
      size_t receive_bytes)
{
    late *w = user;

    if (w->n == LATE_MESSAGES)
        return -1;
    late_message *m = &w->message[w->n++];
    *m = (late_message){ .partner = partner,
                         .number = w->next++,
                         .send = send,
                         .receive = receive,
                         .copy = malloc(send_bytes + 1),
                         .sends = send_bytes,
                         .receives = receive_bytes };
    if (!m->copy)
        return -1;
    if (send_bytes)
        memcpy(m->copy, send, send_bytes);
    if (receive_bytes)
        memset(receive, 0xa5, receive_bytes);
    w->most = w->n > w->most ? w->n : w->most;
    return m->number;
}

static int
wait_for(void *user, int64_t number)
{
    late *w = user;
    int k = 0;

    while (k < w->n && w->message[k].number != number)
        k++;
    if (k == w->n || pass_until(w, k + 1, w->message[k].partner))
        return 1;
    free(w->message[k].copy);
    w->n--;
    memmove(w->message + k, w->message + k + 1, (size_t)(w->n - k) * sizeof *w->message);
    return 0;
}

static void
give_up(void *user)
{
    late *w = user;

    for (int k = 0; k < w->n; k++)
        free(w->message[k].copy);
    w->n = 0;
    w->of->abort(w->of->user);
}

static const char *
error_text(void *user)
{
    const late *w = user;

    return w->of->error(w->of->user);
}

cot_comm
late_comm(late *w, const cot_comm *of)
{
    memset(w, 0, sizeof *w);
    w->of = of;
    return (cot_comm){ .user = w,
                       .rank = of->rank,
                       .size = of->size,
                       .exchange = exchange,
                       .abort = give_up,
                       .error = error_text,
                       .start = start,
                       .wait = wait_for };
}

bool
late_ended(const late *w)
{
    return w->n == 0 && !w->changed;
}
