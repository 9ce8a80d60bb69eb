"""Sorting. An inconsistent order, such as one with NaN, gives V8's result, because V8's merge algorithm is ported here."""

import bisect
import functools
import math

from .number_text import string
from .values import undefined


def sorted_by_number(items, key):
    """toSorted by (a, b) => key(a) - key(b)."""
    items = list(items)
    keys = [key(x) for x in items]
    total = sum(keys)
    if total == total or all(k == k for k in keys):
        order = sorted(range(len(keys)), key=keys.__getitem__)
    else:
        order = sorted_as_v8(range(len(keys)), lambda i, j: keys[i] - keys[j])
    return [items[i] for i in order]


def sorted_by_numbers(items, keys_of):
    """toSorted by (a, b) => f(a) - f(b) || g(a) - g(b) || …; keys_of gives [f(x), g(x), …]."""
    items = list(items)
    keys = [keys_of(x) for x in items]

    def compare(i, j):
        return next((d for d in map(float.__sub__, keys[i], keys[j]) if d and d == d), 0)

    total = sum(map(sum, keys))
    if total == total or all(k == k for several in keys for k in several):
        order = sorted(range(len(keys)), key=keys.__getitem__)
    else:
        keys = [list(map(float, several)) for several in keys]
        order = sorted_as_v8(range(len(keys)), compare)
    return [items[i] for i in order]


def sorted_as_v8(items, compare):
    """toSorted with a comparator, called as often and with the same pairs as in V8 (array-sort.tq, a TimSort)."""
    runs, gallop = [], 7
    work = list(map(functools.cmp_to_key(compare), items))

    def gallop_left(array, key, base, length, hint):
        last, offset = 0, 1
        if array[base + hint] < key:
            most = length - hint
            while offset < most and array[base + hint + offset] < key:
                last, offset = offset, 2 * offset + 1
            last, offset = last + hint, min(offset, most) + hint
        else:
            most = hint + 1
            while offset < most and not array[base + hint - offset] < key:
                last, offset = offset, 2 * offset + 1
            last, offset = hint - min(offset, most), hint - last
        return bisect.bisect_left(array, key, base + last + 1, max(base + offset, base + last + 1)) - base

    def gallop_right(array, key, base, length, hint):
        last, offset = 0, 1
        if key < array[base + hint]:
            most = hint + 1
            while offset < most and key < array[base + hint - offset]:
                last, offset = offset, 2 * offset + 1
            last, offset = hint - min(offset, most), hint - last
        else:
            most = length - hint
            while offset < most and not key < array[base + hint + offset]:
                last, offset = offset, 2 * offset + 1
            last, offset = last + hint, min(offset, most) + hint
        return bisect.bisect_right(array, key, base + last + 1, max(base + offset, base + last + 1)) - base

    def merge_low(a, count_a, b, count_b):
        nonlocal gallop
        kept, taken, to = work[a:a + count_a], 0, a + 1
        work[a], b, count_b = work[b], b + 1, count_b - 1
        while count_b and count_a > 1:
            wins_a = wins_b = 0
            while True:
                if work[b] < kept[taken]:
                    work[to], b, count_b = work[b], b + 1, count_b - 1
                    wins_a, wins_b = 0, wins_b + 1
                else:
                    work[to], taken, count_a = kept[taken], taken + 1, count_a - 1
                    wins_a, wins_b = wins_a + 1, 0
                to += 1
                if not count_b or count_a == 1 or max(wins_a, wins_b) >= gallop:
                    break
            if not count_b or count_a == 1:
                break
            gallop += 1
            wins_a = 7
            while wins_a >= 7 or wins_b >= 7:
                gallop = max(1, gallop - 1)
                wins_a = gallop_right(kept, work[b], taken, count_a, 0)
                work[to:to + wins_a] = kept[taken:taken + wins_a]
                to, taken, count_a = to + wins_a, taken + wins_a, count_a - wins_a
                if wins_a and count_a <= 1:
                    break
                work[to], to, b, count_b = work[b], to + 1, b + 1, count_b - 1
                if not count_b:
                    break
                wins_b = gallop_left(work, kept[taken], b, count_b, 0)
                work[to:to + wins_b] = work[b:b + wins_b]
                to, b, count_b = to + wins_b, b + wins_b, count_b - wins_b
                if not count_b:
                    break
                work[to], to, taken, count_a = kept[taken], to + 1, taken + 1, count_a - 1
                if count_a == 1:
                    break
            else:
                gallop += 1
        if count_b and count_a == 1:
            work[to:to + count_b] = work[b:b + count_b]
            to += count_b
        work[to:to + count_a] = kept[taken:taken + count_a]

    def merge_high(a, count_a, b, count_b):
        nonlocal gallop
        kept, taken, to = work[b:b + count_b], count_b - 1, b + count_b - 2
        a_last = a + count_a - 1
        work[to + 1], a_last, count_a = work[a_last], a_last - 1, count_a - 1
        while count_a and count_b > 1:
            wins_a = wins_b = 0
            while True:
                if kept[taken] < work[a_last]:
                    work[to], a_last, count_a = work[a_last], a_last - 1, count_a - 1
                    wins_a, wins_b = wins_a + 1, 0
                else:
                    work[to], taken, count_b = kept[taken], taken - 1, count_b - 1
                    wins_a, wins_b = 0, wins_b + 1
                to -= 1
                if not count_a or count_b == 1 or max(wins_a, wins_b) >= gallop:
                    break
            if not count_a or count_b == 1:
                break
            gallop += 1
            wins_a = 7
            while wins_a >= 7 or wins_b >= 7:
                gallop = max(1, gallop - 1)
                wins_a = count_a - gallop_right(work, kept[taken], a, count_a, count_a - 1)
                to, a_last, count_a = to - wins_a, a_last - wins_a, count_a - wins_a
                work[to + 1:to + 1 + wins_a] = work[a_last + 1:a_last + 1 + wins_a]
                if not count_a:
                    break
                work[to], to, taken, count_b = kept[taken], to - 1, taken - 1, count_b - 1
                if count_b == 1:
                    break
                wins_b = count_b - gallop_left(kept, work[a_last], 0, count_b, count_b - 1)
                to, taken, count_b = to - wins_b, taken - wins_b, count_b - wins_b
                work[to + 1:to + 1 + wins_b] = kept[taken + 1:taken + 1 + wins_b]
                if wins_b and count_b <= 1:
                    break
                work[to], to, a_last, count_a = work[a_last], to - 1, a_last - 1, count_a - 1
                if not count_a:
                    break
            else:
                gallop += 1
        if count_a and count_b == 1:
            to, a_last = to - count_a, a_last - count_a
            work[to + 1:to + 1 + count_a] = work[a_last + 1:a_last + 1 + count_a]
            work[to] = kept[taken]
        else:
            work[to + 1 - count_b:to + 1] = kept[:count_b]

    def merge(at):
        (a, count_a), (b, count_b) = runs[at], runs[at + 1]
        runs[at:at + 2] = [(a, count_a + count_b)]
        skipped = gallop_right(work, work[b], a, count_a, 0)
        a, count_a = a + skipped, count_a - skipped
        if not count_a:
            return
        count_b = gallop_left(work, work[a + count_a - 1], b, count_b, count_b - 1)
        if count_b:
            (merge_low if count_a <= count_b else merge_high)(a, count_a, b, count_b)

    def is_balanced(at):
        return at < 2 or runs[at - 2][1] > runs[at - 1][1] + runs[at][1]

    low, end = 0, len(work)
    least, odd = end, 0
    while least >= 64:
        least, odd = least >> 1, odd | least & 1
    least += odd
    while low < end and end > 1:
        top = low + 1
        if top < end:
            falls = work[top] < work[low]
            top += 1
            while top < end and (work[top] < work[top - 1]) == falls:
                top += 1
            if falls:
                work[low:top] = work[low:top][::-1]
        forced = min(low + least, end)
        if top < forced:
            run = work[low:top]
            for key in work[top:forced]:
                bisect.insort_right(run, key)
            work[low:forced] = run
            top = forced
        runs.append((low, top - low))
        while len(runs) > 1:
            at = len(runs) - 2
            if not is_balanced(at + 1) or not is_balanced(at):
                merge(at - 1 if runs[at - 1][1] < runs[at + 1][1] else at)
            elif runs[at][1] <= runs[at + 1][1]:
                merge(at)
            else:
                break
        low = top
    while len(runs) > 1:
        at = len(runs) - 2
        merge(at - 1 if at > 0 and runs[at - 1][1] < runs[at + 1][1] else at)
    return [key.obj for key in work]


def sorted_typed(items, compare):
    """toSorted of a typed array with a comparator, which V8 sorts by plain merges (typed-array-sort.tq)."""
    def merge(source, low, high, target):
        middle = (low + high) // 2
        if middle - low > 1:
            merge(target, low, middle, source)
        if high - middle > 1:
            merge(target, middle, high, source)
        left, right = low, middle
        for to in range(low, high):
            if left < middle and (right >= high or not compare(source[left], source[right]) > 0):
                target[to], left = source[left], left + 1
            else:
                target[to], right = source[right], right + 1

    work = list(items)
    if len(work) > 1:
        merge(list(items), 0, len(work), work)
    return work


def numeric_order(x):
    """A key for the order of numbers in a typed array: -0 below 0, NaN last."""
    return (x != x, x if x == x else 0, math.copysign(1, x))


def sort(array, compare=None):
    """sort in place: as strings if there is no comparator, undefined last."""
    rest = [x for x in array if x is not undefined]
    rest = sorted_as_v8(rest, compare) if compare else sorted(rest, key=string)
    array[:] = rest + [undefined] * (len(array) - len(rest))
    return array


def put_all(array, items):
    """Replaces the elements of an array and returns the array: sort and reverse of a variable."""
    array[:] = items
    return array
