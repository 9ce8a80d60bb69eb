import type { OptionPath, OptionPlace, Span } from "@tritype/core";

type Fields = OptionPlace["fields"];

const nothing: Fields = new Map();

/**
 * The positions of the options, by name, of a call `name({ … })` or an object `{ … }` in a TypeScript source. Options
 * that are not written as literals (a variable or a spread) are missing. Those inside a function are the fields of the
 * object that it returns. @param call The position at which the call or
 * the object begins in `source`.
 */
export const readOptionPlaces = (source: string, call: Span): Fields => {
  const start = offsetOf(source, call);
  if (source[start] === "{") return readerOf(source, start, call).object(start);
  const callee = /^[\w$.]+\s*(?:<[^()]*>\s*)?\(\s*/.exec(source.slice(start, start + 500))?.[0];
  if (callee === undefined) return nothing;
  const reader = readerOf(source, start, call);
  const open = reader.afterSpace(start + callee.length);
  return source[open] === "{" ? reader.object(open) : nothing;
};

const offsetOf = (source: string, { line, column }: Span): number => {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = source.indexOf("\n", start);
    if (end === -1) return source.length;
    start = end + 1;
  }
  return start + column - 1;
};

/** Parses object and list literals; everything else is skipped. */
const readerOf = (source: string, start: number, call: Span) => {
  const spanAt = (offset: number): Span => {
    const before = source.slice(start, offset).split("\n");
    const last = before.at(-1)?.length ?? 0;
    return {
      file: call.file,
      line: call.line + before.length - 1,
      column: before.length === 1 ? call.column + last : last + 1,
    };
  };
  const afterSpace = (offset: number): number => {
    space.lastIndex = offset;
    space.test(source);
    return Math.max(offset, space.lastIndex);
  };
  /**
   * The end of the token that begins here: a string, a template, a regular expression, brackets with their contents, or a single character.
   */
  const afterToken = (offset: number, before: string): number => {
    const char = source[offset] ?? "";
    if (char === "`") return afterTemplate(offset + 1);
    if (opening.has(char)) return afterBrackets(offset + 1);
    for (const pattern of char === "/" && before !== "value" ? [regexp] : [text, word]) {
      pattern.lastIndex = offset;
      if (pattern.test(source)) return pattern.lastIndex;
    }
    return offset + 1;
  };
  const afterTemplate = (offset: number): number => {
    for (let at = offset; at < source.length; at++) {
      if (source[at] === "\\") at++;
      else if (source[at] === "`") return at + 1;
      else if (source.startsWith("${", at)) at = afterBrackets(at + 2) - 1;
    }
    return source.length;
  };
  /** The position after the bracket that closes what was opened before `offset`. */
  const afterBrackets = (offset: number): number => skip(offset, () => false) + 1;
  /** The comma or the closing bracket that ends a value. */
  const afterValue = (offset: number): number => skip(offset, (char) => char === ",");
  const skip = (offset: number, isEnd: (char: string, at: number) => boolean): number => {
    let before = "";
    for (let at = afterSpace(offset); at < source.length; ) {
      const char = source[at] ?? "";
      if (closing.has(char) || isEnd(char, at)) return at;
      const end = afterToken(at, before);
      // A slash after a value is a division; anywhere else it begins a regular expression.
      const token = source.slice(at, end);
      before = /[\w$)\]}"'`]$/.test(token) && !keyword.test(token) ? "value" : "";
      at = afterSpace(end);
    }
    return source.length;
  };
  const fieldsAt = (offset: number): Fields => {
    const read = { "{": object, "[": list, "(": returned }[source[offset] ?? ""];
    return read === undefined ? nothing : read(offset);
  };
  /** The positions of the tokens up to an end or a closing bracket. */
  const tokensFrom = (offset: number, isEnd: (char: string) => boolean): readonly number[] => {
    const tokens: number[] = [];
    skip(offset, (char, at) => {
      if (isEnd(char)) return true;
      tokens.push(at);
      return false;
    });
    return tokens;
  };
  /** The object that a function `(…) => ({ … })` or `(…) … { … return { … } }` returns. */
  const returned = (offset: number): Fields => {
    const [arrow = offset, last = offset] = tokensFrom(offset, (char) => char === ",").slice(-2);
    const inner = afterSpace(last + 1);
    if (source[last] === "(") return source[arrow] === ">" && source[inner] === "{" ? object(inner) : nothing;
    if (source[last] !== "{") return nothing;
    const result = tokensFrom(inner, () => false).findLast((at) => source.startsWith("return", at));
    const value = result === undefined ? undefined : afterSpace(result + "return".length);
    return value !== undefined && source[value] === "{" ? object(value) : nothing;
  };
  const object = (open: number): Fields => {
    const fields = new Map<string, OptionPlace>();
    for (let at = afterSpace(open + 1); at < source.length && source[at] !== "}"; ) {
      key.lastIndex = at;
      const [whole = "", modifier = "", plain, quoted] = key.exec(source) ?? [];
      const name = plain ?? quoted?.slice(1, -1);
      const colon = afterSpace(at + whole.length);
      const end = afterValue(at);
      if (name !== undefined && ":(,}<".includes(source[colon] ?? " "))
        fields.set(name, {
          span: spanAt(at + modifier.length),
          fields: fieldsAt(source[colon] === ":" ? afterSpace(colon + 1) : colon),
        });
      at = source[end] === "," ? afterSpace(end + 1) : end;
      if (closing.has(source[at] ?? "") && source[at] !== "}") break;
    }
    return fields;
  };
  const list = (open: number): Fields => {
    const fields = new Map<string, OptionPlace>();
    let at = afterSpace(open + 1);
    for (let index = 0; at < source.length && !closing.has(source[at] ?? ""); index++) {
      // After a spread, indexes are unknown.
      if (source.startsWith("...", at)) break;
      fields.set(String(index), { span: spanAt(at), fields: fieldsAt(at) });
      const end = afterValue(at);
      at = source[end] === "," ? afterSpace(end + 1) : end;
    }
    return fields;
  };
  return { afterSpace, object };
};

const opening: ReadonlySet<string> = new Set(["(", "[", "{"]);
const closing: ReadonlySet<string> = new Set([")", "]", "}"]);
const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const text = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const word = /[\w$]+/y;
const regexp = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const keyword = /^(?:return|typeof|case|in|of|delete|void|await|yield|else|do|instanceof)$/;
const key =
  /((?:(?:async|get|set)\s+(?=[\w$"'[])|\*\s*)*)(?:([\w$]+)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))/y;

/**
 * Where the source sets an option, or the option around it; undefined if the source does not show it as a literal. `find`
 * looks up a name. Default: exactly this name.
 */
export const optionSpan = (
  places: OptionPlace["fields"] | undefined,
  path: OptionPath,
  find = (fields: OptionPlace["fields"], name: string): OptionPlace | undefined => fields.get(name),
): Span | undefined => {
  let found: OptionPlace | undefined;
  for (const name of path) {
    const fields = found === undefined ? places : found.fields;
    const inner = fields && find(fields, String(name));
    if (inner === undefined) break;
    found = inner;
  }
  return found?.span;
};
