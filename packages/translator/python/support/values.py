"""Concepts without a counterpart in Python: undefined, errors, truthiness, SameValueZero."""

import math
import re

MISSING = re.compile(r"""
    '(?:NoneType|Undefined)'\ object\ (?:is\ not\ (?:subscriptable|iterable|callable|reversible)|does(?:\ not|n't)\ support\ item)
    |object\ of\ type\ '(?:NoneType|Undefined)'\ has\ no\ len
    |argument\ of\ type\ '(?:NoneType|Undefined)'\ is\ not
    |cannot\ unpack\ non-iterable\ (?:NoneType|Undefined)
    |.*must\ be\ an\ iterable,\ not\ (?:NoneType|Undefined)
    |can\ only\ join\ an\ iterable
    |reduce\(\)\ arg\ 2\ must\ support\ iteration
""", re.X)
NAN = math.nan
INF = math.inf


class Undefined:
    """JavaScript's undefined; None is its null."""

    __slots__ = ()

    def __bool__(self):
        return False

    def __repr__(self):
        return "undefined"


undefined = Undefined()


class NotPortable(Exception):
    """An operation whose result would differ from JavaScript's. The function's own catch does not catch this."""


class Thrown(Exception):
    """An error thrown by the function: name and message."""

    def __init__(self, message="", name="Error"):
        super().__init__(message)
        self.message, self.name = message, name


class EngineError(Thrown):
    """A TypeError that JavaScript's engine throws: about a property, an element, a call or the items of undefined or null."""

    def __init__(self):
        Exception.__init__(self, "undefined or null where a value is needed")
        self.name = "TypeError"

    @property
    def message(self):
        raise NotPortable("the message of an engine's own TypeError, which differs between engines")


def is_missing(error):
    """Whether Python raised the error because a value is undefined or None, for which JavaScript throws a TypeError."""
    if isinstance(error, AttributeError):
        return error.name is not None and (error.obj is None or error.obj is undefined)
    return isinstance(error, TypeError) and MISSING.match(str(error)) is not None


def caught(error):
    """The value that catch gets. An error that JavaScript does not throw is raised again, even if a finally has hidden it."""
    cause = error
    while cause is not None:
        if not isinstance(cause, Thrown) and not is_missing(cause):
            raise cause
        cause = None if cause.__suppress_context__ else cause.__context__
    return error if isinstance(error, Thrown) else EngineError()


def present(v):
    """Returns `v`, the receiver of a method call; raises if it is undefined or None, where Python itself would not."""
    if v is undefined or v is None:
        raise EngineError
    return v


def type_name(v, whole="number"):
    """typeof; an int is a number, or a bigint if the type has no numbers."""
    if v is undefined:
        return "undefined"
    if callable(v):
        return "function"
    return {str: "string", bool: "boolean", int: whole, float: "number"}.get(type(v), "object")


def truthy(n):
    """Whether a number counts as true: neither 0 nor NaN."""
    return bool(n) and n == n


def same(a, b):
    """SameValueZero: the comparison of includes, Map and Set."""
    return a == b or (a != a and b != b)


def count_on(record, name, by):
    """++record.name as a value: the new value."""
    record[name] += by
    return record[name]


def count_after(record, name, by):
    """record.name++ as a value: the old value."""
    before = record[name]
    record[name] = before + by
    return before


def put_in(items, k, value=None):
    """set of a Map or add of a Set as a value: the map or set itself."""
    items[k] = value
    return items


def key(k):
    """A number as a key of a Map or Set: all NaN are one key, and -0 is 0."""
    return NAN if k != k else k + 0 if isinstance(k, float) else k
