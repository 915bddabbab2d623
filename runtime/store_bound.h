/* The bound on what the files of a folder of kept code have together (store.c). */
#ifndef COTRACE_RUNTIME_STORE_BOUND_H
#define COTRACE_RUNTIME_STORE_BOUND_H

#include <stdbool.h>
#include <stdint.h>

/* A file's name: a digest of 32 bytes in hexadecimal, and a zero. */
enum { RT_STORE_NAME = 65 };

/* A file of so many bytes was put into the folder.  False: no tally could take note of it. */
bool rt_store_note(int folder, uint64_t bytes);
/* If the files have more than `limit` bytes, those that were used least recently go, down to
 * three quarters of it.  noted: the tally knows all files, so it is asked first.  Whatever
 * fails leaves the files as they are. */
void rt_store_keep_bound(int folder, uint64_t limit, bool noted);

#endif
