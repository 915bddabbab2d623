/* Open addressing with linear probing; never more than half full. */
#include "ir/map.h"

#include <stdbool.h>

/* Mixes eight bytes a step; the finish is that of MurmurHash3 (A. Appleby). */
uint64_t
ir_hash(uint64_t seed, const void *p, size_t bytes)
{
    const unsigned char *s = p;
    uint64_t h = seed ^ (bytes * 0x9E3779B97F4A7C15u);
    for (; bytes >= 8; bytes -= 8, s += 8) {
        uint64_t x;
        memcpy(&x, s, 8);
        h = ir_hash_u64(h, x) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    uint64_t x = 0;
    if (bytes)
        memcpy(&x, s, bytes);
    h = ir_hash_u64(h, x);
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

void
ir_map_init(ir_map *m, ir_arena *a)
{
    *m = (ir_map){ .arena = a };
}

static void
put(ir_map *m, uint64_t hash, uint32_t id)
{
    uint32_t i = (uint32_t)hash & (m->cap - 1);
    while (m->id[i])
        i = (i + 1) & (m->cap - 1);
    m->hash[i] = hash;
    m->id[i] = id;
}

void
ir_map_add(ir_map *m, uint64_t hash, uint32_t id)
{
    if (2 * (m->n + 1) > m->cap) {
        const ir_map old = *m;
        const uint32_t cap = old.cap ? old.cap * 2 : 16;
        uint64_t *hash = IR_NEW_N(m->arena, uint64_t, cap);
        uint32_t *id = IR_NEW_N(m->arena, uint32_t, cap);
        *m = (ir_map){ m->arena, hash, id, old.n, cap }; /* both allocations have succeeded */
        for (uint32_t i = 0; i < old.cap; i++)
            if (old.id[i])
                put(m, old.hash[i], old.id[i]);
    }
    put(m, hash, id);
    m->n++;
}

/* *at counts the slots probed so far. */
uint32_t
ir_map_next(const ir_map *m, uint64_t hash, uint32_t *at)
{
    while (m->cap && *at < m->cap) {
        uint32_t i = ((uint32_t)hash + (*at)++) & (m->cap - 1);
        if (!m->id[i])
            return 0;
        if (m->hash[i] == hash)
            return m->id[i];
    }
    return 0;
}
