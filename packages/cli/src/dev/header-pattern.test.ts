import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { headerPatternOf } from "./header-pattern.ts";
import { restrictionsOf } from "./restricted.ts";

const given = (...args: readonly string[]) => givenTo("dev", ...args);
const pattern = (text: string): RegExp | undefined =>
  headerPatternOf(given(`--http-header-forward-pattern=${text}`), "http-header-forward-pattern");

test.each([
  ["x-.*", ["x-one", "X-One", "its-x-one"], ["one"]],
  ["(?i)^x-(?:one|two)$", ["X-ONE", "x-two"], ["x-three"]],
  [String.raw`^[^y\-]-\w+\.?$`, ["x-a"], ["y-a"]],
])("%s matches part of a name, case-insensitively", (text, yes, no) => {
  expect(yes.filter((name) => pattern(text)?.test(name))).toEqual(yes);
  expect(no.filter((name) => pattern(text)?.test(name))).toEqual([]);
});

test.each([
  "x-(",
  "x-)",
  "(?=x)",
  "(?<!x)y",
  "(?P<a>x)",
  "(?<a>x)",
  String.raw`(x)\1`,
  String.raw`\Ax`,
  String.raw`\pL`,
  "[[:alpha:]]",
  "[]",
  "*",
  "a**",
  "(?i:x)",
])("%s is refused: it is not a regular expression, or it differs between JavaScript and RE2", (text) => {
  expect(() => pattern(text)).toThrow(`--http-header-forward-pattern is ${text}`);
});

test("without the option, no header is forwarded", () => {
  expect(headerPatternOf(given(), "grpc-header-forward-pattern")).toBeUndefined();
});

test("restricted APIs require a header with a value", () => {
  const options = [
    "--http-restricted-api=health,metadata:k=v",
    "--http-restricted-api",
    "shared-memory:a:b=c=d",
  ];
  expect([...restrictionsOf(given(...options), "http-restricted-api")]).toEqual([
    ["health", { header: "k", value: "v" }],
    ["metadata", { header: "k", value: "v" }],
    ["shared-memory", { header: "a:b", value: "c=d" }],
  ]);
});

test.each<readonly [readonly string[], string]>([
  [["foo:k=v"], "unknown restricted protocol 'foo'"],
  [[",:k=v"], "unknown restricted protocol ''"],
  [["health,health:k=v"], "restricted protocol 'health' can not be specified in multiple config groups"],
  [["health:k=v", "trace,health:k=v"], "restricted protocol 'health' can not be specified in multiple"],
  ...["health", "health:k", "health:=v", "health:k=", ":k=v"].map(
    (text) =>
      [
        [text],
        `--grpc-restricted-protocol option format is '<config name>:<setting>=<value>'. Got ${text}`,
      ] as const,
  ),
])("%s is refused with Triton's message", (all, words) => {
  expect(() =>
    restrictionsOf(
      given(...all.map((one) => `--grpc-restricted-protocol=${one}`)),
      "grpc-restricted-protocol",
    ),
  ).toThrow(words);
});
