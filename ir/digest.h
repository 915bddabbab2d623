/* SHA-256: names for content that nobody compares byte by byte. */
#ifndef IR_DIGEST_H
#define IR_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct ir_digest {
    uint8_t byte[32];
} ir_digest;

/* A digest under construction: begin, add any number of times, end. */
typedef struct ir_digest_state {
    uint32_t h[8];
    uint64_t n;                 /* bytes so far                        */
    uint8_t block[64];          /* n % 64 of them wait for the others  */
} ir_digest_state;

void ir_digest_begin(ir_digest_state *s);
void ir_digest_add(ir_digest_state *s, const void *bytes, size_t n);
/* A string and its terminator, so that "ab", "c" is not "a", "bc"; NULL is "". */
void ir_digest_text(ir_digest_state *s, const char *text);
ir_digest ir_digest_end(ir_digest_state *s);
/* 64 lower-case digits and a terminator. */
void ir_digest_hex(const ir_digest *d, char out[65]);

#endif
