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

/* Does it assemble the text for that processor?  Its messages go to standard output. */
static inline bool
ptxas_takes(const char *cpu, const void *text, size_t n, int level)
{
    char name[] = "/tmp/cotrace-ptx-XXXXXX", command[1024];
    const int fd = mkstemp(name);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "wb");
    bool good = to && fwrite(text, 1, n, to) == n;

    good = to && fclose(to) == 0 && good;
    snprintf(command, sizeof command, "%s -O%d -arch=%s -o /dev/null %s 2>&1", ptxas_path(),
             level, cpu, name);
    good = good && system(command) == 0;
    unlink(name);
    return good;
}

#endif
