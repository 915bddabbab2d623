# Calls of every public function with wrong arguments, as C: reads the preprocessed public
# headers, one declaration a line, and writes a table of functions.  In each call one argument
# is wrong and the others are right: tests/api/wrong.h has the right and the wrong values of
# each type.
function trimmed(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); gsub(/[ \t]+/, " ", s); return s }
function type_of(s) { s = trimmed(s); sub(/[A-Za-z_0-9]+$/, "", s); return trimmed(s) }
function right(type, k, n) {
    if (name == "cot_write_file" && k == 1) return "w_file()"
    if (type ~ /\*/) {
        if (type in known) return known[type]
        return "(" type ")w_block(" k ")"
    }
    if (type == "size_t" && k > 1 && part[k - 1] ~ /_options \*|_spec \*/) {
        m_type = type_of(part[k - 1]); sub(/^const /, "", m_type); sub(/ \*$/, "", m_type)
        return "sizeof(" m_type ")"
    }
    return "w_right_" plain(type)
}
function plain(type) { gsub(/ /, "_", type); return type }
function wrongs(type) {
    if (type ~ /\*/) return 1 + (type in foreign)
    return (type in count) ? count[type] : 0
}
function wrong(type, j) {
    if (type ~ /\*/) return j == 0 ? "NULL" : foreign[type]
    return "w_wrong_" plain(type) "[" j "]"
}
BEGIN {
    known["cot_context *"] = known["const cot_context *"] = "w.ctx"
    known["const char *"] = "\"x\""
    known["cot_fn *"] = known["const cot_fn *"] = "w.fn"
    known["const cot_graph *"] = "w.graph"
    known["cot_kernel *"] = known["const cot_kernel *"] = "w.kernel"
    known["cot_array *"] = known["const cot_array *"] = "w.array"
    known["cot_array *const *"] = "w.arrays"
    known["const cot_array *const *"] = "(const cot_array *const *)w.arrays"
    known["cot_trace *"] = known["const cot_trace *"] = "w.trace"
    known["const cot_tree *"] = "w.tree"
    known["cot_module *"] = known["const cot_module *"] = "w.module"
    known["cot_module *const *"] = "&w.module"
    known["const cot_custom *"] = "w.custom"
    known["cot_body *"] = "w_body"
    known["cot_solver *"] = "w_solver"
    known["cot_write *"] = "w_write"
    known["cot_body *const *"] = "w_bodies"
    known["const cot_value *"] = "&w_right_cot_value"
    known["struct DLManagedTensorVersioned *"] = known["struct DLManagedTensor *"] = "NULL"
    known["cot_setup *"] = known["const cot_setup *"] = "NULL"
    foreign["cot_fn *"] = foreign["const cot_fn *"] = "w_other.fn"
    foreign["const cot_graph *"] = "w_other.graph"
    foreign["const cot_custom *"] = "w_other.custom"
    foreign["cot_module *"] = "w_other.module"
    foreign["cot_trace *"] = foreign["const cot_trace *"] = "w_other.trace"
    foreign["const cot_tree *"] = "w_other.tree"
    # A NULL of these takes the context along, and with it the place of the message.
    carries["cot_context *"]; carries["cot_fn *"]; carries["const cot_graph *"]
    carries["const cot_kernel *"]; carries["cot_module *"]; carries["const cot_module *"]
    count["cot_value"] = 6; count["cot_operand"] = 6; count["cot_values"] = 5
    count["cot_list"] = 4; count["cot_types"] = 3; count["cot_type"] = 5
    count["cot_bodies"] = 3; count["cot_ats"] = 3; count["int"] = 2; count["int64_t"] = 2
    count["cot_dtype"] = 2; count["cot_overlap"] = 1; count["double"] = 2
    count["cot_sampling"] = 1; count["cot_bag_kind"] = 1
    print "#include \"wrong.h\"\n"
}
/visibility\("default"\)/ {
    sub(/.*visibility\("default"\)\)\)/, "")
    name = $0; sub(/\(.*/, "", name); returns = name; sub(/^.*[ *]/, "", name)
    returns = type_of(returns)
    if (name in seen) next
    seen[name] = 1
    list = $0; sub(/^[^(]*\(/, "", list); sub(/\) *;$/, "", list)
    n = trimmed(list) == "void" ? 0 : split(list, part, ",")
    for (k = 1; k <= n; k++)
        kind[k] = type_of(part[k])
    print "static w_said\ncall_" name "(int i)\n{\n    switch (i) {"
    i = 0
    for (k = 0; k <= n; k++)
        for (j = 0; j < (k == 0 ? 1 : wrongs(kind[k])); j++) {
            printf "    case %d: ", i++
            call = name "("
            for (m = 1; m <= n; m++)
                call = call (m > 1 ? ", " : "") \
                    (m == k ? wrong(kind[m], j) : right(kind[m], m, n))
            call = call ")"
            if (returns == "void") printf "%s; break;\n", call
            else if (returns == "cot_status" && name != "cot_error_status" &&
                     !(j == 0 && kind[k] in carries))
                printf "return w_status(%s);\n", call
            else printf "(void)%s; break;\n", call
        }
    print "    default: break;\n    }\n    return w_none;\n}\n"
    table = table "    { \"" name "\", " i ", call_" name " },\n"
}
END { print "const w_function w_functions[] = {\n" table "    { NULL, 0, NULL },\n};" }
