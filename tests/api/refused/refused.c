/* What the C compiler refuses, so that it is never met at run time: run.sh compiles this file
 * once as it is, and once for each case, which must fail at the line after its #ifdef or #elif.
 * The name of a case begins with the row of the feature list that it proves.
 *
 * A80: the content of a traced value decides nothing; cot_cond, cot_while and cot_scan do.
 * B4, B16: axes are integers, and lists of them. */
#include "cotrace/cotrace.h"

void body(cot_trace *t, const cot_value *in, cot_value *out, void *user);

void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0];

    (void)t, (void)user;
    out[0] = cot_add(x, 1);
#if defined A80_if
    if (x)
        out[0] = x;
#elif defined A80_if_greater
    if (x > 0)
        out[0] = x;
#elif defined A80_while
    while (x)
        x = cot_sub(x, 1);
#elif defined A80_while_less
    while (x < in[1])
        x = cot_mul(x, 2);
#elif defined A80_for
    for (int i = 0; i < x; i++)
        out[0] = cot_add(out[0], 1);
#elif defined A80_for_value
    for (cot_value i = cot_sub(x, x); i; i = cot_add(i, 1))
        out[0] = i;
#elif defined A80_not
    out[0] = !x ? in[1] : x;
#elif defined A80_and
    out[0] = x && 1 ? in[1] : x;
#elif defined A80_switch
    switch (x) { default: out[0] = x; }
#elif defined A80_index
    out[0] = in[x];
#elif defined A80_number
    double content = x; (void)content;
#endif
}

cot_fn *dims(cot_fn *f);

cot_fn *
dims(cot_fn *f)
{
    f = cot_vmap(f, .in_dims = COT_ALL(0), .out_dims = COT_LIST(0, COT_NONE));
#if defined B4_text
    f = cot_vmap(f, .in_dims = "0");
#elif defined B4_texts
    f = cot_vmap(f, .in_dims = COT_LIST("0", "1"));
#elif defined B4_lists
    f = cot_vmap(f, .in_dims = COT_LIST(COT_LIST(0), 1));
#elif defined B16_text
    f = cot_vmap(f, .out_dims = "lol");
#elif defined B16_texts
    f = cot_vmap(f, .out_dims = COT_LIST("lol"));
#endif
    return f;
}
