/* Enough of JSON to read what `cot build` writes: a text becomes a tree of values, json_free
 * frees it.  Numbers are integers, as all numbers of a manifest are.  Plain C11; part of
 * ptx_manifest.h. */
#ifndef PTX_JSON_H
#define PTX_JSON_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum json_kind { JSON_OTHER, JSON_NUMBER, JSON_STRING, JSON_LIST,
    JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    const char *key;            /* of a member */
    int64_t number;             /* also true: 1 */
    char *text;                 /* a string */
    struct json *first, *next;
    int n;                      /* members, elements */
} json;

static void
json_free(json *j)
{
    while (j) {
        json *next = j->next;

        json_free(j->first);
        free(j);
        j = next;
    }
}

static char *
json_blanks(char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* The string after its quote, in place; escapes as we write them.  NULL: it does not end. */
static char *
json_string(char *s, char **out)
{
    char *to = *out = s;

    for (; *s && *s != '"'; s++) {
        unsigned code;

        if (*s != '\\')
            *to++ = *s;
        else if (*++s == 'u' && sscanf(s + 1, "%4x", &code) == 1) {
            *to++ = (char)code;
            s += 4;
        } else
            *to++ = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
    }
    if (*s != '"')
        return NULL;
    *to = '\0';
    return s + 1;
}

static char *json_value(char *s, json **out);

static char *
json_members(char *s, json *j, char end)
{
    json **last = &j->first;

    s = json_blanks(s);
    if (*s == end)
        return s + 1;
    for (;;) {
        char *key = NULL;

        s = json_blanks(s);
        if (j->kind == JSON_OBJECT) {
            s = *s == '"' ? json_string(s + 1, &key) : NULL;
            s = s ? json_blanks(s) : NULL;
            if (!s || *s++ != ':')
                return NULL;
        }
        s = json_value(s, last);
        if (!s)
            return NULL;
        (*last)->key = key;
        last = &(*last)->next;
        j->n++;
        s = json_blanks(s);
        if (*s != ',')
            return *s == end ? s + 1 : NULL;
        s++;
    }
}

/* A value at s, which is written over; where it ends, or NULL. */
static char *
json_value(char *s, json **out)
{
    json *j = *out = calloc(1, sizeof *j);

    s = json_blanks(s);
    if (!j)
        return NULL;
    if (*s == '{' || *s == '[') {
        j->kind = *s == '{' ? JSON_OBJECT : JSON_LIST;
        return json_members(s + 1, j, *s == '{' ? '}' : ']');
    }
    if (*s == '"') {
        j->kind = JSON_STRING;
        return json_string(s + 1, &j->text);
    }
    if (*s == '-' || (*s >= '0' && *s <= '9')) {
        j->kind = JSON_NUMBER;
        j->number = strtoll(s, &s, 10);
        return s;
    }
    j->number = strncmp(s, "true", 4) == 0;
    s += strspn(s, "truefalsn");
    return s;
}

static const json *
json_get(const json *j, const char *key)
{
    for (const json *m = j ? j->first : NULL; m; m = m->next)
        if (m->key && strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

static int64_t
json_number(const json *j, const char *key)
{
    const json *m = json_get(j, key);

    return m ? m->number : 0;
}

static const char *
json_text(const json *j, const char *key)
{
    const json *m = json_get(j, key);

    return m && m->text ? m->text : "";
}

static const json *
json_at(const json *j, int i)
{
    const json *m = j ? j->first : NULL;

    while (m && i-- > 0)
        m = m->next;
    return m;
}

#endif
