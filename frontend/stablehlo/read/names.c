/* Values by name while text is read: a stack of bindings, since names end with the region that
 * holds them, and chains through it by hash.  A use notes the value with every region between
 * it and the definition, which captures it. */
#include "frontend/stablehlo/read/parse.h"

typedef struct binding {
    hlo_span name;
    uint64_t hash;
    uint32_t value, n; /* n values from here */
    uint32_t hidden; /* the binding of this hash chain before, 1 up */
} binding;

enum { NAME_SLOTS = 1 << 16 };

struct hlo_names {
    binding *at;
    uint32_t n, cap;
    uint32_t slot[NAME_SLOTS]; /* the last binding of a hash, 1 up */
};

void
fe_hlo_bind(hlo_reader *r, hlo_span name, uint32_t value, uint32_t n)
{
    struct hlo_names *s = r->names;
    const uint64_t hash = ir_hash(0, name.at, name.n);
    uint32_t *slot = &s->slot[hash % NAME_SLOTS];
    const binding b = { name, hash, value, n, *slot };

    IR_PUSH(r->a, s->at, s->n, s->cap, b);
    *slot = s->n;
}

/* Forget all but the first n. */
void
fe_hlo_unbind(hlo_reader *r, uint32_t n)
{
    struct hlo_names *s = r->names;

    while (s->n > n) {
        s->n--;
        s->slot[s->at[s->n].hash % NAME_SLOTS] = s->at[s->n].hidden;
    }
}

uint32_t
fe_hlo_new_value(hlo_reader *r, const hlo_type *type)
{
    hlo_value v = { type, r->region };

    IR_PUSH(r->a, r->m->value, r->m->n_values, r->m->cap_values, v);
    return r->m->n_values - 1;
}

/* %name, without what follows: #1, :2 */
bool
fe_hlo_value_name(hlo_reader *r, hlo_span *s)
{
    if (!fe_hlo_expect(r, "%"))
        return false;
    const char *start = r->at;
    while (r->at < r->end && (fe_hlo_is_word(*r->at) || *r->at == '-'))
        r->at++;
    *s = (hlo_span){ start, (size_t)(r->at - start) };
    return s->n > 0 || fe_hlo_wants(r, start, "the name of a value");
}

/* Each region between its definition and here captures a value of outside. */
static void
capture(hlo_reader *r, uint32_t value)
{
    for (hlo_region *s = r->region; s && s != r->m->value[value].region; s = s->outer) {
        const uint64_t key = (uint64_t)s->id << 32 | value;
        uint32_t at = 0;
        if (ir_map_next(&r->m->captured, key, &at) != 0)
            return;
        ir_map_add(&r->m->captured, key, value);
        IR_PUSH(r->a, s->captured, s->n_captured, s->cap_captured, value);
    }
}

bool
fe_hlo_operand(hlo_reader *r, uint32_t *out)
{
    hlo_span name;
    int64_t k = 0;

    fe_hlo_skip(r);
    const char *start = r->at;
    if (!fe_hlo_value_name(r, &name))
        return false;
    if (r->at < r->end && *r->at == '#') {
        r->at++;
        if (!fe_hlo_integer(r, &k))
            return false;
    }
    const uint64_t hash = ir_hash(0, name.at, name.n);
    for (uint32_t i = r->names->slot[hash % NAME_SLOTS]; i; i = r->names->at[i - 1].hidden) {
        const binding *b = &r->names->at[i - 1];
        if (b->hash != hash || b->name.n != name.n || memcmp(b->name.at, name.at, name.n) != 0)
            continue;
        if (k < 0 || k >= b->n)
            break;
        *out = b->value + (uint32_t)k;
        capture(r, *out);
        return true;
    }
    return fe_hlo_wants(r, start, "a value that is defined before");
}

void
fe_hlo_names_begin(hlo_reader *r)
{
    r->names = IR_NEW(r->a, struct hlo_names);
}

uint32_t
fe_hlo_names_count(const hlo_reader *r)
{
    return r->names->n;
}
