/* The runs that a sweep has judged before, in a file, so that a sweep after a change runs only
 * what the change reaches: as a build system keeps the results of tests by what they depend on.
 *
 * A run is known by a hash of 64 bits of what decides its result: the text of which its machine
 * code is made (LLVM's, or C), the bytes of its operands, those of the results that the
 * evaluator wants, and how it is run.  What is the same for all runs is not part of it: the
 * code that calls kernels, the versions of LLVM and of the C compiler.  Whoever changes these
 * deletes the file. */
#ifndef TESTS_LAWS_JUDGED_H
#define TESTS_LAWS_JUDGED_H

#include <stdbool.h>

#include "cotrace/compile.h"
#include "ir/graph.h"

/* Read the file, which need not be there; runs that pass are added to it.  Without a call no
 * run is known, and none is kept.  A file that cannot be read or written ends the process. */
void judged_open(const char *path);

/* The run of graph `f` as `o` compiles it; `stage`: "llvm" or "c", the text that stands for its
 * machine code; `how`: what else the run depends on.  0 if nothing is kept, or if the graph has
 * no such text: this run is never known. */
uint64_t judged_key(const ir_graph *f, const cot_compile_options *o, const char *stage,
                    const char *how, void *const *in, void *const *want);
bool judged_before(uint64_t key);
void judged_pass(uint64_t key);

#endif
