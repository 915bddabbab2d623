"""Break the sources one small way at a time, and count what the tests notice.

    mutate.py SOURCE FOLDER [--seed N] [--count N] [--first N] [--hours H] [--jobs N]
              [--tests PATTERN] [--each S] [--long S] [--asan N] [--only TEXT] [--report]

The sources are copied to FOLDER, where COUNT places (places.py), drawn by the seed over passes,
lowering, emitters and the runtime, get a switch each; one build has them all, and the variable
COT_MUTANT names the one that is on.  Each test (suite.py) runs once with all off and records
which switches it reaches: FOLDER/map.json, made anew only for tests that changed.  Then every
mutant runs under the tests that reach it until one fails, at most S seconds of them: first
those that noticed many others, above all in the same file, in little time.  Tests of more than
S seconds (--long) are recorded and run only for mutants that the others leave; then the
shortest few (--asan) with the address sanitizer, which the suite runs under as well: an array
that is too short is seen there.

FOLDER/results.json keeps what is known of each place: a run that was stopped continues there,
and one with new tests runs these alone for what survived.  FOLDER/report.md has the counts and
what survived.  A mutant that no test can notice is listed in equivalent.txt beside this file,
with the reason.  """

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import places
import sites
import suite

HERE = os.path.dirname(os.path.abspath(__file__))
SWITCH = '''
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
int mutant_on = -1;
static unsigned char mutants[%d];
unsigned char *mutant_seen = mutants;
__attribute__((constructor)) static void mutant_begin(void)
{
    const char *s = getenv("COT_MUTANT"), *path = getenv("COT_MUTANTS_SEEN");
    int file = path ? open(path, O_RDWR) : -1;
    void *m = MAP_FAILED;
    if (file >= 0)
        m = mmap(NULL, sizeof mutants, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (m != MAP_FAILED)
        mutant_seen = m;
    if (s)
        mutant_on = atoi(s);
}
'''
QUIET = 'parentheses bool-compare bool-operation int-in-bool-context sign-compare ' \
        'int-conversion enum-conversion enum-compare type-limits array-bounds address ' \
        'unused-value maybe-uninitialized tautological-compare unused-function ' \
        'unused-variable unused-const-variable logical-not-parentheses stringop-overflow ' \
        'shift-count-overflow format-truncation'
HEAD = ''.join('#pragma GCC diagnostic ignored "-W%s"\n' % w for w in QUIET.split()) + \
    'extern int mutant_on; extern unsigned char *mutant_seen;\n' \
    '#define MUTANT(k) (mutant_seen[k] = 1, mutant_on == (k))\n#line 1\n'
ASAN = ('-DCMAKE_BUILD_TYPE=Debug',
        '-DCMAKE_C_FLAGS=-O1 -fsanitize=address -fno-sanitize-recover=all '
        '-fno-omit-frame-pointer')
# places that do not compile are no mutants: others take their place
SPARE = 1.15


def say(*words):
    print('mutate:', *words, flush=True)


def read(path):
    with open(path) as f:
        return f.read()


def write(path, text):
    """Leaves a file of that text as it is, so that nothing is built again."""
    if os.path.exists(path) and read(path) == text:
        return
    with open(path, 'w') as f:
        f.write(text)


def load(path, otherwise):
    if not os.path.exists(path):
        return otherwise
    with open(path) as f:
        return json.load(f)


def save(path, value):
    with open(path + '.new', 'w') as f:
        json.dump(value, f, indent=0)
    os.replace(path + '.new', path)


# -- the copy and its build --

def copy(source, folder, mutated):
    """The sources but for the mutated ones, which write_sources makes; files that are the same
    stay."""
    names = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=source,
                           check=True, text=True,
                           capture_output=True).stdout.split('\n')
    for name in names:
        a, b = os.path.join(source, name), os.path.join(folder, name)
        if not name or not os.path.isfile(a) or name in mutated:
            continue
        os.makedirs(os.path.dirname(b), exist_ok=True)
        with open(a, 'rb') as f:
            data = f.read()
        if os.path.exists(b):
            with open(b, 'rb') as f:
                if f.read() == data:
                    continue
        shutil.copy(a, b)


def write_sources(source, folder, chosen, size):
    for n in {p.site.file for p in chosen.values()}:
        here = [(k, p.site) for k, p in chosen.items() if p.site.file == n]
        write(os.path.join(folder, n), HEAD + sites.apply(read(os.path.join(source, n)), here))
    write(os.path.join(folder, 'ir/config.c'), read(os.path.join(source, 'ir/config.c')) +
          SWITCH % size)


def build(folder, jobs, name='build', options=('-DCMAKE_BUILD_TYPE=RelWithDebInfo',
                                               '-DCOT_WERROR=ON'), targets=()):
    """The lines of errors, file and line."""
    place = os.path.join(folder, name)
    if not os.path.exists(os.path.join(place, 'build.ninja')):
        subprocess.run(['cmake', '-S', folder, '-B', place, '-G', 'Ninja', *options],
                       check=True,
                       stdout=subprocess.DEVNULL)
    r = subprocess.run(['ninja', '-k', '0', '-j', str(jobs), *targets], cwd=place, text=True,
                       capture_output=True)
    if r.returncode == 0:
        return []
    found = re.findall(r'^(?:\.\./)*(\S+?\.c):(\d+):\d+: error', r.stdout, re.M)
    if not found:
        raise SystemExit('mutate: the build fails:\n' + r.stdout[-3000:])
    return [(os.path.relpath(f, folder) if os.path.isabs(f) else f, int(n)) for f, n in found]


def drop(chosen, bad):
    """Mutants at the lines of errors, or, if there is none, in the same statement."""
    for f, n in bad:
        here = [(abs(p.site.line - n), k) for k, p in chosen.items() if p.site.file == f]
        at = [k for d, k in here if d == 0] or [k for d, k in here if d <= 3]
        for k in at:
            del chosen[k]


def build_all(source, folder, chosen, jobs):
    """Mutants that do not compile are no mutants."""
    size = max(chosen) + 1
    files = {p.site.file for p in chosen.values()}
    for _ in range(12):
        left = {p.site.file for p in chosen.values()}
        copy(source, folder, left | {'ir/config.c'})
        write_sources(source, folder, chosen, size)
        bad = [b for b in build(folder, jobs)]
        if not bad:
            return
        strangers = {f for f, n in bad} - files
        if strangers:
            raise SystemExit('mutate: no mutant is in %s, which does not '
                             'compile' % ', '.join(strangers))
        drop(chosen, bad)
    raise SystemExit('mutate: the build does not come to an end')


# -- the map --

class Map:
    """Which places each test reaches, kept in FOLDER/map.json with the draw that it was
    recorded for.  Of a place that was not drawn then a test is held to reach it if it reaches
    another one of its file."""

    def __init__(self, folder, chosen):
        self.folder, self.chosen, self.path = folder, chosen, os.path.join(folder, 'map.json')
        self.size, self.lock = max(chosen) + 1, threading.Lock()
        keys = sorted(p.key for p in chosen.values())
        self.draw = hashlib.sha256('\n'.join(keys).encode()).hexdigest()[:10]
        self.map = load(self.path, {'draws': {}, 'tests': {}})
        self.map['draws'][self.draw] = keys

    def sees(self, row):
        """The numbers of the places of a test's row."""
        seen, drawn = set(row['sees']), set(self.map['draws'][row['draw']])
        files = {key.split(' | ')[0] for key in seen}
        return {k for k, p in self.chosen.items() if p.key in seen or p.key not in drawn
                and p.site.file in files}

    def recall(self, tests):
        for t in tests:
            row = self.map['tests'].get(t.id())
            if row:
                t.good, t.seconds, t.sees = row['good'], row['seconds'], self.sees(row)

    def record(self, t):
        suite.record(self.folder, t, self.size)
        with self.lock:
            self.map['tests'][t.id()] = {'good': t.good, 'seconds': t.seconds,
                                         'draw': self.draw, 'sees': sorted(
                p.key for k, p in self.chosen.items() if k in t.sees)}
            save(self.path, self.map)

    def record_all(self, tests, jobs, until):
        """Records those that it lacks, the short ones first."""
        missing = sorted((t for t in tests if t.good is None), key=lambda t: t.seconds)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda t: self.record(t) if time.time() < until else None, missing))
        say('%d tests, %d recorded now, %.0f s of them all' %
            (len(tests), len(missing), sum(t.seconds for t in tests if t.good)))
        bad = [t.name for t in tests if t.good is False]
        if bad:
            say('left out, since they fail without a mutant:', ' '.join(bad))


# -- the judgement --

class Judge:
    """Runs mutants under tests, and keeps what came of it."""

    def __init__(self, folder, chosen, until, each):
        self.path, self.chosen, self.until, self.each = os.path.join(folder,
            'results.json'), chosen, until, each
        self.results = load(self.path, {})
        self.runs, self.kills, self.near = {}, {}, {}
        self.lock, self.done, self.start = threading.Lock(), 0, time.time()
        for p in chosen.values():
            self.count(p, self.results.get(p.key, {}))

    def count(self, p, r):
        for name in r.get('ran', []):
            self.learn(p, name.split('@')[0], False)
        if r.get('by'):
            self.learn(p, r['by'], True)

    def learn(self, p, name, noticed):
        self.runs[name] = self.runs.get(name, 0) + 1
        if noticed:
            self.kills[name] = self.kills.get(name, 0) + 1
            self.near.setdefault(p.site.file, set()).add(name)

    def worth(self, p, t):
        """How likely the test notices this mutant, for each second.  One that reaches few
        places asks more of each."""
        before = 4 / (len(t.sees) + 8)
        likely = (self.kills.get(t.name, 0) + 3 * before) / (self.runs.get(t.name, 0) + 3)
        if t.name in self.near.get(p.site.file, ()):
            likely = max(3 * likely, 0.4)
        return likely / (t.seconds + 0.1)

    def place(self, k, tests):
        """Runs mutant k; keeps the test that notices it, or those that did not."""
        p = self.chosen[k]
        r = self.results.setdefault(p.key, {'ran': [], 'seconds': 0.0})
        if r.get('by'):
            return
        ran, left = set(r['ran']), [t for t in tests if t.good and k in t.sees]
        r['reached'] = r.get('reached', False) or bool(left)
        left = [t for t in left if t.id() not in ran]
        spent = 0.0
        while left and spent < self.each and time.time() < self.until:
            with self.lock:
                t = max(left, key=lambda t: self.worth(p, t))
            left.remove(t)
            good, seconds = suite.run(t, {'COT_MUTANT': str(k)}, t.seconds)
            spent += seconds
            with self.lock:
                self.learn(p, t.name, not good)
            if not good:
                r['by'] = t.name
                break
            r['ran'].append(t.id())
        r['left'] = len(left)
        r['seconds'] += spent
        self.tell(k, p, r)

    def tell(self, k, p, r):
        with self.lock:
            self.done += 1
            save(self.path, self.results)
            say('%d, %.0f s, %d:' % (self.done, time.time() - self.start, k), p.site.file,
                p.site.line, p.site.kind,
                r.get('by') or ('SURVIVES' if r['reached'] else 'unreached') +
                (', %d tests left' % r['left'] if r['left'] else ''))

    def all(self, order, tests, jobs):
        left = [k for k in order if not self.results.get(self.chosen[k].key, {}).get('by')]
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda k: self.place(k, tests) if time.time() < self.until else None,
                          left))
        return [k for k in left if not self.results.get(self.chosen[k].key, {}).get('by')]


# -- the report --

def equivalents():
    """{(file, line, what it is): reason} of the lines `file | text | text | reason`; the first
    text may have bars of its own."""
    rows = [line.split(' | ', 1)[:1] + line.split(' | ', 1)[1].rsplit(' | ', 2)
            for line in read(os.path.join(HERE, 'equivalent.txt')).split('\n')
            if line.count(' | ') >= 3 and line[0] != '#']
    return {tuple(r[:3]): r[3] for r in rows}


def verdict(p, r, same):
    if r is None:
        return 'unjudged'
    if r.get('by'):
        return 'killed'
    if (p.site.file, p.text, p.now) in same:
        return 'equivalent'
    return 'survived' if r.get('reached') else 'unreached'


def table(first, score, heads):
    out = '| %s | ' % first + ' | '.join(heads) + ' |\n|' + '---|' * (len(heads) + 1) + '\n'
    for row in sorted(score):
        out += '| %s | ' % row + ' | '.join(str(score[row].get(h, 0)) for h in heads) + ' |\n'
    return out + '\n'


def report(path, seed, order, chosen, results):
    same, rows, kinds, areas, total = equivalents(), [], {}, {}, {}
    heads = ['killed', 'survived', 'unreached', 'equivalent', 'unjudged']
    for k in order:
        p = chosen[k]
        r = results.get(p.key)
        what = verdict(p, r, same)
        for score in (kinds.setdefault(p.site.kind, {}), areas.setdefault(p.area, {}), total):
            score[what] = score.get(what, 0) + 1
        if what not in ('killed', 'unjudged'):
            why = '; ' + same[p.site.file, p.text, p.now] if what == 'equivalent' else \
                '; %d tests not run' % r['left'] if r.get('left') else ''
            rows.append('- %s: %d %s%s\n' % (what, k, p.name(), why))
    judged = sum(total.get(h, 0) for h in heads[:3])
    text = ('# Mutants\n\nSeed %d, %d places, %d judged. '
            'Noticed: %d of %d that are not equivalent, %.1f %%.\n\n') % (
        seed, len(order), len(order) - total.get('unjudged', 0), total.get('killed', 0), judged,
        100 * total.get('killed', 0) / max(judged, 1))
    write(path, text + table('kind', kinds, heads) + table('area', areas, heads) +
          ''.join(rows))
    return read(path)


def options():
    p = argparse.ArgumentParser()
    p.add_argument('source')
    p.add_argument('folder')
    p.add_argument('--seed', type=int, default=20)
    p.add_argument('--count', type=int, default=500, help='places that are drawn')
    p.add_argument('--first', type=int, help='how many of them are judged')
    p.add_argument('--hours', type=float, default=3)
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('--tests', default='.', help='pattern of their names')
    p.add_argument('--each', type=float, default=300, help='seconds of tests for one place')
    p.add_argument('--long', type=float, default=3, help='tests of more seconds come last')
    p.add_argument('--asan', type=int, default=6,
                   help='tests with the address sanitizer for what others leave')
    p.add_argument('--only', help='places whose key has this text, with all tests')
    p.add_argument('--costs', help='a build folder where CTest has run, for what tests take')
    p.add_argument('--report', action='store_true', help='nothing runs')
    o = p.parse_args()
    o.source, o.folder = os.path.abspath(o.source), os.path.abspath(o.folder)
    o.first = o.first or o.count
    return o


def main():
    o = options()
    start = time.time()
    until = start + 3600 * o.hours
    os.makedirs(o.folder, exist_ok=True)
    chosen = dict(enumerate(places.sample(o.source, o.seed, int(o.count * SPARE))))
    dropped = os.path.join(o.folder, 'dropped.json')
    for k in [k for k, p in chosen.items() if p.key in load(dropped, [])]:
        del chosen[k]
    if not o.report:
        keys = {p.key for p in chosen.values()}
        build_all(o.source, o.folder, chosen, o.jobs)
        save(dropped, sorted(set(load(dropped, [])) | keys - {p.key for p in chosen.values()}))
    order = sorted(chosen)[:o.count][:o.first]
    judge = Judge(o.folder, chosen, until, o.each)
    if not o.report:
        say('%d mutants compile, %.0f s' % (len(chosen), time.time() - start))
        judge_all(o, judge, order, chosen, until)
    print(report(os.path.join(o.folder, 'report.md'), o.seed, order, chosen, judge.results))


def judge_all(o, judge, order, chosen, until):
    if o.only:
        order = [k for k in order if o.only in chosen[k].key]
    tests = suite.tests_of(o.folder, o.tests,
                           suite.costs(o.costs or os.path.join(o.source, 'build')))
    reached = Map(o.folder, chosen)
    reached.recall(tests)
    left = order
    # Most mutants are noticed within seconds: all of them have these before any has minutes.
    for most, each in (1, 8), (o.long, 30), (float('inf'), o.each):
        some = [t for t in tests if t.seconds < most]
        if left and time.time() < until:
            reached.record_all(some, o.jobs, until)
            judge.each = min(each, o.each)
            left = judge.all(left, some, o.jobs)
            say('%d of %d are left, %.0f s' % (len(left), len(order),
                                               time.time() - judge.start))
    if left and o.asan:
        judge_sanitized(o, judge, left, tests, until)


def judge_sanitized(o, judge, left, tests, until):
    """What is left, under the few shortest tests that reach it, with the address sanitizer."""
    some = {}
    for k in left:
        reach = sorted((t for t in tests if t.good and k in t.sees),
                       key=lambda t: t.seconds)[:o.asan]
        some.update((t.name, t) for t in reach if t.seconds < o.long)
    inside = [suite.sanitized(o.folder, t) for t in some.values()]
    place = os.path.join(o.folder, 'asan')
    programs = {os.path.relpath(t.command[0], place) for t in inside
                if t.command[0].startswith(place + '/')}
    inside = [t for t in inside if t.command[0].startswith(place + '/')]
    if build(o.folder, o.jobs, 'asan', ASAN, sorted(programs)):
        raise SystemExit('mutate: the build with the address sanitizer fails')
    for t in inside:
        if time.time() < until:
            t.good, t.seconds = suite.run(t, {}, t.seconds)
    judge.all(left, inside, o.jobs)


main()
