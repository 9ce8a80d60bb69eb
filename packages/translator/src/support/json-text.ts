import { python, type SupportPieces } from "./support-piece.ts";

/** JSON where the type does not decide the text. */
export const jsonText: SupportPieces = {
  quote: {
    needs: ["LONE_SURROGATE"],
    imports: ["json"],
    text: python`
def quote(text):
    """A string in JSON: only quotes, backslashes, control characters and lone surrogates are escaped."""
    text = json.encoder.encode_basestring(text)
    return text if text.isascii() else LONE_SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
`,
  },
  stringify: {
    needs: ["INF", "keys", "number", "quote", "string", "undefined"],
    text: python`
def stringify(v, indent="", level="\n"):
    """JSON.stringify(v, null, indent)."""
    if isinstance(v, str):
        return quote(v)
    if isinstance(v, float):
        return number(v) if abs(v) < INF else "null"
    if isinstance(v, (bool, int)) or v is None:
        return string(v)
    inner, outer = (level + indent, level) if indent else ("", "")
    if isinstance(v, dict):
        colon = ": " if indent else ":"
        items = [quote(k) + colon + stringify(v[k], indent, inner) for k in keys(v) if v[k] is not undefined]
        return "{" + inner + ("," + inner).join(items) + outer + "}" if items else "{}"
    items = ["null" if x is undefined else stringify(x, indent, inner) for x in v]
    return "[" + inner + ("," + inner).join(items) + outer + "]" if items else "[]"
`,
  },
  split_pairs: {
    needs: ["units"],
    text: python`
def split_pairs(v):
    """A parsed value with its strings as UTF-16 units."""
    if isinstance(v, str):
        return units(v)
    if isinstance(v, list):
        return [split_pairs(x) for x in v]
    return {units(k): split_pairs(x) for k, x in v.items()} if isinstance(v, dict) else v
`,
  },
  parse: {
    needs: ["Thrown", "split_pairs"],
    imports: ["json"],
    text: python`
def parse(text):
    """JSON.parse; the message of an error is not the engine's."""
    def refuse(constant):
        raise ValueError(constant)
    try:
        v = json.loads(text, parse_int=float, parse_constant=refuse)
    except ValueError:
        raise Thrown("the text is no JSON", "SyntaxError") from None
    return split_pairs(v) if "\\u" in text else v
`,
  },
};
