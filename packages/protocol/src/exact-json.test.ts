import { PipelineError } from "@tritype/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "./exact-json.ts";
import type { JsonValue } from "./json-value.ts";

describe("parseExactJson", () => {
  it("agrees with the engine's parser on every JSON text", () => {
    fc.assert(
      fc.property(fc.json({ depthSize: "medium" }), fc.constantFrom("", " ", "\n\t"), (text, space) => {
        expect(rounded(parseExactJson(space + text + space))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("reads indented JSON.stringify output", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 2);
        expect(rounded(parseExactJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("keeps every 64-bit integer", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
        expect(BigInt(parseExactJson(String(value)) as number)).toBe(value);
      }),
    );
  });

  it.each([
    ["NaN", Number.NaN],
    ["-Inf", -Infinity],
    ["Infinity", Infinity],
    ["-0", 0],
    ["-0.0", -0],
    ["18446744073709551616", 2n ** 64n],
    ["1".repeat(41), Number("1".repeat(41))],
    ["1e400000", "Number too big to be stored in double. at 0"],
    ['"\\ud83d\\ude00"', "😀"],
  ])("%s", (text, expected) => {
    expect(attempt(text)).toEqual(expected);
  });

  it.each([
    ["", "The document is empty. at 0"],
    ["  ", "The document is empty. at 2"],
    ["{}x", "The document root must not be followed by other values. at 2"],
    ["{a", "Missing a name for object member. at 1"],
    ['{"a" 1}', "Missing a colon after a name of object member. at 5"],
    ['{"a":1 "b":2}', "Missing a comma or '}' after an object member. at 7"],
    ["[1 2]", "Missing a comma or ']' after an array element. at 3"],
    ['{"inputs":', "Invalid value. at 10"],
    ["nul", "Invalid value. at 3"],
    ["[Infin]", "Invalid value. at 6"],
    ['"a\u0001"', "Invalid escape character in string. at 2"],
    ['"ab', "Missing a closing quotation mark in string. at 3"],
    ['"é\\x"', "Invalid escape character in string. at 3"],
    ['"\\u12g4"', "Incorrect hex digit after \\u escape in string. at 1"],
    ['"\\ud800"', "The surrogate pair in string is invalid. at 1"],
    ["1.", "Miss fraction part in number. at 2"],
    ["1e", "Miss exponent in number. at 2"],
  ])("%j is rejected: %s", (text, expected) => {
    expect(attempt(text)).toBe(expected);
  });

  it("rejects deep nesting instead of overflowing", () => {
    expect(() => parseExactJson("[".repeat(1_000_000))).toThrow(/nesting depth/);
  });

  it("returns a value or throws a PipelineError for every text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]",:0129.eE+-\\u tfnNaI\n'.split("")) }),
        (text) => {
          try {
            parseExactJson(text);
          } catch (error) {
            expect(PipelineError.is(error)).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** Large integers as the engine's parser returns them. */
const rounded = (value: JsonValue): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? Number(member) : member)),
  );

const attempt = (text: string): unknown => {
  try {
    return parseExactJson(text);
  } catch (error) {
    return (error as Error).message.replace("failed to parse the request JSON buffer: ", "");
  }
};
