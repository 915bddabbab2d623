"""The workloads of the bundle in PyTorch, eager: a line "NAME SECONDS" for each, the least of 20 runs."""
import sys

import torch

f32, bf16 = torch.float32, torch.bfloat16


def rand(*shape, dtype=f32):
    return torch.rand(*shape, device="cuda", dtype=dtype) * 4 - 2


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
    yield "layer_norm", lambda x, w, b: torch.nn.functional.layer_norm(x, (4096,), w, b), [
        rand(8192, 4096), rand(4096), rand(4096)]
    yield "matmul_1024", torch.matmul, [rand(1024, 1024), rand(1024, 1024)]
    yield "matmul_4096", torch.matmul, [rand(4096, 4096), rand(4096, 4096)]
    yield "matmul_bf16_4096", torch.matmul, [rand(4096, 4096, dtype=bf16), rand(4096, 4096, dtype=bf16)]
    a, b = rand(4096, 4096, dtype=bf16), rand(4096, 4096, dtype=bf16)
    yield "matmul_bf16_fast_4096", torch.matmul, [a, b]
    yield "matmul_tf32_fast_4096", torch.matmul, [a.float(), b.float()]
    q = [rand(64, 1024, 64) for _ in range(3)]
    yield "attention", attention, q
    yield "attention_bf16_fast", attention, [x.to(bf16) for x in q]
    yield "mlp_step", mlp_step, [rand(2048, 1024), rand(2048, 256), rand(1024, 4096), rand(4096), rand(4096, 256)]
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
for name, f, args in workloads():
    torch.backends.cuda.matmul.allow_tf32 = "tf32" in name  # as the contract has it: no tensor cores for f32 but where asked
    print(name, seconds(f, args), flush=True)
