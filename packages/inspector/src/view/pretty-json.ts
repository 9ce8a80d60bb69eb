/** A JSON object or list with indentation and its numbers as they were written; undefined for any other text. */
export const prettyJson = (text: string): string | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  let last = "";
  let pretty = "";
  const line = (): string => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const closes = token === "]" || token === "}";
    const opened = last === "[" || last === "{";
    if (closes) depth--;
    if (closes ? !opened : opened || last === ",") pretty += line();
    if (token === "[" || token === "{") depth++;
    pretty += token === ":" ? ": " : token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
    last = token;
  }
  return pretty;
};
