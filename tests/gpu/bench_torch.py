"""The workloads of the bundle in PyTorch, eager: a line "NAME SECONDS" for each, the least of
20 runs.

    python3 bench_torch.py          on the GPU
    python3 bench_torch.py small    on the CPU, every axis 1/32 as long (the first of pointwise
                                    1/32768): does it run?
"""
import sys
import time

import torch

f32, bf16 = torch.float32, torch.bfloat16
small = sys.argv[1:] == ["small"]
device, runs = ("cpu", 2) if small else ("cuda", 20)


def size(n):
    return n if not small else n // 32768 if n > 65536 else n // 32


def rand(*shape, dtype=f32):
    return torch.rand(*map(size, shape), device=device, dtype=dtype) * 4 - 2


def attention(q, k, v):
    s = torch.softmax(torch.bmm(q, k.transpose(1, 2)).float() * 0.125, 2)
    return torch.bmm(s.to(q.dtype), v)


def mlp_step(x, y, w, b, v):
    """A step of gradient descent on half the squared error, as mlp_step.cot."""
    h = torch.tanh(torch.addmm(b, x, w))
    miss = h @ v - y
    dh = (miss @ v.T) * (1 - h * h)
    return w - 1e-6 * (x.T @ dh), b - 1e-6 * dh.sum(0), v - 1e-6 * (h.T @ miss)


def workloads():
    n = 67108864
    yield "pointwise", lambda x, y, z: torch.tanh(x * y + z), [rand(n), rand(n), rand(n)]
    yield "sum_rows", lambda x: x.sum(1), [rand(8192, 4096)]
    yield "softmax", lambda x: torch.softmax(x, 1), [rand(8192, 4096)]
    yield "layer_norm", lambda x, w, b: torch.nn.functional.layer_norm(x, w.shape, w, b), [
        rand(8192, 4096), rand(4096), rand(4096)]
    yield "matmul_1024", torch.matmul, [rand(1024, 1024), rand(1024, 1024)]
    yield "matmul_4096", torch.matmul, [rand(4096, 4096), rand(4096, 4096)]
    yield "matmul_bf16_4096", torch.matmul, [rand(4096, 4096, dtype=bf16),
                                             rand(4096, 4096, dtype=bf16)]
    a, b = rand(4096, 4096, dtype=bf16), rand(4096, 4096, dtype=bf16)
    yield "matmul_bf16_fast_4096", torch.matmul, [a, b]
    yield "matmul_tf32_fast_4096", torch.matmul, [a.float(), b.float()]
    q = [rand(64, 1024, 64) for _ in range(3)]
    yield "attention", attention, q
    yield "attention_bf16_fast", attention, [x.to(bf16) for x in q]
    yield "mlp_step", mlp_step, [rand(2048, 1024), rand(2048, 256), rand(1024, 4096),
                                 rand(4096), rand(4096, 256)]
    yield "mlp", lambda x, w, b: torch.tanh(torch.addmm(b, x, w)), [rand(2048, 1024),
        rand(1024, 4096), rand(4096)]


def once(f, args):
    """Seconds of a run: of the GPU's clock, where it has one."""
    if small:
        began = time.perf_counter()
        f(*args)
        return time.perf_counter() - began
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    f(*args)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def seconds(f, args):
    for _ in range(3):
        f(*args)
    return min(once(f, args) for _ in range(runs))


if not small and not torch.cuda.is_available():
    sys.exit("bench_torch: torch has no GPU")
for name, f, args in workloads():
    # as the contract has it: no tensor cores for f32 but where asked
    torch.backends.cuda.matmul.allow_tf32 = "tf32" in name
    print(name, seconds(f, args), flush=True)
