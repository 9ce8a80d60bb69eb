"""Records are dicts with string keys."""

import re

from .values import NotPortable, undefined

ARRAY_INDEX = re.compile("0|[1-9][0-9]{0,9}")
INHERITED = frozenset("""constructor toString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString
    __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__""".split())


def keys(o):
    """Property order: array indices ascending, then the others in insertion order."""
    numeric = {k for k in o if ARRAY_INDEX.fullmatch(k) and int(k) < 4294967295}
    return sorted(numeric, key=int) + [k for k in o if k not in numeric] if numeric else list(o)


def entries(o):
    """Object.entries."""
    return [[k, o[k]] for k in keys(o)]


def own_name(o, k):
    """Returns k, a property name of o. Raises if o inherits a property of that name in JavaScript."""
    if k in INHERITED and k not in o:
        raise NotPortable(f"property '{k}' is inherited in JavaScript: use a Map")
    return k


def prop(o, k):
    """o[k] with a computed key."""
    return o.get(own_name(o, k), undefined)


def new_name(k):
    """Returns k, the name of a property that is written. Raises for __proto__."""
    if k == "__proto__":
        raise NotPortable("property '__proto__' is inherited in JavaScript: use a Map")
    return k
