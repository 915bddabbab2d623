/* Ops that communicate with other devices and with the host.
 *
 * There is one device: a collective whose groups hold one process each returns its operand, and
 * any other is refused with an error that names what it needs. */
#include "frontend/stablehlo/import/rules.h"

/* Refuses an op that needs more than one device. */
static void
refuse(hlo_emit *e, const char *what)
{
    fe_hlo_fail(e, "%s, of which one is supported", what);
}

/* Each group has one process: replica_groups is n x 1, or empty where there is only one. */
static bool
is_alone(const hlo_emit *e, const char *name)
{
    const hlo_attr *a = fe_hlo_find(e->op, name, NULL);

    if (!a)
        return true;
    if (a->kind == HLO_LIST)
        return a->n == 0 || (a->n == 1 && (a->item[0].kind != HLO_LIST || a->item[0].n <= 1));
    return a->kind == HLO_DENSE && a->type && a->type->type && a->type->type->size <= 1;
}

/* For one process, sums, gathers, parts and exchanges return its own operand. */
void
fe_hlo_collective(hlo_emit *e)
{
    if (!is_alone(e, "replica_groups") || e->n_in != e->n_out) {
        refuse(e, "its groups are of several devices");
        return;
    }
    for (int i = 0; i < e->n_out; i++)
        e->out[i] = e->in[i];
}

/* From the only device to itself, or from none, which gives zeros. */
void
fe_hlo_collective_permute(hlo_emit *e)
{
    ir_ints pairs;

    if (!fe_hlo_ints(e, "source_target_pairs", NULL, -1, 0, &pairs))
        return;
    if (pairs.n == 0)
        e->out[0] = ir_zeros(e->b, fe_hlo_in_type(e, 0));
    else if (pairs.n == 2 && pairs.at[0] == 0 && pairs.at[1] == 0)
        e->out[0] = e->in[0];
    else
        refuse(e, "it sends between devices");
}

void
fe_hlo_refused(hlo_emit *e)
{
    fe_hlo_fail(e, "%s", e->row->op);
}
