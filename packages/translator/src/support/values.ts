import { python, type SupportPieces } from "./support-piece.ts";

/** What has no counterpart in Python: undefined, errors, truth, SameValueZero. */
export const values: SupportPieces = {
  undefined: {
    text: python`
class Undefined:
    """JavaScript's undefined, beside None for its null."""

    __slots__ = ()

    def __bool__(self):
        return False

    def __repr__(self):
        return "undefined"


undefined = Undefined()
`,
  },
  Thrown: {
    text: python`
class Thrown(Exception):
    """What the function throws: an Error's name and message."""

    def __init__(self, message="", name="Error"):
        super().__init__(message)
        self.message, self.name = message, name
`,
  },
  NAN: { imports: ["math"], text: "NAN = math.nan" },
  INF: { imports: ["math"], text: "INF = math.inf" },
  type_name: {
    needs: ["undefined"],
    text: python`
def type_name(v, whole="number"):
    """typeof; an int is a number, or a bigint where there are no numbers."""
    if v is undefined:
        return "undefined"
    if callable(v):
        return "function"
    return {str: "string", bool: "boolean", int: whole, float: "number"}.get(type(v), "object")
`,
  },
  truthy: {
    text: python`
def truthy(n):
    """Whether a number counts as true: neither 0 nor NaN."""
    return bool(n) and n == n
`,
  },
  same: {
    text: python`
def same(a, b):
    """SameValueZero: what includes, Map and Set ask."""
    return a == b or (a != a and b != b)
`,
  },
  put_in: {
    text: python`
def put_in(items, k, value=None):
    """set of a Map or add of a Set as a value: the map or set itself."""
    items[k] = value
    return items
`,
  },
  key: {
    needs: ["NAN"],
    text: python`
def key(k):
    """A number as a key of a Map or Set: one NaN, and no -0."""
    return NAN if k != k else k + 0 if isinstance(k, float) else k
`,
  },
};
