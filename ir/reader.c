/* A cursor over a text: spaces and comments, punctuation, words, and what is wrong there. */
#include "ir/reader.h"

#include "ir/diag.h"

/* From 1; 0 if the reader does not know where its text begins. */
static int
column(const ir_reader *p)
{
    const char *s = p->at;

    while (p->begin && s > p->begin && s[-1] != '\n')
        s--;
    return p->begin ? (int)(p->at - s) + 1 : 0;
}

/* An error at the current line: what was found; what was wanted. */
bool
ir_read_wants(ir_reader *p, const char *want)
{
    if (!p->failed) {
        char found[64] = "found the end of the text";
        while (p->at < p->end && *p->at == ' ')
            p->at++;
        size_t n = (size_t)(p->end - p->at);
        if (n) {
            size_t k = 0;
            while (k < n && k < 12 && p->at[k] > ' ')
                k++;
            snprintf(found, sizeof found, "found '%.*s'", (int)(k ? k : 1), p->at);
            if (*p->at == '\n' || *p->at == '\r')
                snprintf(found, sizeof found, "found the end of the line");
        }
        if (p->begin)
            snprintf(found + strlen(found), sizeof found - strlen(found), " in column %d",
                     column(p));
        ir_fail(p->ctx, ir_loc_file(p->ctx, p->file, p->line), NULL, ERR_parse, found, want);
        p->failed = true;
    }
    return false;
}

/* Spaces, newlines, and comments from ';' to the end of the line. */
void
ir_read_skip(ir_reader *p)
{
    for (; p->at < p->end; p->at++) {
        if (*p->at == ';') {
            while (p->at < p->end && *p->at != '\n')
                p->at++;
            if (p->at == p->end)
                return;
        }
        if (*p->at == '\n')
            p->line++;
        else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r')
            return;
    }
}

bool
ir_read_try(ir_reader *p, const char *s)
{
    size_t n = strlen(s);
    ir_read_skip(p);
    if (p->failed || (size_t)(p->end - p->at) < n || memcmp(p->at, s, n) != 0)
        return false;
    p->at += n;
    return true;
}

bool
ir_read_expect(ir_reader *p, const char *s)
{
    return ir_read_try(p, s) || ir_read_wants(p, ir_format(p->a, "'%s'", s));
}

bool
ir_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '$' || c == '-';
}

const char *
ir_word_of(ir_arena *a, const char *name)
{
    char *word = ir_copy_string(a, *name ? name : "_");

    for (char *c = word; *c; c++)
        if (!ir_is_word(*c))
            *c = '_';
    return word;
}

/* A word; NULL after an error. */
const char *
ir_read_word(ir_reader *p, const char *want)
{
    ir_read_skip(p);
    const char *s = p->at;
    while (p->at < p->end && ir_is_word(*p->at))
        p->at++;
    if (p->at == s) {
        ir_read_wants(p, want);
        return NULL;
    }
    return memcpy(ir_alloc(p->a, (size_t)(p->at - s) + 1), s, (size_t)(p->at - s));
}
