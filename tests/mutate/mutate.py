"""Break the sources one small way at a time, and count what the tests notice.

    mutate.py SOURCE FOLDER [--seed N] [--count N] [--hours H] [--most S] [--tests PATTERN] [--jobs N]
              [--targets T...]

The sources are copied to FOLDER, where COUNT places (sites.py), drawn by the seed over passes,
lowering, emitters and the runtime, get a switch each; one build has them all, and the variable
COT_MUTANT names the one that is on.  Each test runs once with all off and records which switches it
passes; tests that fail then, or take more than S seconds, are left out; with --targets, so are all but those of these programs.  Then every mutant runs
under the tests that pass its switch, the short ones first, until one fails.

FOLDER/report.md has the counts and what survived.  A mutant that no test can notice is listed in
equivalent.txt beside this file, with the reason: it counts as equivalent, at most one in ten may.
"""

import argparse
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import sites

AREAS = {
    'passes': ['passes/*.c', 'passes/rules/*.c'],
    'lowering': ['codegen/*.c', 'codegen/lower/*.c'],
    'emitters': ['codegen/llvm/*.c', 'codegen/c/*.c'],
    'runtime': ['runtime/*.c'],
}
LEFT_OUT = ('codegen/nollvm.c',)        # not built here

SWITCH = '''
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <unistd.h>
int mutant_on = -1;
unsigned char mutant_seen[%d];
static void mutant_end(void)
{
    const char *path = getenv("COT_MUTANTS_SEEN");
    char line[16];
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    for (int i = 0; file >= 0 && i < (int)sizeof mutant_seen; i++)
        if (mutant_seen[i] && write(file, line, (size_t)snprintf(line, sizeof line, "%%d\\n", i)) < 0)
            break;
    if (file >= 0)
        close(file);
}
__attribute__((constructor)) static void mutant_begin(void)
{
    const char *s = getenv("COT_MUTANT");
    if (s)
        mutant_on = atoi(s);
    if (getenv("COT_MUTANTS_SEEN"))
        atexit(mutant_end);
}
'''
QUIET = 'parentheses bool-compare bool-operation int-in-bool-context sign-compare int-conversion enum-conversion ' \
        'enum-compare type-limits array-bounds address unused-value maybe-uninitialized tautological-compare ' \
        'unused-function unused-variable unused-const-variable logical-not-parentheses stringop-overflow ' \
        'shift-count-overflow format-truncation'
HEAD = ''.join('#pragma GCC diagnostic ignored "-W%s"\n' % w for w in QUIET.split()) + 'extern int mutant_on; extern unsigned char mutant_seen[];\n' \
       '#define MUTANT(k) (mutant_seen[k] = 1, mutant_on == (k))\n#line 1\n'


def read(path):
    with open(path) as f:
        return f.read()


def write(path, text):
    if os.path.exists(path) and read(path) == text:
        return
    with open(path, 'w') as f:
        f.write(text)


def copy(source, folder):
    names = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=source, check=True, text=True,
                           capture_output=True)
    for name in names.stdout.split('\n'):
        if name and os.path.isfile(os.path.join(source, name)):
            to = os.path.join(folder, name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(os.path.join(source, name), to)


def sample(source, seed, count):
    """Sites, as many of each area."""
    draw, out = random.Random(seed), []
    for area, patterns in AREAS.items():
        names = sorted(os.path.relpath(p, source) for q in patterns for p in glob.glob(os.path.join(source, q)))
        found = [s for n in names if n not in LEFT_OUT for s in sites.find(n, read(os.path.join(source, n)))]
        by_kind = {}
        for s in found:
            by_kind.setdefault(s.kind, []).append(s)
        kinds = sorted(by_kind)
        wanted = count // len(AREAS)
        print('mutate: %s: %d places in %d files' % (area, len(found), len(names)), flush=True)
        picked = [draw.choice(by_kind[kinds[i % len(kinds)]]) for i in range(3 * wanted)]
        out += list(dict.fromkeys(picked))[:wanted]
    return out


def write_sources(source, folder, chosen):
    names = sorted({s.file for s in chosen.values()})
    for n in names:
        here = [(k, s) for k, s in chosen.items() if s.file == n]
        write(os.path.join(folder, n), HEAD + sites.apply(read(os.path.join(source, n)), here))
    write(os.path.join(folder, 'ir/config.c'),
          read(os.path.join(source, 'ir/config.c')) + SWITCH % (max(chosen) + 1))
    return names


def build(folder, jobs, targets):
    """The lines of errors, file and line."""
    place = os.path.join(folder, 'build')
    if not os.path.exists(os.path.join(place, 'build.ninja')):
        subprocess.run(['cmake', '-S', folder, '-B', place, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
                        '-DCOT_WERROR=ON'], check=True, stdout=subprocess.DEVNULL)
    r = subprocess.run(['ninja', '-k', '0', '-j', str(jobs), *targets], cwd=place, text=True, capture_output=True)
    if r.returncode == 0:
        return []
    found = re.findall(r'^(?:\.\./)*(\S+?\.c):(\d+):\d+: error', r.stdout, re.M)
    if not found:
        raise SystemExit('mutate: the build fails:\n' + r.stdout[-3000:])
    return [(os.path.relpath(f, folder) if os.path.isabs(f) else f, int(n)) for f, n in found]


def build_all(source, folder, chosen, jobs, targets):
    """Mutants that do not compile are no mutants."""
    names = []
    for _ in range(12):
        for n in names:         # a file may have lost its last mutant
            shutil.copy2(os.path.join(source, n), os.path.join(folder, n))
        names = write_sources(source, folder, chosen)
        bad = build(folder, jobs, targets)
        if not bad:
            return
        for k in [k for k, s in chosen.items() if (s.file, s.line) in bad]:
            del chosen[k]
        left = {f for f, n in bad} & {s.file for s in chosen.values()}
        lines = {(s.file, s.line) for s in chosen.values()}
        for f in left:          # an error elsewhere in its statement
            for g, n in bad:
                if g == f and (g, n) not in lines:
                    for k in [k for k, s in chosen.items() if s.file == f and abs(s.line - n) <= 3]:
                        del chosen[k]
    raise SystemExit('mutate: the build does not come to an end')


def tests_of(folder, pattern):
    r = subprocess.run(['ctest', '--show-only=json-v1'], cwd=os.path.join(folder, 'build'), check=True, text=True,
                       capture_output=True)
    out = []
    for t in json.loads(r.stdout)['tests']:
        p = {q['name']: q['value'] for q in t.get('properties', [])}
        if t.get('command') and os.path.exists(t['command'][0]) and re.search(pattern, t['name']):
            out.append({'name': t['name'], 'command': t['command'], 'at': p.get('WORKING_DIRECTORY', folder),
                        'env': dict(e.split('=', 1) for e in p.get('ENVIRONMENT', [])),
                        'skip': int(p.get('SKIP_RETURN_CODE', -1)), 'fails': bool(p.get('WILL_FAIL', False))})
    return out


def run(test, more, seconds):
    """Does it pass?"""
    env = dict(os.environ, **test['env'], **more)
    child = subprocess.Popen(test['command'], cwd=test['at'], env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        code = child.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return False
    return code == test['skip'] or (code == 0) != test['fails']


def record(folder, test, most):
    seen = os.path.join(folder, 'seen.%s' % re.sub(r'\W', '_', test['name']))
    if os.path.exists(seen):
        os.unlink(seen)
    start = time.time()
    test['good'] = run(test, {'COT_MUTANTS_SEEN': seen}, most)
    test['seconds'] = time.time() - start
    test['sees'] = set()
    if os.path.exists(seen):
        test['sees'] = {int(k) for k in read(seen).split()}
        os.unlink(seen)


def judge(k, tests, until):
    """The test that notices mutant k; '' if none does, None where time ran out."""
    for t in sorted((t for t in tests if k in t['sees']), key=lambda t: t['seconds']):
        if time.time() > until:
            return None
        if not run(t, {'COT_MUTANT': str(k)}, 20 + 5 * t['seconds']):
            return t['name']
    return ''


def equivalents():
    """{(file, what it was, what it is): reason} of the lines `file | text | text | reason`."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'equivalent.txt')
    rows = [line.split(' | ', 3) for line in read(path).split('\n') if line.count(' | ') >= 3 and line[0] != '#']
    return {tuple(r[:3]): r[3] for r in rows}


def line_of(source, s):
    return read(os.path.join(source, s.file)).split('\n')[s.line - 1].strip()


def report(source, path, options, chosen, by, seen):
    same = equivalents()
    rows, score = [], {}
    for k, s in sorted(chosen.items()):
        now = s.before + s.was + s.after
        reason = same.get((s.file, line_of(source, s), now))
        what = 'killed' if by.get(k) else 'unjudged' if by.get(k) is None else 'equivalent' if reason else \
            'survived' if k in seen else 'unreached'
        count = score.setdefault(s.kind, {})
        count[what] = count.get(what, 0) + 1
        if what != 'killed':
            rows.append('- %s: %s:%d, %s: `%s` with `%s` for `%s`%s' %
                        (what, s.file, s.line, s.kind, line_of(source, s), now, s.was, '; ' + reason if reason else ''))
    heads = ['killed', 'survived', 'unreached', 'equivalent', 'unjudged']
    total = {h: sum(c.get(h, 0) for c in score.values()) for h in heads}
    judged = sum(total.values()) - total['unjudged'] - total['equivalent']
    with open(path, 'w') as f:
        f.write('# Mutants\n\nSeed %d, %d places, tests `%s` of at most %d s. Noticed: %d of %d, %.1f %%.\n\n' %
                (options.seed, len(chosen), options.tests, options.most, total['killed'], judged,
                 100 * total['killed'] / max(judged, 1)))
        f.write('| kind | ' + ' | '.join(heads) + ' |\n|' + '---|' * (len(heads) + 1) + '\n')
        for kind in sorted(score):
            f.write('| %s | ' % kind + ' | '.join(str(score[kind].get(h, 0)) for h in heads) + ' |\n')
        f.write('| all | ' + ' | '.join(str(total[h]) for h in heads) + ' |\n\n' + '\n'.join(rows) + '\n')
    print(read(path))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('source')
    p.add_argument('folder')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=500)
    p.add_argument('--hours', type=float, default=3)
    p.add_argument('--most', type=float, default=120)
    p.add_argument('--tests', default='.')
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('--targets', nargs='*', default=[])
    o = p.parse_args()
    o.source, o.folder = os.path.abspath(o.source), os.path.abspath(o.folder)
    start = time.time()
    copy(o.source, o.folder)
    chosen = dict(enumerate(sample(o.source, o.seed, o.count)))
    build_all(o.source, o.folder, chosen, o.jobs, o.targets)
    print('mutate: %d mutants compile, %d s' % (len(chosen), time.time() - start), flush=True)
    tests = tests_of(o.folder, o.tests)
    with ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(lambda t: record(o.folder, t, o.most), tests))
    good = [t for t in tests if t['good']]
    print('mutate: %d of %d tests pass in time, %d s' % (len(good), len(tests), time.time() - start), flush=True)
    print('mutate: left out: ' + ' '.join(t['name'] for t in tests if not t['good']), flush=True)
    until, by = start + 3600 * o.hours, {}

    def one(k):
        by[k] = judge(k, good, until)
        print('mutate: %d of %d, %d s: %s %s' % (len(by), len(chosen), time.time() - start, k,
                                                 by[k] or ('?' if by[k] is None else 'SURVIVES')), flush=True)

    with ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(one, sorted(chosen)))
    report(o.source, os.path.join(o.folder, 'report.md'), o, chosen, by, set().union(*[t['sees'] for t in good]))


main()
