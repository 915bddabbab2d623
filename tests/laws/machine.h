/* Machines for which objects and C source are built, and how such a program is linked and run
 * here: what tests that run code elsewhere share.
 *
 * A program is harness.c, which a test prints, and x.o, linked with nothing.  It has `unsigned
 * char in[], out[]` and `void run(void)`: its input is read into `in`, run is called, and `out`
 * is written. */
#ifndef TESTS_LAWS_MACHINE_H
#define TESTS_LAWS_MACHINE_H

#include <stdbool.h>

/* may: what an object may leave undefined; a word that ends in * stands for all that begin
 * so. */
typedef struct machine {
    const char *name, *target, *cpu, *features, *may;
    const char *link[2]; /* harness.c and x.o to x: the first whose program is there */
    const char *run[3]; /* x: each whose program is there                            */
    bool linux_header;
    const char *cc; /* x.c to x.o; NULL: LLVM makes x.o */
    int lanes; /* of the C */
} machine;

/* NULL: there is none of the name. */
const machine *machine_named(const char *name);
/* Is the program that a command begins with installed, or here? */
bool machine_installed(const char *command);
/* The first of its link commands that can be run; NULL: none can. */
const char *machine_linker(const machine *m);

/* Parts of harness.c: input, output and the end of the program, where linux_header; memcpy and
 * the like; and run.js, before which stands `const OUT = ` the size of `out`. */
extern const char machine_linux[], machine_moves[], machine_node[];

#endif
