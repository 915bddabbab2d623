/* The locations of the instructions that a line of C computes, in front of the line.
 *
 * The text of a kernel is put together from pieces whose places in the file are not known while
 * they are written, so that the locations are a part of the text.  They are written only where
 * the module has a record (kernel/record.h), for who shows values: the text is no C until they
 * are taken out of it. */
#include "codegen/c/emit.h"

/* Locations of a line; instructions that are looked at for them. */
enum { MOST = 32, MOST_LOOKS = 512 };

typedef struct location_set {
    ir_loc at[MOST];
    int n, looks;
} location_set;

static bool
has(const location_set *s, ir_loc loc)
{
    for (int k = 0; k < s->n; k++)
        if (s->at[k] == loc)
            return true;
    return false;
}

/* Those of v, and of the values whose text stands in that of v. */
static void
add(const cg_c_emit *e, cg_val v, location_set *s)
{
    const cg_insn *i = &e->k->insn[v];

    if (i->loc && s->n < MOST && !has(s, i->loc))
        s->at[s->n++] = i->loc;
    for (int k = 0; k < 7 && s->n < MOST && s->looks++ < MOST_LOOKS; k++) {
        const cg_val x = k < 3 ? i->in[k] : i->args[k - 3];

        if (x && e->inlined[x])
            add(e, x, s);
    }
}

const char *
cg_c_marks(const cg_c_emit *e, cg_val v)
{
    location_set s = { 0 };
    ir_buf b;

    if (!e->m->record)
        return NULL;
    add(e, v, &s);
    if (s.n == 0)
        return NULL;
    ir_buf_init(&b, e->t->arena);
    ir_buf_printf(&b, "%c", CG_C_MARK);
    for (int k = 0; k < s.n; k++)
        ir_buf_printf(&b, k ? ",%u" : "%u", s.at[k]);
    ir_buf_printf(&b, "%c", CG_C_MARK);
    return b.text;
}
