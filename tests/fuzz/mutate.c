/* A fuzz target on mutants of its corpus: `mutate COUNT FILE...`.  For builds without
 * libFuzzer: the same mutants each time, a few thousand in a second or two.
 *
 * A mutant is a file with a handful of changes: bytes set, spans cut, doubled or moved, a span
 * of another file put in, a number changed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 16, MAX_FILES = 256 };

static struct text {
    size_t n;
    uint8_t *at;
} file[MAX_FILES];
static int n_files;
static uint64_t state = 88172645463325252u;

static size_t
draw(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

static size_t
insert(uint8_t *to, size_t n, size_t at, const uint8_t *from, size_t m)
{
    if (n + m > LARGEST)
        return n;
    memmove(to + at + m, to + at, n - at);
    memmove(to + at, from, m);
    return n + m;
}

static size_t
change(uint8_t *s, size_t n)
{
    static const char odd[] = "(){}[]<>%@#\":,=-0123456789x?^\n z\x80";
    static const char *const number[] = {
        "-1", "0", "1", "64", "65", "2147483648", "9223372036854775807", "4294967296"
    };
    uint8_t copy[512];
    const size_t at = draw(n), most = n - at < 512 ? n - at : 512,
                 span = draw(draw(8) ? 16 : 512) % (most + 1);
    const struct text *other = &file[draw((size_t)n_files)];

    switch (n ? draw(6) : 5) {
    case 0: s[at] = (uint8_t)odd[draw(sizeof odd - 1)]; return n;
    case 1: memmove(s + at, s + at + span, n - at - span); return n - span;
    case 2: memcpy(copy, s + at, span); return insert(s, n, draw(n), copy, span);
    case 3: {
        const char *x = number[draw(8)];
        size_t k = at;
        while (k < n && (s[k] < '0' || s[k] > '9'))
            k++;
        size_t end = k;
        while (end < n && s[end] >= '0' && s[end] <= '9')
            end++;
        memmove(s + k, s + end, n - end);
        return insert(s, n - (end - k), k, (const uint8_t *)x, strlen(x));
    }
    case 4: s[at] ^= (uint8_t)(1u << draw(8)); return n;
    default: {
        const size_t from = draw(other->n),
                     m = draw(other->n - from < 256 ? other->n - from + 1 : 256);
        return insert(s, n, n ? at : 0, other->at + from, m);
    }
    }
}

static int
read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *at = malloc(LARGEST);

    if (!f || !at || n_files == MAX_FILES)
        return 0;
    file[n_files].n = fread(at, 1, LARGEST / 2, f);
    file[n_files++].at = at;
    fclose(f);
    return 1;
}

int
main(int argc, char **argv)
{
    static uint8_t mutant[LARGEST + 512];
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

    for (int i = 2; i < argc; i++)
        if (!read_file(argv[i]))
            return fprintf(stderr, "%s cannot be read\n", argv[i]), 1;
    for (long i = 0; i < count && n_files; i++) {
        const struct text *t = &file[i % n_files];
        size_t n = t->n;
        memcpy(mutant, t->at, n);
        for (size_t k = i < n_files ? 0 : 1 + draw(6); k > 0; k--)
            n = change(mutant, n);
        if (getenv("MUTANT_OUT")) {
            FILE *f = fopen(getenv("MUTANT_OUT"), "wb");
            if (f) {
                fwrite(mutant, 1, n, f);
                fclose(f);
            }
        }
        LLVMFuzzerTestOneInput(mutant, n);
    }
    for (int i = 0; i < n_files; i++)
        free(file[i].at);
    printf("%ld mutants of %d files\n", count, n_files);
    return 0;
}
