#!/bin/sh
# Every public macro and function has a comment of its own: one that ends on the line before it,
# or stands behind it.  A plain function cot_x_, which bindings call, and its macro cot_x share
# one.  A comment with a list of sentences for several names counts for the first of them only.
# documented.sh SOURCE_DIR
set -eu
cat "$1"/include/cotrace/*.h | awk '
    function public(name, own) {
        n++
        if (name ~ /_$/) { if (own) said_plain[name] = 1; else plain[name] = 1 }
        else if (name ~ /^cot_/) { macro[name] = 1; if (!own) missing[name] = 1 }
        else if (!own) missing[name] = 1
    }
    # A comment that stands alone is that of the next line.
    /^ *\/\*/ && !inside { inside = 1 }
    inside { if (/\*\//) { inside = 0; said = 1 }; next }
    /^COT_DEPRECATED_/ { next }
    # Helpers may stand between a comment and its macro.
    /^ *#define COT_[A-Z0-9_]*_\(/ || helper { helper = /\\$/; next }
    /^ *#define (cot_[a-z0-9_]+|COT_[A-Z0-9_]*[A-Z0-9])\(/ {
        name = $2; sub(/\(.*/, "", name)
        public(name, said || /\/\*.*\*\/ *$/)
    }
    /^(COT_API|static inline) / {
        line = $0
        while (line !~ /[;{]/ && (getline more) > 0) line = line " " more
        own = said || line ~ /\/\*.*\*\/ *$/
        sub(/\(.*/, "", line); sub(/.*[ *]/, "", line)
        public(line, own)
    }
    { said = 0 }
    END {
        for (name in plain) {
            base = name; sub(/_$/, "", base)
            if (!(base in macro)) missing[name] = 1
        }
        for (name in missing)
            if ((name "_") in said_plain) delete missing[name]
        for (name in missing) { print "no comment of its own: " name | "sort"; bad++ }
        close("sort")
        print n - bad " of " n " public names have a comment of their own"
        exit bad > 0
    }'
