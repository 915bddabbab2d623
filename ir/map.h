/* Hash map from 64-bit hashes to 32-bit ids, in an arena; the caller compares entries of equal
 * hash. */
#ifndef IR_MAP_H
#define IR_MAP_H

#include "ir/arena.h"

typedef struct ir_map {
    ir_arena *arena;
    uint64_t *hash;
    uint32_t *id;       /* 0: empty slot */
    uint32_t n, cap;    /* cap is a power of two, or 0 */
} ir_map;

uint64_t ir_hash(uint64_t seed, const void *p, size_t bytes);
static inline uint64_t
ir_hash_u64(uint64_t seed, uint64_t x)
{
    uint64_t h = (seed ^ x) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

void ir_map_init(ir_map *m, ir_arena *a);
void ir_map_add(ir_map *m, uint64_t hash, uint32_t id);
/* Each id stored under hash, one a call; start with *at = 0; 0 when there are no more. */
uint32_t ir_map_next(const ir_map *m, uint64_t hash, uint32_t *at);

#endif
