import type { CompilerOptions } from "typescript";
import { describe, expect, it } from "vitest";
import thresholds from "./thresholds.json" with { type: "json" };
import { diagnosticsOf, messageOf, programOf } from "./type-check.ts";

/** `TRITYPE_TYPES=long` also tests large pipelines, whose individual parts must not cost more. */
const counts = (usual: number, large: number): readonly number[] =>
  process.env["TRITYPE_TYPES"] === "long" ? [usual, large] : [usual];

/** An ensemble over `a` FP32[batch, seq, 384] and its mask `m`; `before` is the code that precedes it. */
const ensemble = (before: string, body: string, result: string): string => `
import { bytes, defineEnsemble, fp32, int64, onnx, tokenizer, when } from "tritype";
${before}
export const ensemble = defineEnsemble({
  name: "ensemble",
  maxBatchSize: 8,
  inputs: { a: fp32("batch", "seq", 384), m: int64("batch", "seq") },
  run({ a, m }) {
${body}
    return { out: ${result} };
  },
});
`;

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** Steps `s0`, `s1`, … whose types are all different. */
const definitions = (count: number): string =>
  lines(
    count,
    (i) => `export const s${i} = onnx({ name: "s${i}", file: "f.onnx",
  inputs: { x: fp32("batch", "t${i}", 384), mask: int64("batch", "t${i}") },
  outputs: { y: fp32("batch", "t${i}", 384), z: fp32("batch", ${10 + i}) } });`,
  );
/** Function steps whose types are all different. */
const functionSteps = (count: number): string =>
  `import { json, step } from "tritype";\n${lines(
    count,
    (i) => `export const f${i} = step({ name: "f${i}",
  inputs: { x: fp32("batch", "t${i}"), text: bytes("batch", 1) },
  outputs: { y: fp32("batch", "t${i}"), z: json<{ n${i}: number }>() },
  run: ({ x, text }) => ({ y: x.map((v) => v * 2), z: { n${i}: text.length } }) });`,
  )}`;
const sideBySide = (count: number): string =>
  lines(count, (i) => `const { y: y${i} } = s${i}({ x: a, mask: m });`);
const behindEachOther = (count: number): string =>
  lines(count, (i) => `const { y: y${i} } = s${i}({ x: ${i === 0 ? "a" : `y${i - 1}`}, mask: m });`);

const operators: readonly ((x: string) => string)[] = [
  (x) => `${x}.mul(2)`,
  (x) => `${x}.add(${x})`,
  (x) => `${x}.sub(${x}.mean("seq", { keepDims: true }))`,
  (x) => `${x}.softmax(-1)`,
  (x) => `${x}.tanh()`,
  (x) => `${x}.mul(m.cast(fp32).unsqueeze(-1))`,
  (x) => `${x}.transpose(0, 2, 1).transpose(0, 2, 1)`,
  (x) => `${x}.div(${x}.max(-1, { keepDims: true }))`,
];
const math = (count: number): string =>
  lines(count, (i) => {
    const operator = operators[i % operators.length];
    return `const x${i} = ${operator?.(i === 0 ? "a" : `x${i - 1}`)};`;
  });

/** Branches of the two kinds: a tensor or a function, and objects of tensors. */
const branches = (count: number): string =>
  lines(count, (i) => {
    const x = i === 0 ? "a" : `x${i - 1}`;
    return i % 2 === 0
      ? `const x${i} = when(sure, () => ${x}.tanh(), ${x});`
      : `const { x: x${i} } = when(sure, { x: ${x}, m }, () => ({ x: ${x}, m: m.neg() }));`;
  });

const operatorsIn = (body: string): number => [...body.matchAll(/\.\w+\(/gu)].length;

/**
 * The number of instantiations that TypeScript creates to check a file, which is the same on every machine; and the
 * milliseconds on this one.
 */
const costOf = (
  path: string,
  texts: Readonly<Record<string, string>> = {},
  options: CompilerOptions = {},
): { readonly count: number; readonly ms: number } => {
  const start = performance.now();
  const program = programOf([path], texts, { stableTypeOrdering: false, ...options });
  expect(diagnosticsOf(program, path).map(messageOf)).toEqual([]);
  return { count: program.getInstantiationCount(), ms: Math.round(performance.now() - start) };
};
const costOfText = (text: string, options?: CompilerOptions): ReturnType<typeof costOf> =>
  costOf("test/types/fixture.ts", { "test/types/fixture.ts": text }, options);

const empty = costOfText(ensemble("", "", "a")).count;

const fixtures: readonly {
  readonly name: string;
  readonly text: string;
  readonly of: number;
  readonly most: keyof typeof thresholds;
}[] = [
  ...counts(50, 500).map((of) => ({
    name: `${of} step definitions`,
    text: ensemble(definitions(of), "", "a"),
    of,
    most: "perDefinition" as const,
  })),
  ...counts(50, 300).map((of) => ({
    name: `${of} function steps`,
    text: ensemble(functionSteps(of), "", "a"),
    of,
    most: "perFunction" as const,
  })),
  ...counts(75, 500).map((of) => ({
    name: `${of} steps side by side`,
    text: ensemble(definitions(of), sideBySide(of), "a"),
    of,
    most: "perCall" as const,
  })),
  // Each step's type depends on the previous one: from about 160 on, TypeScript overflows Node's default stack.
  ...counts(75, 150).map((of) => ({
    name: `${of} steps one behind the other`,
    text: ensemble(definitions(of), behindEachOther(of), `y${of - 1}`),
    of,
    most: "perCall" as const,
  })),
  ...counts(40, 200).map((of) => ({
    name: `${of} statements of tensor math`,
    text: ensemble("", math(of), `x${of - 1}`),
    of: operatorsIn(math(of)),
    most: "perOperator" as const,
  })),
  ...counts(40, 100).map((of) => ({
    name: `${of} branches`,
    text: ensemble("", `const sure = a.max(-1).max(-1).gt(0);\n${branches(of)}`, `x${of - 1}`),
    of,
    most: "perBranch" as const,
  })),
];

const report = (name: string, count: number, each: string, ms: number): void =>
  console.log(`${name.padEnd(34)} ${String(count).padStart(8)} instantiations ${each.padStart(12)} ${ms} ms`);

describe("the types stay within the instantiation budget", () => {
  it.each(fixtures)("$name: within $most each", ({ name, text, of, most }) => {
    const { count, ms } = costOfText(text);
    const each = (count - empty) / of;
    report(name, count - empty, `${Math.round(each)} each`, ms);
    expect(each).toBeGreaterThan(1);
    expect(each).toBeLessThanOrEqual(thresholds[most]);
  });

  it("the whole sentence-embedding example stays within its budget", () => {
    const withNode = { types: ["node"] };
    const { count, ms } = costOf("examples/sentence-embedding/pipeline.ts", {}, withNode);
    const imports = costOfText(`import { onnx } from "tritype";\nexport const step = onnx;`, withNode);
    report("sentence-embedding", count - imports.count, "", ms);
    expect(count - imports.count).toBeGreaterThan(100);
    expect(count - imports.count).toBeLessThanOrEqual(thresholds.example);
  });
});
