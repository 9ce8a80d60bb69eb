import { expect, test } from "vitest";
import { prettyJson } from "./pretty-json.ts";

test("numbers keep all their digits", () => {
  expect(prettyJson('{"id": 9007199254740993, "x": [1.10, -2e400]}')).toBe(
    '{\n  "id": 9007199254740993,\n  "x": [\n    1.10,\n    -2e400\n  ]\n}',
  );
});

test("everything else is printed as JSON.stringify prints it", () => {
  const value = { a: [], b: {}, c: [[], [{}], { 'd"[': "é\n\\", "e:": [null, true, 1.5] }], f: "" };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 7)])
    expect(prettyJson(text)).toBe(JSON.stringify(value, null, 2));
  expect(prettyJson(String.raw`["\u00e9"]`)).toBe('[\n  "é"\n]');
});

test.each(["7", "text", "[1,", "[note] a text", '"[1]"'])("%s is not an object or a list", (text) => {
  expect(prettyJson(text)).toBeUndefined();
});
