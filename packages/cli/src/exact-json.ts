/** JSON whose integers keep all their digits: those that do not fit a number become bigint. @throws SyntaxError */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      /^-?[1-9]\d{15,}$/.test(token) ? `{"${mark}":"${token}"}` : token,
    ),
    (_, value: unknown) =>
      typeof value === "object" && value !== null && mark in value
        ? exactInteger(String(value[mark]))
        : value,
  );

const mark = "~integer";
const exactInteger = (digits: string): number | bigint =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
