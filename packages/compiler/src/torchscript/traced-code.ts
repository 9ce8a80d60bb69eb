/** An expression in TorchScript code, with enough detail to follow tensors through it. */
export type TracedExpression =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "integer"; readonly value: number }
  | { readonly kind: "attribute"; readonly of: TracedExpression; readonly name: string }
  | { readonly kind: "call"; readonly callee: TracedExpression; readonly args: readonly TracedExpression[] }
  | { readonly kind: "list" | "tuple"; readonly items: readonly TracedExpression[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "other" };

/** `targets = value`; `return value` has no targets. */
export interface TracedStatement {
  readonly targets: readonly string[];
  readonly value: TracedExpression;
  readonly line: string;
}

/** The statements of a body without branches or loops, as written by tracing; undefined for any other body. */
export const parseTracedBody = (lines: readonly string[]): readonly TracedStatement[] | undefined => {
  const statements: TracedStatement[] = [];
  for (const raw of lines) {
    const line = raw.trim();
    if (line === "") continue;
    const found = /^(?:return |((?:\w+, )*\w+),? = )(.+)$/.exec(line);
    const value = found?.[2] === undefined ? undefined : parseExpression(found[2]);
    if (found === null || value === undefined) return undefined;
    statements.push({ targets: found[1]?.split(", ") ?? [], value, line });
  }
  return statements;
};

/** `getattr(layers, "0")` also counts as an attribute. */
const called = (callee: TracedExpression, args: readonly TracedExpression[]): TracedExpression => {
  const [of, name] = args;
  return callee.kind === "name" && callee.name === "getattr" && of !== undefined && name?.kind === "text"
    ? { kind: "attribute", of, name: name.text }
    : { kind: "call", callee, args };
};

const token = /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?)|(\w+)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(.))/y;

const parseExpression = (text: string): TracedExpression | undefined => {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) tokens.push(found[0].trim());
  let at = 0;
  const next = (wanted: string): boolean => tokens[at] === wanted && ++at > 0;

  const items = (close: string): readonly TracedExpression[] => {
    const list: TracedExpression[] = [];
    while (at < tokens.length && !next(close)) {
      if (tokens[at + 1] === "=") at += 2;
      list.push(expression());
      next(",");
    }
    return list;
  };
  const atom = (): TracedExpression => {
    const first = tokens[at++] ?? "";
    if (first === "-") {
      const value = atom();
      return value.kind === "integer" ? { kind: "integer", value: -value.value } : { kind: "other" };
    }
    if (first === "[") return { kind: "list", items: items("]") };
    if (first === "(") {
      const inside = items(")");
      return inside.length === 1 && inside[0] !== undefined && tokens[at - 2] !== ","
        ? inside[0]
        : { kind: "tuple", items: inside };
    }
    if (/^\d+$/.test(first)) return { kind: "integer", value: Number(first) };
    if (/^["']/.test(first)) return { kind: "text", text: first.slice(1, -1) };
    return /^[A-Za-z_]/.test(first) ? { kind: "name", name: first } : { kind: "other" };
  };
  const expression = (): TracedExpression => {
    let left = atom();
    for (;;) {
      if (next(".")) left = { kind: "attribute", of: left, name: tokens[at++] ?? "" };
      else if (next("(")) left = called(left, items(")"));
      else if (next("[")) {
        items("]");
        left = { kind: "other" };
      } else return left;
    }
  };
  const parsed = expression();
  return at === tokens.length ? parsed : undefined;
};
