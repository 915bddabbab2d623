/* "did you mean 'sin'?": the one of a list of names that a misspelt name is closest to.
 *
 * The distance counts letters that are missing, added or exchanged for another, and pairs of
 * neighbours that are swapped (F. Damerau, Communications of the ACM 7(3), 1964).  A name is
 * close if at most a third of its letters differ, or one of a short name.  Of those that are
 * equally close, the first that begins with the most of its letters counts. */
#ifndef IR_SUGGEST_H
#define IR_SUGGEST_H

enum { IR_SUGGEST_LETTERS = 32 };

typedef struct ir_suggestion {
    const char *name; /* as it was written */
    const char *best; /* the closest candidate so far, or NULL; its own memory */
    int distance, begins; /* of the best; how many first letters are the same */
    char text[IR_SUGGEST_LETTERS + 24];
} ir_suggestion;

ir_suggestion ir_suggest(const char *name);
void ir_suggest_try(ir_suggestion *s, const char *candidate);
/* "; did you mean 'sin'?", in s; "" if no candidate is close. */
const char *ir_suggest_text(ir_suggestion *s);

#endif
