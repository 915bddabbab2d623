/* Is a file JSON, and a manifest of these functions?   json FILE FUNCTION... */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
    json_error_t error = { 0 };
    json_t *all = argc > 1 ? json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error) : NULL,
           *list;

    if (!all) {
        fprintf(stderr, "json: %s:%d: %s\n", argc > 1 ? argv[1] : "", error.line, error.text);
        return 1;
    }
    list = json_object_get(all, "functions");
    for (int i = 2; i < argc; i++) {
        const char *name =
            json_string_value(json_object_get(json_array_get(list, (size_t)i - 2), "name"));
        if (!name || strcmp(name, argv[i]) != 0) {
            fprintf(stderr, "json: function %d is %s; wants %s\n", i - 2,
                    name ? name : "absent", argv[i]);
            return 1;
        }
    }
    json_decref(all);
    return 0;
}
