#define READ rt_safetensors_read
#include "tests/fuzz/state.h"
