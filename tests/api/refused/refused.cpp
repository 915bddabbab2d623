// The same from C++, where values have operators: none of them gives a bool.
#include "cotrace/cotrace.hpp"

void
body(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0];

    out[0] = x + 1;
#if defined A80_if
    if (x)
        out[0] = x;
#elif defined A80_if_greater
    if (x > 0)
        out[0] = x;
#elif defined A80_while
    while (x)
        x = x - 1;
#elif defined A80_for
    for (int i = 0; i < x; i++)
        out[0] = out[0] + 1;
#elif defined A80_not
    out[0] = !x ? in[1] : x;
#elif defined A80_bool
    bool content = static_cast<bool>(x); (void)content;
#elif defined A80_number
    double content = x; (void)content;
#elif defined A80_plain
    if (in[0])
        out[0] = x;
#endif
}
