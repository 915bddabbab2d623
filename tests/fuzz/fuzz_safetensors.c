/* The reader of .safetensors files on whatever libFuzzer makes. */
#define READ rt_safetensors_read
#include "tests/fuzz/state.h"
