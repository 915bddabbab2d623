/* The work block of a kernel for all sizes: its buffers lie behind each other, where the sizes
 * of those before them say. */
#include "codegen/open/rewrite.h"

#include <stdlib.h>

enum { WORK_ALIGN = 64 }; /* of the buffers of a work block: plan/lifetimes.c */

static int
by_offset(const void *x, const void *y)
{
    const cg_open_part *a = x, *b = y;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool
has_part(const cg_open *o, int64_t offset)
{
    for (uint32_t i = 0; i < o->n_parts; i++)
        if (o->part[i].offset == offset)
            return true;
    return false;
}

/* The levels of a cumulative sum, say, have one length: a call computes it once. */
static void
count_alike(cg_open *o)
{
    for (uint32_t i = 0; i < o->n_parts; i++) {
        const cg_open_part *x = &o->part[i];
        uint32_t first = 0;

        while (o->part[first].element_bytes != x->element_bytes ||
               !cg_form_same(&o->part[first].elements, &x->elements))
            first++;
        o->part[first].alike++;
    }
}

/* Buffers that share memory are all the same size (plan/lifetimes.c). */
void
cg_open_find_parts(cg_open *o, const cg_tokens *t)
{
    const cg_kernel *k = o->module->kernel[0];
    const uint32_t n = o->entry.n_constants;

    for (uint32_t i = 0; i < n; i++)
        IR_PUSH(o->arena, o->part, o->n_parts, o->cap_parts,
                ((cg_open_part){ { .whole = { .constant = 1 } }, WORK_ALIGN, -1, 0 }));
    for (uint32_t i = 0; i < t->n_numbers && t->number[i].k == k; i++) {
        const cg_number *x = &t->number[i];
        const cg_buffer *b = &k->buffer[x->buffer];

        if (x->kind == CG_NUMBER_ELEMENTS && b->space == CG_WORK && !has_part(o, b->offset))
            IR_PUSH(
                o->arena, o->part, o->n_parts, o->cap_parts,
                ((cg_open_part){ o->form[i], (int64_t)cot_dtype_size(b->type), b->offset, 0 }));
    }
    if (o->n_parts > n)
        qsort(o->part + n, o->n_parts - n, sizeof *o->part, by_offset);
    count_alike(o);
    o->part_of = IR_NEW_N(o->arena, uint32_t, k->n_buffers);
    for (uint32_t i = 0; i < k->n_buffers; i++)
        for (uint32_t p = o->entry.n_constants; k->buffer[i].space == CG_WORK && p < o->n_parts;
             p++)
            if (o->part[p].offset == k->buffer[i].offset)
                o->part_of[i] = p + 1;
}

/* The arguments for constants become buffers of the work block, before all others. */
void
cg_open_find_constants(cg_open *o)
{
    cg_module *m = o->module;
    cg_kernel *k = m->kernel[0];
    const int first = o->entry.first_constant, n = (int)o->entry.n_constants;

    o->constant_in = IR_NEW_N(o->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        cg_buffer *b = &k->buffer[i];

        if (b->space > CG_OUT || b->arg < first)
            continue;
        if (b->arg >= first + n) {
            b->arg -= n;
            continue;
        }
        o->constant_in[b->arg - first] = i + 1;
        o->part_of[i] = (uint32_t)(b->arg - first) + 1;
        b->space = CG_WORK;
    }
    m->n_args -= n;
}

static int64_t
bytes_of(const cg_open_part *p, const int64_t *size)
{
    return (cg_form_at(&p->elements, size) * p->element_bytes + WORK_ALIGN - 1) / WORK_ALIGN *
           WORK_ALIGN;
}

int64_t
cg_open_work_bytes(const cg_open *o, const int64_t *size)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < o->n_parts; i++)
        if (o->part[i].alike)
            sum += o->part[i].alike * bytes_of(&o->part[i], size);
    return sum;
}

/* Place the buffers of part number `part`: behind parts of open sizes at a value, and before
 * them at a number. */
static void
place_part(cg_rewriting *r, const cg_open *o, uint32_t part, int64_t at, cg_val offset)
{
    const uint32_t n = r->k->n_buffers - 1; /* the last one has the sizes */

    for (uint32_t i = 0; i < n; i++) {
        cg_buffer *b = &r->k->buffer[i];

        if (o->part_of[i] != part + 1)
            continue;
        b->offset = at;
        b->placed = offset != 0;
        if (offset)
            cg_open_insn(
                r, (cg_insn){
                       .op = CG_PLACE, .type = COT_DTYPE_NONE, .imm = i, .in = { offset } });
    }
}

void
cg_open_place_work(cg_rewriting *r, const cg_open *o)
{
    cg_val offset = 0;
    int64_t at = 0;

    for (uint32_t i = 0; i < o->n_parts; i++) {
        const cg_open_part *p = &o->part[i];

        place_part(r, o, i, at, offset);
        if (!offset && cg_form_is_constant(&p->elements)) {
            at += bytes_of(p, NULL);
            continue;
        }
        cg_val bytes = cg_open_scaled(r, cg_open_value(r, &p->elements), p->element_bytes);
        bytes = cg_open_op(r, SC_add, bytes, cg_open_i64(r, WORK_ALIGN - 1));
        bytes = cg_open_op(r, SC_div, bytes, cg_open_i64(r, WORK_ALIGN));
        offset = cg_open_added(r, offset ? offset : cg_open_i64(r, at),
                               cg_open_scaled(r, bytes, WORK_ALIGN));
    }
}

/* Set the offsets of the instance's buffers. */
void
cg_open_place_instance(cg_open *o, const int64_t *size)
{
    cg_kernel *k = o->instance->kernel[0];
    int64_t offset = 0;

    for (uint32_t i = 0; i < o->n_parts; i++) {
        for (uint32_t b = 0; b < k->n_buffers; b++)
            if (o->part_of[b] == i + 1)
                k->buffer[b].offset = offset;
        offset += bytes_of(&o->part[i], size);
    }
    k->work_bytes = o->instance->work_bytes = offset;
}
