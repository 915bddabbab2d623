/* The reader of .npz archives on whatever libFuzzer makes. */
#define READ rt_npz_read
#include "tests/fuzz/state.h"
