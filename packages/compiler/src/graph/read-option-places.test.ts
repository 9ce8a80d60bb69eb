import type { OptionPlace } from "@tritype/core";
import { expect, test } from "vitest";
import { readOptionPlaces } from "./read-option-places.ts";

const flat = (fields: OptionPlace["fields"], before = ""): readonly string[] =>
  [...fields].flatMap(([name, { span, fields: inner }]) => [
    `${before}${name} ${span.line}:${span.column}`,
    ...flat(inner, `${before}${name}.`),
  ]);

const placesIn = (source: string): readonly string[] => {
  const before = source.slice(0, source.indexOf("onnx")).split("\n");
  return flat(
    readOptionPlaces(source, { file: "a.ts", line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }),
  );
};

test.each<[string, string, readonly string[]]>([
  ["on one line", 'const m = onnx({ name: "m", file: "a" });', ["name 1:18", "file 1:29"]],
  [
    "nested, in lists, under quoted names",
    'const m = onnx({\n  dynamicBatching: { "maxQueueDelay": 1 },\n  instanceGroup: [{ kind: "gpu" }, { kind: "cpu" }],\n});',
    [
      "dynamicBatching 2:3",
      "dynamicBatching.maxQueueDelay 2:22",
      "instanceGroup 3:3",
      "instanceGroup.0 3:19",
      "instanceGroup.0.kind 3:21",
      "instanceGroup.1 3:36",
      "instanceGroup.1.kind 3:38",
    ],
  ],
  [
    "past functions, templates, patterns, comments and divisions",
    [
      "onnx({ a: `}${`,{`}`, // , }",
      '  async run({ x }: { x: [string, "}"] }) { const y = 4 / 2 / 1; return /[}/]\\}/.test(x) ? y : "}"; },',
      "  b: (x) => /,/u.exec(x), /* c: 1, */ ...rest,",
      "  d, [computed]: 1, e: f<A, B>(1) as const });",
    ].join("\n"),
    ["a 1:8", "run 2:9", "b 3:3", "d 4:3", "e 4:21"],
  ],
  [
    "the object that a function returns",
    [
      "onnx({ run({ x }): { y: T } {",
      "  if (x) { return { no: 1 }; }",
      "  return { y: { z: x }, x };",
      "}, b: ({ x }) => ({ y: f({ no: x }) }), c: (x) => f({ no: x }), d: (1 + 2), e: (x) => { return x; } })",
    ].join("\n"),
    [
      "run 1:8",
      "run.y 3:12",
      "run.y.z 3:17",
      "run.x 3:25",
      "b 4:4",
      "b.y 4:21",
      "c 4:41",
      "d 4:65",
      "e 4:77",
    ],
  ],
  ["the content of a variable is unknown", "onnx(options);", []],
  ["a call with type arguments", "dsl.onnx <{ a: 1 }> (\n{ a: 1 })", ["a 2:3"]],
  ["without an end", "onnx({ a: { b: [", ["a 1:8", "a.b 1:13"]],
  ["after a spread in a list the indexes are unknown", "onnx({ a: [1, ...b, 2] })", ["a 1:8", "a.0 1:12"]],
])("%s", (_, source, expected) => {
  expect(placesIn(source.replace(/^dsl\./, ""))).toEqual(expected);
});
