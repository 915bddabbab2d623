"""Workloads, each defined once for JAX and once for torch. float32, fixed numpy-seeded inputs.

WORKLOADS[name] = W(name, group, inputs(), jax(), torch(), tcompile(), bytes, flops, tol, ...)
  inputs()  -> list of numpy arrays (the runtime arguments)
  jax()     -> fn(*args) to be jitted
  torch()   -> fn(*args) eager (torch.func where there is a transform)
  tcompile()-> fn(*args) for the torch.compile peer; default torch.compile(torch()). It may
  return a Python
               function that calls a compiled piece in a loop (noted in `tnote`).
  bytes     -> compulsory memory traffic (read every input once, write every output once)
  flops     -> FMA-countable arithmetic (mul/add; transcendentals are NOT counted unless said)
"""
from dataclasses import dataclass
import numpy as np

WORKLOADS = {}


@dataclass
class W:
    name: str
    inputs: object
    jax: object
    torch: object
    tcompile: object = None
    bytes: float = 0
    flops: float = 0
    rtol: float = 1e-3
    atol: float = 1e-4
    check: str = "close"   # close | mismatch_fraction | none
    inner: int = 1         # calls per timing sample
    tnote: str = ""
    cache: bool = False    # working set fits a cache: no DRAM limit
    numpy: object = None   # () -> fn(*args) on arrays
    # limit from a serial dependence chain (cycles counted by hand / 3.5 GHz)
    lat_ms: float = 0


def add(name, inputs, jx, th, **k):
    WORKLOADS[name] = W(name, inputs, jx, th, **k)


def T(make):
    """builder whose function gets torch from a closure (an __import__ inside would break
    Dynamo's graph)"""
    def build():
        import torch
        return make(torch)
    return build


def rng(seed=0):
    return np.random.default_rng(seed)


def N(shape, seed=0, scale=1.0):
    return (rng(seed).standard_normal(shape) * scale).astype(np.float32)


def U(shape, lo, hi, seed=0):
    return rng(seed).uniform(lo, hi, shape).astype(np.float32)


def I(n, shape, seed):
    return rng(seed).integers(0, n, shape).astype(np.int32)
