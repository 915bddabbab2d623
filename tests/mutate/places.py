"""Which places are broken: a sample of all sites (sites.py) that a seed draws.

A place has a key: its file, the text of its line, what the mutant has there, and how many like
it come before.  Places are ranked by a hash of the seed and the key, so that an edit of one
line moves no other place, and a run whose sources have changed a little continues an older one.
The sample takes areas in turn, and of each area the kinds of mistakes in turn; its first places
are a sample as well.  """

import glob
import hashlib
import os
from itertools import zip_longest

import sites

AREAS = {
    'passes': ['passes/*.c', 'passes/rules/*.c'],
    'lowering': [f'codegen/{room}/*.c' for room in
                 ('fuse', 'elemental', 'plan', 'schedule', 'lower', 'kernel', 'host', 'sim')],
    'emitters': ['codegen/llvm/*.c', 'codegen/c/*.c'],
    'runtime': ['runtime/*.c'],
}
LEFT_OUT = ('codegen/nollvm.c',)        # not built here


class Place:
    """A site, and the key by which a later run knows it."""

    def __init__(self, area, site, line, nth):
        self.area, self.site, self.text, self.nth = area, site, line, nth
        self.now = site.before + site.was + site.after
        self.key = ' | '.join((site.file, line, self.now, str(nth)))

    def name(self):
        return '%s:%d, %s: `%s` with `%s` for `%s`' % (
            self.site.file, self.site.line, self.site.kind, self.text, self.now, self.site.was)


def read(path):
    with open(path) as f:
        return f.read()


def places_of(source, area):
    names = {os.path.relpath(p, source) for q in AREAS[area]
             for p in glob.glob(os.path.join(source, q))}
    out = []
    for name in sorted(names - set(LEFT_OUT)):
        text = read(os.path.join(source, name))
        lines, count = text.split('\n'), {}
        for s in sites.find(name, text):
            line = lines[s.line - 1].strip()
            like = (line, s.before, s.was, s.after)
            count[like] = count.get(like, 0) + 1
            out.append(Place(area, s, line, count[like]))
    return out


def in_turn(lists):
    """The first of each, the second of each, and so on."""
    return [x for row in zip_longest(*lists) for x in row if x is not None]


def sample(source, seed, count):
    """COUNT places in the order in which they are judged."""
    areas = []
    for area in AREAS:
        kinds = {}
        for p in places_of(source, area):
            kinds.setdefault(p.site.kind, []).append(p)
        print('mutate: %s: %d places' % (area, sum(map(len, kinds.values()))), flush=True)
        for k in kinds.values():
            k.sort(key=lambda p: hashlib.sha256(('%d %s' % (seed, p.key)).encode()).digest())
        areas.append(in_turn([kinds[k] for k in sorted(kinds)]))
    return in_turn(areas)[:count]
