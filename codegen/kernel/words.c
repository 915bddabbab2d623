/* Printing the names and numbers of kernel text.
 *
 * Floats are printed as the shortest decimal that reads back as the same number.  A NaN is
 * printed as nan or -nan if it is quiet and has no payload, otherwise as its bits. */
#include <inttypes.h>

#include "codegen/kernel/text.h"
#include "ir/map.h"
#include "ir/reader.h"

const char *const cg_kind_name[] = { "serial", "parallel", "grid",   "block",
                                     "warps",  "lanes",    "unroll", "vector" };
const char *const cg_space_name[] = { "in", "out", "local", "const", "shared", "work" };

const char *
cg_syntax_of(int op)
{
    static const char *const syntax[CG_OP_COUNT] = {
        [CG_LOAD] = "load %t0 %e0[ if %c1]",
        [CG_SCAN] = "scan %o0 %t0 %v0",
        [CG_LAST] = "last %t0 %v0",
        [CG_STORE] = "store %e0 = %v1[ if %c2]",
        [CG_FAIL] = "fail %s0 if %c0",
        [CG_COPY] = "copy %n2 bytes %e0 <- %e1",
        [CG_BARRIER] = "barrier",
        [CG_SWAP] = "swap %b0, %b1",
        [CG_SETTLE] = "settle %b0{ of %i0}",
        [CG_PLACE] = "place %b0 at %i0",
        [CG_PREFETCH] = "prefetch %e0",
        [CG_FETCH] = "fetch{ one} %e0 <- %e1[ of %i2]",
        [CG_COMMIT] = "commit",
        [CG_ARRIVE] = "arrive but %n0",
        [CG_FRAGMENT] = "fragment %e0 <- %e1[ columns]",
        [CG_MMA] = "mma %m0 %e0 += %e1 * %e2",
    };

    return syntax[op];
}

int
cg_syntax_named(const char *word)
{
    const size_t n = strlen(word);

    for (int op = CG_OP_COUNT - 1; op >= CG_LOAD; op--) {
        const char *s = cg_syntax_of(op);
        if (s && strncmp(s, word, n) == 0 && strcspn(s, " {") == n)
            return op;
    }
    return 0;
}

int
cg_syntax_buffers(const char *syntax)
{
    int n = 0;

    for (const char *s = syntax; (s = strchr(s, '%')); s++)
        n += s[1] == 'b' || s[1] == 'e';
    return n;
}

bool
cg_is_plain_name(const char *s)
{
    static const char *const word[] = { "address", "stream", "writes", "one",       "true",
                                        "false",   "nan",    "inf",    "attributes" };

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(s, word[i]) == 0)
            return false;
    if (!(*s >= 'a' && *s <= 'z') && !(*s >= 'A' && *s <= 'Z') && *s != '_')
        return false;
    while (ir_is_word(*s))
        s++;
    return *s == '\0';
}

void
cg_print_name(ir_buf *b, const char *s)
{
    if (cg_is_plain_name(s))
        ir_buf_str(b, s);
    else
        cg_print_quoted(b, s);
}

void
cg_print_quoted(ir_buf *b, const char *s)
{
    ir_buf_str(b, "\"");
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == '"' || *s == '\\' || *s == 0x7f)
            ir_buf_printf(b, "\\%02x", (unsigned)(unsigned char)*s);
        else
            ir_buf_add(b, s, 1);
    ir_buf_str(b, "\"");
}

static uint64_t
hash_of(const char *s)
{
    return ir_hash(1, s, strlen(s));
}

static bool
is_listed(const ir_map *map, const char *const *name, const char *s)
{
    for (uint32_t at = 0, id; (id = ir_map_next(map, hash_of(s), &at)) != 0;)
        if (strcmp(name[id - 1], s) == 0)
            return true;
    return false;
}

/* The last number that was tried for a name that several buffers have. */
static uint32_t *
last_number(ir_map *map, const cg_kernel *k, uint32_t *last, uint32_t i)
{
    const uint64_t h = hash_of(k->buffer[i].name);

    for (uint32_t at = 0, id; (id = ir_map_next(map, h, &at)) != 0;)
        if (strcmp(k->buffer[id - 1].name, k->buffer[i].name) == 0)
            return &last[id - 1];
    ir_map_add(map, h, i + 1);
    return &last[i];
}

/* The first buffer with a name keeps it.  Others get the first number that makes a name which
 * no buffer has, so that names that are distinct already do not change. */
const char **
cg_distinct_names(const cg_kernel *k, ir_arena *a)
{
    const char **own = IR_NEW_N(a, const char *, k->n_buffers + 1),
               **name = IR_NEW_N(a, const char *, k->n_buffers + 1);
    uint32_t *last = IR_NEW_N(a, uint32_t, k->n_buffers + 1);
    ir_map taken, used, numbered;

    ir_map_init(&taken, a);
    ir_map_init(&used, a);
    ir_map_init(&numbered, a);
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        own[i] = k->buffer[i].name;
        ir_map_add(&taken, hash_of(own[i]), i + 1);
    }
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        name[i] = own[i];
        if (is_listed(&used, name, own[i])) {
            uint32_t *n = last_number(&numbered, k, last, i);
            do
                name[i] = ir_format(a, "%s.%u", own[i], ++*n);
            while (is_listed(&taken, own, name[i]) || is_listed(&used, name, name[i]));
        }
        ir_map_add(&used, hash_of(name[i]), i + 1);
    }
    return name;
}

static bool
is_nan_with_payload(cot_dtype t, uint64_t bits)
{
    const uint64_t f64 = bits & INT64_MAX, f32 = bits & INT32_MAX;

    return t == COT_F64 ? f64 > 0x7ff0000000000000u && f64 != 0x7ff8000000000000u
                        : t == COT_F32 && f32 > 0x7f800000u && f32 != 0x7fc00000u;
}

void
cg_print_number(ir_buf *b, cot_dtype t, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    const int bytes = (int)cot_dtype_size(t), drop = 64 - 8 * bytes;
    float f32;
    double f64;

    if (ir_is_half(t) || is_nan_with_payload(t, bits))
        ir_buf_printf(b, "0x%0*" PRIx64, 2 * bytes, bits);
    else if (t == COT_F32) {
        memcpy(&f32, &low, sizeof f32);
        ir_buf_f32(b, f32);
    } else if (t == COT_F64) {
        memcpy(&f64, &bits, sizeof f64);
        ir_buf_f64(b, f64);
    } else if (t == COT_BOOL)
        ir_buf_str(b, bits ? "true" : "false");
    else if (ir_is_signed(t))
        ir_buf_printf(b, "%" PRId64, (int64_t)(bits << drop) >> drop);
    else
        ir_buf_printf(b, "%" PRIu64, bits);
}

/* The bits of element i, stored as on a little-endian machine. */
static uint64_t
element(const void *data, size_t size, int64_t i)
{
    uint64_t bits = 0;

    memcpy(&bits, (const char *)data + (size_t)i * size, size);
    return bits;
}

/* Long data are printed whenever the kernel's code is looked up. */
static void
print_digits(ir_buf *b, uint64_t bits, size_t bytes)
{
    char digit[16];

    for (size_t i = 2 * bytes; i-- > 0; bits >>= 4)
        digit[i] = "0123456789abcdef"[bits & 15];
    ir_buf_add(b, digit, 2 * bytes);
}

void
cg_print_numbers(ir_buf *b, cot_dtype t, const void *data, int64_t n)
{
    const size_t size = cot_dtype_size(t);

    ir_buf_str(b, n < CG_TEXT_HEX ? "[" : "0x");
    for (int64_t i = 0; i < n; i++)
        if (n < CG_TEXT_HEX) {
            ir_buf_str(b, i ? ", " : "");
            cg_print_number(b, t, element(data, size, i));
        } else {
            print_digits(b, element(data, size, i), size);
        }
    if (n < CG_TEXT_HEX)
        ir_buf_str(b, "]");
}
