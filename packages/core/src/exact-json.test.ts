import { expect, test } from "vitest";
import { parseExactJson, printExactJson } from "./exact-json.ts";

test.each<[string, unknown]>([
  ["[9007199254740993, -9007199254740993]", [9007199254740993n, -9007199254740993n]],
  ["18446744073709551615", 18446744073709551615n],
  ["[9007199254740991, 1e20, 0.5000000000000000000]", [9007199254740991, 1e20, 0.5]],
  ['["9007199254740993", "\\" 9007199254740993"]', ["9007199254740993", '" 9007199254740993']],
  ['{"a": {"b": [12345678901234567890]}, "c": null}', { a: { b: [12345678901234567890n] }, c: null }],
  ['{"12345678901234567890" : "\\\\", "\\u00001": 2}', { "12345678901234567890": "\\", "\u00001": 2 }],
  [
    String.raw`["\u0000", "\u0000\u0000a", "\u000012345678901234567890", 12345678901234567890]`,
    ["\0", "\0\0a", "\u000012345678901234567890", 12345678901234567890n],
  ],
])("%s", (text, value) => {
  expect(parseExactJson(text)).toEqual(value);
});

test("integers beyond 2^53 are printed with all their digits, and strings that look like them are kept", () => {
  const value = { a: [9007199254740993n, -9007199254740993n, 1.5], b: { "9007199254740993": "\u00001" } };
  expect(printExactJson(value)).toBe(
    String.raw`{"a":[9007199254740993,-9007199254740993,1.5],"b":{"9007199254740993":"\u00001"}}`,
  );
});

test.each(["", "[1,", "01234567890123456789", "{12345678901234567890: 1}", '"\n"', "\0"])(
  "%j is not JSON",
  (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  },
);

test("a string of a million escapes and 200,000 nested arrays", () => {
  const long = "a\\n".repeat(1e6);
  expect(parseExactJson(`["${long}", 12345678901234567890]`)).toEqual([
    long.replaceAll("\\n", "\n"),
    12345678901234567890n,
  ]);
  let inner = parseExactJson(`${"[".repeat(2e5)}12345678901234567890${"]".repeat(2e5)}`);
  for (let depth = 0; depth < 2e5; depth++) [inner] = inner as [unknown];
  expect(inner).toBe(12345678901234567890n);
});
