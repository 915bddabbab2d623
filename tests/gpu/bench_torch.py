"""The workloads of the bundle in PyTorch, eager: a line "NAME SECONDS" for each, the least of 20 runs."""
import sys

import torch

f32, bf16 = torch.float32, torch.bfloat16


def rand(*shape, dtype=f32):
    return torch.rand(*shape, device="cuda", dtype=dtype) * 4 - 2


def workloads():
    n = 67108864
    yield "pointwise", lambda x, y, z: torch.tanh(x * y + z), [rand(n), rand(n), rand(n)]
    yield "sum_rows", lambda x: x.sum(1), [rand(8192, 4096)]
    yield "softmax", lambda x: torch.softmax(x, 1), [rand(8192, 4096)]
    yield "layer_norm", lambda x, w, b: torch.nn.functional.layer_norm(x, (4096,), w, b), [
        rand(8192, 4096), rand(4096), rand(4096)]
    yield "matmul_1024", torch.matmul, [rand(1024, 1024), rand(1024, 1024)]
    yield "matmul_4096", torch.matmul, [rand(4096, 4096), rand(4096, 4096)]
    yield "matmul_bf16_4096", torch.matmul, [rand(4096, 4096, dtype=bf16), rand(4096, 4096, dtype=bf16)]
    yield "mlp", lambda x, w, b: torch.tanh(torch.addmm(b, x, w)), [rand(2048, 1024), rand(1024, 4096), rand(4096)]


def seconds(f, args):
    least = float("inf")
    for _ in range(3):
        f(*args)
    for _ in range(20):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        f(*args)
        end.record()
        end.synchronize()
        least = min(least, begin.elapsed_time(end) * 1e-3)
    return least


if not torch.cuda.is_available():
    sys.exit("bench_torch: torch has no GPU")
torch.backends.cuda.matmul.allow_tf32 = False  # as the contract has it: no tensor cores for f32
for name, f, args in workloads():
    print(name, seconds(f, args), flush=True)
