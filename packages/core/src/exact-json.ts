/**
 * JSON whose integers keep all their digits: those beyond 2^53 become bigint. Long strings and deep nesting are limited
 * only by memory.
 * @throws SyntaxError
 */
export const parseExactJson = (text: string): unknown => {
  const mark = unusedMark(text);
  let isInString = false;
  const marked = text.replaceAll(tokens, (token, colon?: string) => {
    if (token === '"') isInString = !isInString;
    return isInString || colon !== undefined || !isLargeInteger(token) ? token : JSON.stringify(mark + token);
  });
  const value: unknown = JSON.parse(marked);
  return marked === text ? value : withIntegers(value, mark);
};

/** JSON in which bigint are integers, with all their digits. */
export const printExactJson = (value: unknown): string => {
  const printed = (mark: string): string =>
    JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${mark}${item}` : item));
  const mark = unusedMark(printed(""));
  const marked = new RegExp(String.raw`"${String.raw`\\u0000`.repeat(mark.length)}(-?\d+)"`, "g");
  return printed(mark).replaceAll(marked, "$1");
};

/** An escape, a quotation mark, or a number. A number with a colon is not JSON, and must not become a name. */
const tokens = /\\.|"|-?\d[\d.eE+-]*(\s*:)?/gs;

const isLargeInteger = (token: string): boolean =>
  /^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token));

/** A mark with which no string in the text begins. */
const unusedMark = (text: string): string => {
  const runs = text.match(/(?:\\u0000)+/g) ?? [];
  return "\0".repeat(runs.reduce((longest, run) => Math.max(longest, run.length / 6), 0) + 1);
};

/** Turns marked strings into integers. Uses a list, because a text may be nested too deeply for recursion. */
const withIntegers = (value: unknown, mark: string): unknown => {
  const root = { value };
  const open: Record<string, unknown>[] = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop())
    for (const [name, child] of Object.entries(parent))
      if (typeof child === "object" && child !== null) open.push(child as Record<string, unknown>);
      else if (typeof child === "string" && child.startsWith(mark))
        parent[name] = BigInt(child.slice(mark.length));
  return root.value;
};
