/* Which messages no test quotes: `messages TEST... -- SOURCE...`.
 *
 * A row of errors.def is proved by a test that has its text: the fixed parts of its format in
 * order, on one line, in what the string literals of a C file spell (neighbours joined, as the
 * compiler does) or anywhere in another file.  A row that is hardly more than "%s" has its
 * texts where it is used: each literal in a call with ERR_name in SOURCE counts as one of them,
 * and the row wants at least one that is quoted.
 * Rows whose texts come from variables name one of them below; rows that no user can provoke,
 * the reason.
 *
 * Rows without a test are listed, and the exit status is 1; so are, for information, texts of
 * such general rows. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_FIXED = 6, MAX_PIECES = 16 };

static const struct row { const char *name, *format; } rows[] = {
#define ERR(name, status, ...) { #name, FORMAT(__VA_ARGS__, "") },
#define FORMAT(format, ...) format
#include "ir/errors.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct { const char *name, *why; } exempt[] = {
    { "internal", "a defect of the library" },
    { "lapack_missing", "wants a machine without LAPACK" },
    { "not_linear", "a defect of a rule: linearize checks its own result" },
    { "verify", "a defect of a pass: the verifier says after which" },
    { "attr_missing", "the reader of texts asks for attributes before" },
    { "no_rule", "a defect of a transform: only what is linear is transposed" },
    { "foreign", "libffi refuses no call that is ever prepared" },
};

static const struct { const char *name, *text; } shown[] = {
    { "comm", "was ended by signal 9" },
    { "io", "No such file or directory" },
    { "parse", "found the end of the text; wants 'fn'" },
    { "file", "is there twice" },
    { "hlo_syntax", ", wants a function" },
    { "hlo_refused", "the function calls itself" },
    { "einsum", "the result names an axis that no operand has" },
    { "device_memory", "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory" },
};

typedef struct text {
    char *at;
    size_t n, cap;
} text;

static void
put(text *t, char c)
{
    if (t->n + 1 >= t->cap)
        t->at = realloc(t->at, t->cap = 2 * t->cap + 4096);
    t->at[t->n++] = c;
    t->at[t->n] = '\0';
}

/* The literal at s, which begins with ", and those that follow it with nothing but blanks
 * between; where it ends. */
static const char *
literal(const char *s, text *out)
{
    for (;;) {
        for (s++; *s && *s != '"'; s++) {
            if (*s == '\\')
                s++;
            put(out, *s == 'n' && s[-1] == '\\' ? '\n' : *s);
        }
        const char *next = *s ? s + 1 : s;
        while (isspace((unsigned char)*next) || (next[0] == '\\' && next[1] == '\n'))
            next++;
        if (*next != '"')
            return *s ? s + 1 : s;
        s = next;
    }
}

static const char *
past_comment(const char *s)
{
    const char *end = s[1] == '*' ? strstr(s + 2, "*/") : strchr(s, '\n');

    return end ? end + 1 : s + strlen(s);
}

static text
read_file(const char *path)
{
    text t = { 0 };
    FILE *f = fopen(path, "rb");
    int c;

    put(&t, '\n');
    while (f && (c = getc(f)) != EOF)
        put(&t, (char)c);
    if (f)
        fclose(f);
    return t;
}

static bool
is_c(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot &&
           (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".cpp") == 0);
}

static void
add_test(const char *path, text *quoted)
{
    text t = read_file(path);
    const char *s = t.at;

    while (is_c(path) && *s)
        if (s[0] == '/' && (s[1] == '*' || s[1] == '/')) {
            s = past_comment(s);
        } else if (*s == '\'') {
            s += s[1] == '\\' ? 4 : 3;
        } else if (*s == '"') {
            s = literal(s, quoted);
            put(quoted, '\n');
        } else {
            s++;
        }
    for (; *s; s++)
        put(quoted, *s);
    put(quoted, '\n');
    free(t.at);
}

typedef struct pieces {
    int n;
    size_t fixed; /* bytes of all */
    char at[MAX_PIECES][256];
} pieces;

static pieces
split(const char *format)
{
    pieces p = { 0 };
    size_t k = 0;

    for (const char *s = format; *s; s++) {
        if (*s == '%' && s[1] != '%') {
            s += 1 + strcspn(s + 1, "diuxcsgp");
            p.n += k > 0 && p.n < MAX_PIECES - 1;
            k = 0;
        } else if (k < sizeof p.at[0] - 1) {
            s += *s == '%';
            p.at[p.n][k++] = *s;
            p.fixed += *s != ' ' && !ispunct((unsigned char)*s);
        }
    }
    p.n += k > 0;
    return p;
}

static bool
is_quoted(const text *quoted, const pieces *p)
{
    for (const char *s = quoted->at; p->n > 0 && (s = strstr(s, p->at[0])); s++) {
        const char *end = s + strcspn(s, "\n"), *at = s;
        int k = 0;

        while (k < p->n && (at = strstr(at, p->at[k])) && at < end)
            at += strlen(p->at[k++]);
        if (k == p->n)
            return true;
    }
    return false;
}

static bool used[ROWS], proved[ROWS];
static int unquoted;

/* The literals of the call around s, which stands after ERR_name of row r. */
static void
add_call(const char *path, int r, const char *s, const text *quoted)
{
    for (int depth = 0; *s && depth >= 0 && *s != ';'; s++) {
        depth += (*s == '(') - (*s == ')');
        if (*s != '"')
            continue;
        text t = { 0 };
        put(&t, '\0');
        t.n = 0;
        s = literal(s, &t) - 1;
        pieces p = split(t.at);
        if (p.fixed >= MIN_FIXED) {
            bool found = is_quoted(quoted, &p);
            proved[r] |= found;
            unquoted += !found;
            if (!found)
                printf("    %s: %s: %s\n", rows[r].name, path, t.at);
        }
        free(t.at);
    }
}

static void
add_source(const char *path, const text *quoted)
{
    text t = read_file(path);

    for (const char *s = t.at; (s = strstr(s, "ERR_")); s++) {
        size_t n = strcspn(s + 4, " ,;:)?\n");
        for (int r = 0; r < ROWS; r++)
            if (strlen(rows[r].name) == n && strncmp(s + 4, rows[r].name, n) == 0) {
                used[r] = true;
                if (split(rows[r].format).fixed < MIN_FIXED)
                    add_call(path, r, s + 4 + n, quoted);
            }
    }
    free(t.at);
}

static bool
is_shown(const char *name, const text *quoted)
{
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (strcmp(shown[i].name, name) == 0)
            return strstr(quoted->at, shown[i].text) != NULL;
    return false;
}

static bool
is_exempt(const char *name)
{
    for (size_t i = 0; i < sizeof exempt / sizeof *exempt; i++)
        if (strcmp(exempt[i].name, name) == 0)
            return true;
    return false;
}

int
main(int argc, char **argv)
{
    text quoted = { 0 };
    int i = 1, without = 0;

    put(&quoted, '\n');
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        add_test(argv[i], &quoted);
    printf("texts of general rows that no test quotes:\n");
    for (i++; i < argc; i++)
        add_source(argv[i], &quoted);
    printf("%d\n", unquoted);
    for (int r = 0; r < ROWS; r++) {
        pieces p = split(rows[r].format);
        if (p.fixed >= MIN_FIXED)
            proved[r] = is_quoted(&quoted, &p);
        proved[r] |= is_shown(rows[r].name, &quoted);
        if (used[r] && (proved[r] || is_exempt(rows[r].name)))
            continue;
        without++;
        printf("%s: %s: \"%s\"\n", rows[r].name,
               used[r] ? "no test has this message" : "nothing reports it", rows[r].format);
    }
    printf("%d of %d rows of errors.def without a test\n", without, ROWS);
    free(quoted.at);
    return without > 0;
}
