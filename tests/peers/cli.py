"""The command line of linalg.py and sugar.py, and the peers that are there."""
import argparse

from accuracy import python_with

from linalg import NAMES


def options():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--jax")
    p.add_argument("--torch")
    p.add_argument("--backend", default="eval")
    p.add_argument("--write")
    p.add_argument("--keep")
    p.add_argument("names", nargs="*")
    return p


def parse(p):
    """The arguments, the Pythons of the peers by name, and numpy; no peers where there is
    nothing to compare with."""
    args = p.parse_intermixed_args()
    if args.write and args.names:
        p.error("--write wants all cases: of those that are not run, the page would lose its "
                "rows")
    peers = {k: python_with(k, getattr(args, k)) for k in NAMES}
    peers = {k: v for k, v in peers.items() if v}
    try:
        import numpy as np
    except ImportError:
        return args, {}, None
    return args, peers, np
