/* ptxas, where it is installed: the assembler of NVIDIA's toolkit, which no part of the project
 * needs. */
#ifndef TESTS_PTXAS_H
#define TESTS_PTXAS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its path: COT_PTXAS, from PATH, or of the usual places; NULL: it is not here. */
static inline const char *
ptxas_path(void)
{
    static const char *const usual[] = { "/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas",
                                         "/opt/cuda/bin/ptxas" };
    static char path[512];
    const char *dir = getenv("PATH");

    if (getenv("COT_PTXAS"))
        return getenv("COT_PTXAS");
    while (dir && *dir) {
        const size_t n = strcspn(dir, ":");
        snprintf(path, sizeof path, "%.*s/ptxas", (int)(n < 400 ? n : 400), dir);
        if (access(path, X_OK) == 0)
            return path;
        dir += n + (dir[n] == ':');
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (access(usual[i], X_OK) == 0)
            return usual[i];
    return NULL;
}

/* What it made of functions. */
typedef struct ptxas_made {
    int functions, spill;       /* of which so many keep registers in memory   */
    long stack;                 /* of the one with the most, bytes of a thread */
} ptxas_made;

/* Does it assemble the text for that processor?  Its messages go to standard output; where
 * `made` is asked for, the functions that spill. */
static inline bool
ptxas_makes(const char *cpu, const void *text, size_t n, int level, ptxas_made *made)
{
    char name[] = "/tmp/cotrace-ptx-XXXXXX", command[1024], line[4096], function[4096] = "";
    const int fd = mkstemp(name);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "wb"), *said;
    bool good = to && fwrite(text, 1, n, to) == n;
    long stack, stores;

    good = to && fclose(to) == 0 && good;
    snprintf(command, sizeof command, "%s -O%d %s -arch=%s -o /dev/null %s 2>&1", ptxas_path(),
             level, made ? "-v" : "", cpu, name);
    said = good ? popen(command, "r") : NULL;
    while (said && fgets(line, sizeof line, said)) {
        if (!made || strstr(line, "info") == NULL) {
            if (!made || sscanf(line, " %ld bytes stack frame, %ld bytes spill stores", &stack,
                                &stores) != 2) {
                fputs(line, stdout);
                continue;
            }
            made->functions++;
            made->spill += stores > 0;
            made->stack = stack > made->stack ? stack : made->stack;
            if (stores > 0)
                printf("%s: %s: %s", cpu, function, line);
        }
        (void)sscanf(line, "ptxas info : Function properties for %4000s", function);
    }
    good = said && pclose(said) == 0 && good;
    unlink(name);
    return good;
}

static inline bool
ptxas_takes(const char *cpu, const void *text, size_t n, int level)
{
    return ptxas_makes(cpu, text, n, level, NULL);
}

#endif
