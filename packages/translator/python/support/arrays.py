"""Arrays are lists without holes."""

import functools

from .number_text import string
from .units import index, whole
from .values import NotPortable, same, Thrown, undefined


def join(array, separator=","):
    """join: null and undefined are empty."""
    return separator.join("" if x is None or x is undefined else string(x) for x in array)


def flat(array, depth=1):
    """flat."""
    out = []
    for x in array:
        if isinstance(x, list) and depth >= 1:
            out += flat(x, depth - 1)
        else:
            out.append(x)
    return out


def splice(array, start, count=2**53, *items):
    """splice: the removed elements; without a count, all from the start."""
    a = index(start, len(array))
    b = a + whole(count, 0, len(array) - a)
    removed = array[a:b]
    array[a:b] = items
    return removed


def with_element(array, i, value, problem=None):
    """with: a copy with a different element at i."""
    at = 0 if i != i else int(max(min(i, 2**53), -(2**53)))
    at += len(array) if at < 0 else 0
    if not 0 <= at < len(array):
        raise Thrown(problem or f"Invalid index : {string(i)}", "RangeError")
    copy = list(array)
    copy[at] = value
    return copy


def put(array, i, value):
    """array[i] = value; Python's lists cannot have holes."""
    if i == len(array):
        array.append(value)
    elif 0 <= i < len(array) and i == int(i):
        array[int(i)] = value
    else:
        raise NotPortable("an assignment beyond the end of an array creates a hole")


def put_typed(array, i, value):
    """array[i] = value for a typed array: ignored outside its bounds and for fractions."""
    if len(array) > i >= 0 and i == int(i):
        array[int(i)] = value


def fill_typed(array, value, start=0, end=2**53):
    """fill of a typed array."""
    a, b = index(start, len(array)), index(end, len(array))
    array[a:b] = [value] * (b - a)
    return array


def set_typed(array, values, offset=0):
    """set of a typed array."""
    at = whole(offset, -1, 2**53)
    if at < 0 or at + len(values) > len(array):
        raise Thrown("offset is out of bounds", "RangeError")
    array[at : at + len(values)] = values


def new_typed(zero, size):
    """The elements of a new typed array."""
    size = 0.0 if size != size else size
    if not -1 < size < 2**33:
        raise Thrown(f"Invalid typed array length: {string(size)}", "RangeError")
    return [zero] * int(size)


def new_array(filling, size):
    """new Array(size), with the same value at each position."""
    if not 0 <= size < 2**32 or size != int(size):
        raise Thrown("Invalid array length", "RangeError")
    return [filling] * int(size)


def push(array, *items):
    """push as a value: the new length."""
    array += items
    return len(array)


def fold(pairs, combine, *start):
    """reduce over pairs of position and element; without an initial value, it starts from the first element."""
    pairs = list(pairs)
    if not pairs and not start:
        raise Thrown("Reduce of empty array with no initial value", "TypeError")
    total = start[0] if start else pairs.pop(0)[1]
    for i, x in pairs:
        total = combine(total, x, i)
    return total


def find(array, test):
    """find: undefined if nothing matches."""
    return next((x for x in array if test(x)), undefined)


def find_index(array, test):
    """findIndex: -1 if nothing matches."""
    return next((i for i, x in enumerate(array) if test(x)), -1)


def position(array, what):
    """indexOf of an array: compares with ===, so NaN is never found."""
    return next((i for i, x in enumerate(array) if x == what), -1)


def last_position(array, what):
    """lastIndexOf of an array."""
    return next((i for i in range(len(array) - 1, -1, -1) if array[i] == what), -1)


def contains(array, what):
    """includes of an array: NaN is found."""
    return any(same(x, what) for x in array)


def reduce_from_first(array, combine):
    """reduce without an initial value."""
    if not array:
        raise Thrown("Reduce of empty array with no initial value", "TypeError")
    return functools.reduce(combine, array)
