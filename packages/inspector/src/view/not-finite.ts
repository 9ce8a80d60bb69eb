/** A text of JSON, or one of the values that Triton's JSON has in addition to numbers. */
const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*"|\bnan\b|-?\binf(?:inity)?\b/gi;

/** `nan` and `-inf`, as people write them, in the spelling of JavaScript and of Triton's JSON: `NaN`, `-Infinity`. */
export const spellNotFinite = (json: string): string =>
  json.replaceAll(jsonToken, (token) =>
    token.startsWith('"')
      ? token
      : /nan/i.test(token)
        ? "NaN"
        : `${token.startsWith("-") ? "-" : ""}Infinity`,
  );

export const hasNotFinite = (json: string): boolean =>
  /nan|inf/i.test(json) && json.match(jsonToken)?.some((token) => !token.startsWith('"')) === true;

/**
 * JSON in which numbers may be `NaN`, `Infinity` and `-Infinity`.
 * @throws SyntaxError
 */
export const parseNumbers = (json: string): unknown =>
  hasNotFinite(json)
    ? JSON.parse(
        spellNotFinite(json).replaceAll(jsonToken, (token) => (token.startsWith('"') ? token : `"${token}"`)),
        (_, value: unknown) =>
          typeof value === "string" && /^(?:NaN|-?Infinity)$/.test(value) ? Number(value) : value,
      )
    : JSON.parse(json);
