#define READ rt_npz_read
#include "tests/fuzz/state.h"
