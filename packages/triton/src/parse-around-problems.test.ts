import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelConfigArbitrary } from "./config.arbitrary.ts";
import { parseAroundProblems } from "./parse-around-problems.ts";
import { parseModelConfig } from "./parse-model-config.ts";
import { printModelConfig } from "./print-model-config.ts";

const problemsOf = (text: string): readonly string[] =>
  parseAroundProblems(text).problems.map(({ line, column, message }) => `${line}:${column ?? ""} ${message}`);

const several: readonly (readonly [what: string, text: string, problems: readonly string[]])[] = [
  [
    "two unknown fields, a misspelt enum and a field given twice",
    'name: "m"\nmax_batchsize: 4\ninput [ { name: "X" data_type: FP32 dims: 1 } ]\nbackend: "a"\nbackend: "b"\nplatfrm: "x"',
    [
      "2:1 ModelConfig: unknown field 'max_batchsize'",
      "3:32 ModelInput.data_type: enum value expected",
      "5:1 ModelConfig.backend: multiple values",
      "6:1 ModelConfig: unknown field 'platfrm'",
    ],
  ],
  [
    "wrong types",
    'max_batch_size: "4"\nname: 3\ninput: 5\noutput { dims: 1.5 is_shape_tensor: yes }',
    [
      "1:17 integer value expected",
      "2:7 expected string",
      "3:8 expected message value",
      "4:16 integer value expected",
      "4:37 bool value expected",
    ],
  ],
  [
    "members of oneofs",
    "dynamic_batching { }\nsequence_batching { }\nversion_policy { all { } latest { } }",
    ["2:1 scheduling_choice: multiple values", "3:26 policy_choice: multiple values"],
  ],
  [
    "faults in entries of maps",
    'metric_tags { key: "a" valu: "b" }\nparameters { key: "A" value: "b" }\nparameters { key: "A" key: "B" value { text: "x" } }',
    [
      "1:24 ModelConfig.metric_tags_entry: unknown field 'valu'",
      "2:30 expected message value",
      "3:23 ModelConfig.parameters_entry.key: multiple values",
      "3:40 ModelParameter: unknown field 'text'",
    ],
  ],
  [
    "escapes",
    String.raw`name: "a\q"
metric_tags { key: "C:\Tools" value: "D:\utils" }
nam: 1`,
    [
      String.raw`1:9 unknown escape \q in a string`,
      String.raw`2:23 unknown escape \T in a string`,
      String.raw`2:41 the escape \u needs four hexadecimal digits`,
      "3:1 ModelConfig: unknown field 'nam'",
    ],
  ],
  [
    "unknown fields with values of any kind, followed by separators",
    'a: 1, b { c: [ 1, -2 ] d < e: "x" "y" >; f [ { }, { g: h } ] }; c: [ ] name: 1',
    [
      "1:1 ModelConfig: unknown field 'a'",
      "1:7 ModelConfig: unknown field 'b'",
      "1:65 ModelConfig: unknown field 'c'",
      "1:78 expected string",
    ],
  ],
  [
    "only the first of two wrong items in a list",
    "input { dims: [ a, b ] }\nx: 1",
    ["1:17 integer value expected", "2:1 ModelConfig: unknown field 'x'"],
  ],
  [
    "a faulty field next to wrong items, all of which are skipped",
    "input: [ { nam: 1 }, 5 ]\nmax_batch_size: [ 1 ]\nx: 1",
    [
      "1:12 ModelInput: unknown field 'nam'",
      "1:22 expected message value",
      "2:17 ModelConfig.max_batch_size: list value specified for singular field",
      "3:1 ModelConfig: unknown field 'x'",
    ],
  ],
  [
    "an error before a syntax error, and the syntax error",
    "x: 1\ninput { dims: [ 1, ] }\ny: 2",
    ["1:1 ModelConfig: unknown field 'x'", "2:20 integer value expected"],
  ],
];

// Later errors may only be consequences of the first one.
const alone: readonly (readonly [what: string, text: string])[] = [
  ["a brace that is not closed", "dynamic_batching {\ninput { name: 1 }\noutput { name: 2 }"],
  ["an extra closing brace", "dynamic_batching { }\n  delay: 1\n}\nx: 1"],
  ["mismatched brackets", "input [ { nam: 1 ]\n}"],
  ["a template", "max_batch_size: ${size}\nx: 1"],
  ["a template in braces", "max_batch_size: {{ size }}\nx: 1"],
  ["a value of two words", "name: my model\nx: 1"],
  ["a value with a hyphen", "instance_group { kind: KIND-GPU }\nx: 1"],
  ["a value with a unit", "max_batch_size: 1.5 GB\nx: 1"],
  ["an equals sign", "max_batch_siz = 4\nx: 1"],
  ["no colon", "max_batch_size 4\nx: 1"],
  ["an unclosed string", 'name: "a\nx: 1'],
  ["zero bytes", "x: 1\ny: \0"],
  ["thousands of braces", `x ${"{ a ".repeat(5000)}${"}".repeat(5000)}\ny: 1`],
];

describe("parseAroundProblems", () => {
  it.each(several)("reports %s", (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it.each(alone)("reports only %s", (_, text) => {
    const read = parseModelConfig(text);
    expect("problem" in read && parseAroundProblems(text)).toEqual({
      problems: ["problem" in read && read.problem],
      rest: undefined,
    });
  });

  it("returns the other fields, each at its original position", () => {
    const text = 'name: "m" nam: 1, max_batch_size: 0 # x\nbackend: 3 max_batch_size: 4';
    expect(parseAroundProblems(text).rest).toEqual({
      config: { name: "m", max_batch_size: 4 },
      text: 'name: "m"         max_batch_size: 0 # x\n           max_batch_size: 4',
    });
  });

  it("keeps the text's length if a skipped field is nested in another one", () => {
    const text = 'input: [ { nam: 1 }, 5 ]\nname: "m"';
    expect(parseAroundProblems(text).rest).toEqual({
      config: { name: "m" },
      text: `${" ".repeat(24)}\nname: "m"`,
    });
  });

  it("reports no problem if the parser reports none", () => {
    fc.assert(
      fc.property(modelConfigArbitrary, (config) => {
        const text = printModelConfig(config);
        expect(parseAroundProblems(text)).toEqual({ problems: [], rest: { config, text } });
      }),
      { numRuns: 100 },
    );
  });

  it("finds every fault inserted into a text, at its line, and reads the rest", () => {
    fc.assert(
      fc.property(
        modelConfigArbitrary,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...faults)), { minLength: 1, maxLength: 8 }),
        (config, places) => {
          const lines = printModelConfig(config).split("\n");
          const fields = lines.flatMap((line, i) => (/^\s*[a-z_\d]+(?::| [[{])/.test(line) ? [i] : []));
          const chosen = new Map(places.map(([place, fault]) => [fields[place % fields.length] ?? 0, fault]));
          const faulty: number[] = [];
          const text = lines
            .flatMap((line, i) => {
              const fault = chosen.get(i);
              if (fault === undefined) return [line];
              faulty.push(i + 1 + faulty.length);
              return [fault, line];
            })
            .join("\n");
          const { problems, rest } = parseAroundProblems(text);
          expect(
            problems.map(({ line }) => line),
            text,
          ).toEqual(faulty);
          expect(rest?.config).toEqual(config);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("finds every value of the wrong kind", () => {
    fc.assert(
      fc.property(modelConfigArbitrary, fc.infiniteStream(fc.boolean()), (config, chosen) => {
        const faulty: number[] = [];
        const text = printModelConfig(config)
          .split("\n")
          .map((line, i) => {
            const [, field] = /^(\s*[a-z_\d]+:) [^[{]+$/.exec(line) ?? [];
            if (field === undefined || chosen.next().value !== true) return line;
            faulty.push(i + 1);
            return `${field} { x: 1 }`;
          })
          .join("\n");
        expect(
          parseAroundProblems(text).problems.map(({ line }) => line),
          text,
        ).toEqual(faulty);
      }),
      { numRuns: 300 },
    );
  });
});

const faults = ["zz: 1", 'zz { a: [ 1, 2 ] b < c: "x" > }', "zz: [ { }, { a: b } ];", 'zz: "\\q" # zz'];
