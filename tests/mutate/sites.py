"""Places in C source that a mutant can break one small way, and the text that breaks them.

A place is found among the tokens of function bodies, and is broken by text put before and after
it, in which `M` stands for the switch of this mutant, 0 or 1 (R. A. DeMillo, R. J. Lipton, F.
G. Sayward, 1978; all mutants in one program: R. H. Untch, A. J. Offutt, M. J. Harrold, 1993).
With the switch at 0 the program is the one that was written.

    index      a[i]          a[(i)+M]
    number     2             (2+M)
    compare    a < b         a < M+b           a == b: the same
    branch     if (c)        if (M != !!(c))
    mask       f(x, mask)    f(x, M ? 0 : mask)
    sign       a + b         a + (1-2*M)*b
    op         OP_lt         (M ? OP_le : OP_lt)
"""

import re
from collections import namedtuple

Site = namedtuple('Site', 'file line kind start end before after was')

TOKEN = re.compile(r'''
    (?P<space>\s+|//[^\n]*|/\*.*?\*/|^\#(?:[^\n\\]|\\.|\\\n)*) |
    (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*') |
    (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+\.?\d*(?:[eE][+-]?\d+)?[uUlLfF]*) |
    (?P<name>[A-Za-z_]\w*) |
    (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
''', re.X | re.S | re.M)

# What is taken instead of a name: of the same type, so that either can stand there.
SWAPS = {
    'OP_lt': 'OP_le', 'OP_le': 'OP_lt', 'OP_gt': 'OP_ge', 'OP_ge': 'OP_gt', 'OP_max': 'OP_min',
    'OP_min': 'OP_max', 'OP_add': 'OP_sub', 'OP_sub': 'OP_add', 'OP_mul': 'OP_div',
    'OP_reduce_max': 'OP_reduce_min', 'OP_reduce_min': 'OP_reduce_max', 'OP_and': 'OP_or',
    'OP_reduce_sum': 'OP_reduce_prod', 'OP_sin': 'OP_cos', 'OP_cos': 'OP_sin',
    'SC_lt': 'SC_le', 'SC_le': 'SC_lt', 'SC_max': 'SC_min', 'SC_min': 'SC_max',
    'SC_add': 'SC_sub',
    'ir_add': 'ir_sub', 'ir_sub': 'ir_add', 'ir_mul': 'ir_div', 'ir_div': 'ir_mul',
    'cg_imin': 'cg_imax', 'cg_imax': 'cg_imin', 'cg_iadd': 'cg_isub', 'cg_isub': 'cg_iadd',
    'LLVMIntSLT': 'LLVMIntSLE', 'LLVMIntSGE': 'LLVMIntSGT', 'LLVMIntULT': 'LLVMIntULE',
    'LLVMBuildAdd': 'LLVMBuildSub', 'LLVMBuildSub': 'LLVMBuildAdd',
    'LLVMBuildAnd': 'LLVMBuildOr', 'LLVMBuildOr': 'LLVMBuildAnd',
}
WORDS = {'return', 'if', 'while', 'for', 'switch', 'case', 'sizeof', 'else', 'do', 'goto'}
MASKS = {'mask', 'present', 'limit'}
TYPES = re.compile(r'^(const|static|struct|enum|unsigned|signed|char|short|int|long|float|'
                   r'double|bool|void|union|size_t|FILE|LLVM\w+Ref|\w+_t|cot_\w+|'
                   r'ir_(?!add|sub|mul|div|neg)\w+|cg_val|cg_\w+|rt_\w+|pass_\w+)$')


def tokens(text):
    """(kind, text, start) of what is not space."""
    out = []
    for m in TOKEN.finditer(text):
        if m.lastgroup != 'space':
            out.append((m.lastgroup, m.group(), m.start()))
    return out


def closing(t, i):
    """The place of the mark that closes t[i]."""
    depth = 0
    for j in range(i, len(t)):
        if t[j][1] in ('(', '[', '{'):
            depth += 1
        elif t[j][1] in (')', ']', '}'):
            depth -= 1
            if depth == 0:
                return j
    return len(t) - 1


def bodies(t):
    """The first and the last token of each function's body."""
    i = 0
    while i < len(t):
        if t[i][1] == '{':
            end = closing(t, i)
            if i and t[i - 1][1] == ')':
                yield i + 1, end
            i = end
        i += 1


def find(name, text):
    """The sites of one file."""
    t = tokens(text)
    out = []

    def add(kind, i, j, before, after):
        start, end = t[i][2], t[j][2] + len(t[j][1])
        out.append(Site(name, text.count('\n', 0, start) + 1, kind, start, end, before, after,
                        text[start:end]))

    for first, last in bodies(t):
        i, begins, declares, assigned = first, True, False, False
        while i < last:
            kind, s, _ = t[i]
            if begins:
                declares = kind == 'name' and bool(TYPES.match(s)) and t[i +
                    1][0] == 'name' or t[i + 1][1] == '*' and \
                    t[i + 2][0] == 'name' and bool(TYPES.match(s))
                assigned = False
                if s in ('static', 'enum', 'case', 'default', 'goto'):
                    while t[i][1] not in (';', ':') and i < last:
                        i = closing(t, i) + 1 if t[i][1] in '([{' else i + 1
                    i += 1
                    continue
            begins = s in (';', '{', '}', ':')
            assigned |= s == '='
            if s == '[' and declares and not assigned:      # the size of an array
                i = closing(t, i) + 1
                continue
            before = t[i - 1]
            value = before[0] in ('number',) or before[1] in (')',
                ']') or before[0] == 'name' and before[1] not in WORDS
            if s == '[' and value and t[i + 1][1] != ']':
                add('index', i + 1, closing(t, i) - 1, '(', ')+M')
            elif kind == 'number' and before[1] not in ('.', '['):
                add('number', i, i, '(', '+M)')
            elif s in ('<', '<=', '>', '>=', '==',
                       '!=') and value and t[i + 1][1] not in ('NULL', 'true', 'false') and \
                    t[i + 1][0] != 'string':
                add('compare', i + 1, i + 1, 'M+', '')
            elif s == 'if' and t[i + 1][1] == '(':
                add('branch', i + 2, closing(t, i + 1) - 1, 'M!=!!(', ')')
            elif s in MASKS and before[1] in (',', '->') and t[i + 1][1] in (',', ')'):
                j = i
                while t[j - 1][1] in ('->', '.'):
                    j -= 2
                if t[j - 1][1] == ',':
                    add('mask', j, i, 'M?0:', '')
            elif s in ('+', '-') and value and t[i + 1][0] in ('name', 'number'):
                add('sign', i + 1, i + 1, '(1-2*M)*', '')
            elif s in SWAPS and kind == 'name':
                add('op', i, i, '(M?%s:' % SWAPS[s], ')')
            i += 1
    return out


def apply(text, chosen):
    """The text with the sites' switches in it; chosen: (number, site)."""
    puts = []
    for k, s in chosen:
        switch = 'MUTANT(%d)' % k
        puts.append((s.start, 1, -s.end, re.sub(r'\bM\b', switch, s.before)))
        puts.append((s.end, 0, -s.start, re.sub(r'\bM\b', switch, s.after)))
    for at, _, _, put in sorted(puts, reverse=True):
        text = text[:at] + put + text[at:]
    return text
