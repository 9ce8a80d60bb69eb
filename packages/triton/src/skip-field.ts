import type { TextScanner, Token } from "./scan-text.ts";

/**
 * Consumes a field with any name, and the separator after it, if it is valid in protobuf's grammar and the text
 * continues as it must after a field. If not, the end of the field is uncertain, and the scanner stops somewhere within
 * it.
 */
export const skipField = (scanner: TextScanner): boolean => skipOneField(scanner, 0) && goesOn(scanner);

/** Whether all brackets in a text are balanced. */
export const hasWholeBrackets = (scanner: TextScanner): boolean => {
  const open: string[] = [];
  for (let token = scanner.take(); token.kind !== "end"; token = scanner.take()) {
    if (partners.has(token.text)) open.push(closeOf(token));
    else if (closing.has(token.text) && open.pop() !== token.text) return false;
  }
  return open.length === 0;
};

/** Whether a token may be a field's name. */
export const isName = ({ kind, text }: Token): boolean => kind === "word" && /^[A-Za-z_]\w*$/.test(text);

export const opensMessage = ({ text }: Token): boolean => text === "{" || text === "<";

/** The matching bracket of an opening bracket, "" for other tokens. */
export const closeOf = ({ text }: Token): string => partners.get(text) ?? "";

const partners: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["<", ">"],
  ["[", "]"],
]);
const closing = new Set(partners.values());

/** Protobuf's maximum depth. */
const deepest = 100;

const skipOneField = (scanner: TextScanner, depth: number): boolean => {
  if (depth > deepest || !isName(scanner.take())) return false;
  const colon = scanner.skip(":");
  const skipItem = (): boolean =>
    opensMessage(scanner.peek()) ? skipMessage(scanner, depth) : colon && skipScalar(scanner);
  if (!scanner.skip("[")) {
    if (!skipItem()) return false;
  } else if (!scanner.skip("]")) {
    do if (!skipItem()) return false;
    while (scanner.skip(","));
    if (!scanner.skip("]")) return false;
  }
  if (!scanner.skip(",")) scanner.skip(";");
  return true;
};

const skipMessage = (scanner: TextScanner, depth: number): boolean => {
  const close = closeOf(scanner.take());
  while (!scanner.skip(close)) if (!skipOneField(scanner, depth + 1)) return false;
  return true;
};

const skipScalar = (scanner: TextScanner): boolean => {
  if (scanner.peek().kind === "string") {
    while (scanner.peek().kind === "string") scanner.take();
    return scanner.peek().kind !== "open";
  }
  scanner.skip("-");
  const { kind, text } = scanner.take();
  return kind === "word" && /^(?:[A-Za-z_]\w*|\.?\d[\w.+-]*)$/.test(text);
};

/** A field is followed by another one, or by the end of its parent. */
const goesOn = (scanner: TextScanner): boolean => {
  const next = scanner.take();
  const after = scanner.peek().text;
  scanner.returnTo(next);
  if (next.kind === "end" || closing.has(next.text)) return true;
  return isName(next) && (after === ":" || partners.has(after));
};
