#!/bin/sh
# docs/functions.md: every function and macro of the public headers that a program calls, from A
# to Z, with its operands, its options and its header.
#
#   docs/functions.sh            print the page
#   docs/functions.sh --write    write it
#   docs/functions.sh --check    compare: 1 if the page is not current
set -eu
cd "$(dirname "$0")/.."

# A macro cot_x(...) passes what it gets to one or two others, whose parameters say what it
# takes; a constant that stands first is not the caller's.  Options are the type that the
# innermost initialises.
rows() {
    for header in include/cotrace/*.h; do
        sed -e ':a' -e '/\\$/N; s/ *\\\n */ /; ta' "$header" | sed "s,^,${header##*/} ,"
    done | awk '
        { header = $1; line = substr($0, length($1) + 2) }
        line ~ /^#define (cot|COT)_[A-Za-z0-9_]+\(/ {
            name = line; sub(/^#define /, "", name); sub(/\(.*/, "", name)
            args = line; sub(/^[^(]*\(/, "", args); sub(/\).*/, "", args)
            body = line; sub(/^[^)]*\)[ ]*/, "", body)
            params[name] = args; text[name] = body
            if (name ~ /^cot_/ && name !~ /_$/) { where[name] = header; order[++n] = name }
            next
        }
        line ~ /^COT_DEPRECATED_\(/ {
            instead = line; sub(/^[^"]*"/, "", instead); sub(/".*/, "", instead)
            if ((getline more) <= 0) next
            sub(/^[^ ]+ +/, "", more)
            name = more; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); sub(/_$/, "", name)
            old[name] = instead; line = more
        }
        line ~ /^COT_API / {
            declaration = line
            while (declaration !~ /;/ && (getline more) > 0) {
                sub(/^[^ ]+ +/, "", more); sub(/^ +/, "", more)
                declaration = declaration " " more
            }
            name = declaration; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
            if (name ~ /_$/ || name !~ /^cot_/ || name in where) next
            args = declaration; sub(/^[^(]*\(/, "", args); sub(/\);.*/, "", args)
            params[name] = args; plain[name] = 1; where[name] = header; order[++n] = name
        }
        # The names of the macros that the text of one uses.
        function options_of(body, depth,    type, word, rest, found) {
            if (match(body, /cot_[a-z0-9_]+_options\)\{/)) {
                type = substr(body, RSTART, RLENGTH); sub(/\)\{/, "", type); return type
            }
            if (depth > 4) return ""
            rest = body
            while (match(rest, /COT_[A-Z0-9_]+\(/)) {
                word = substr(rest, RSTART, RLENGTH - 1); rest = substr(rest, RSTART + RLENGTH)
                if (word in text && (found = options_of(text[word], depth + 1)) != "")
                    return found
            }
            return ""
        }
        function operands_of(name,    inner, given, fixed, list, k, out, count) {
            if (plain[name] || params[name] !~ /\.\.\./) return params[name]
            if (!match(text[name], /^COT_[A-Z0-9_]+\(/)) return params[name]
            inner = substr(text[name], RSTART, RLENGTH - 1)
            if (!(inner in params)) return params[name]
            given = text[name]; sub(/^[^(]*\(/, "", given); fixed = 0
            count = split(given, list, /, */)
            for (k = 1; k <= count && list[k] != "__VA_ARGS__"; k++)
                if (index(", " params[name] ",", ", " list[k] ",") == 0) fixed++
            count = split(params[inner], list, /, */); out = ""
            for (k = fixed + 1; k <= count; k++) out = out (out == "" ? "" : ", ") list[k]
            return out
        }
        END {
            for (k = 1; k <= n; k++) {
                name = order[k]
                operands = operands_of(name)
                if (operands == "" && params[name] ~ /\.\.\./) operands = "..."
                gsub(/  +/, " ", operands); gsub(/\|/, "\\|", operands)
                o = options_of(text[name], 0)
                if (name in old) o = "deprecated: " old[name]
                else if (o != "") o = "`" o "`"
                print "| `" name "(" operands ")` | " o " | `" where[name] "` |"
            }
        }' | LC_ALL=C sort -t'`' -k2,2 -u
}

page() {
    cat <<'END'
# Functions

Every function and macro `cot_...` of the public headers, from A to Z. Written by `docs/functions.sh`; the headers hold the
reference: shapes, element types, ownership and errors stand above each name. `...` stands for options by name
(`.axes = COT_LIST(0)`), of the type in the second column, and where that is empty for more operands. Names of C++ are in `cotrace.hpp`.

The order of operands follows one rule:

1. What the call is about comes first: the value `x`, or the trace `t` (then the type) where a value is made from nothing.
   A predicate that chooses (`cot_where(p, x, y)`), a text that says what is done (`cot_einsum(spec, xs)`) and bodies
   (`cot_scan(step, ...)`) stand before the values. Other values follow in the order of NumPy.
2. Then come numbers, and after them the axis, if the call works along exactly one: `cot_index(x, i, axis)`,
   `cot_quantile(x, q, axis)`, `cot_split(x, n, axis, out)`. Pointers that receive results are last. Calls on arrays
   (`cot_run`, `cot_jit`, `cot_eval_all`, `cot_module_call`) take the results before the arguments, as `memcpy` does.
3. What has a default is a named option. One axis that defaults to 0 is `.axis`; a set of axes, or one axis with another
   default, is `.axes`. A list that the call is about (`cot_reshape(x, 2, 3)`, `cot_squeeze(x, 0)`) is plain numbers at the end.
4. Random calls follow rule 1. A call named for a distribution makes its result from nothing, so the trace is first,
   before the parameters: `cot_normal(t, type)`, `cot_gamma(t, alpha)`, `cot_choice(t, x, shape)`. A call that changes or
   reads off its operand takes the operand alone, like the same call that is not random: `cot_dropout(x, p)` is a layer,
   and `cot_categorical(logits)` picks an index along an axis, as `cot_argmax(x)` does.

An old spelling of a call is marked as deprecated, works for one version more, and makes the compiler say what to write.

| call | options | header |
|---|---|---|
END
    rows
}

case ${1:-} in
--write) page >docs/functions.md.new && mv docs/functions.md.new docs/functions.md ;;
--check) page | diff -u docs/functions.md - ;;
*) page ;;
esac
