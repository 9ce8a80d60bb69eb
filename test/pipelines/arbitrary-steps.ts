import fc from "fast-check";

/** A pipeline with one function step, tensor math that leaves the batch alone, and some profiles. */
export interface RandomPipeline {
  readonly source: string;
  readonly config: string;
  /** Whether the function returns what the step declares. */
  readonly isRight: boolean;
  /** A field of the step that Triton refuses, keyed by the word that the finding must contain. */
  readonly refused: string | undefined;
  readonly profiles: readonly string[];
}

interface Output {
  readonly declared: string;
  readonly right: string;
  readonly wrong: string;
}

const outputs: readonly Output[] = [
  { declared: 'int32("batch")', right: "x.length", wrong: "String(x.length)" },
  { declared: 'fp32("batch", 1)', right: "x[0] ?? 0", wrong: "x" },
  { declared: 'fp32("batch", 4)', right: "x.map((one) => one * 2)", wrong: "x.length" },
  { declared: 'bytes("batch", 1)', right: "String(x.length)", wrong: "[String(x.length)]" },
  { declared: 'bool("batch")', right: "x.length > 2", wrong: "1" },
  {
    declared: "json<{ n: number; must: string }>()",
    right: '{ n: x.length, must: "" }',
    wrong: "{ n: x.length }",
  },
];

type Mistake = "wrong type" | "missing" | "undeclared" | undefined;

const fields: readonly (readonly [text: string, refused: string | undefined])[] = [
  ["", undefined],
  ["instanceGroup: [{ count: 2 }],", undefined],
  ["dynamicBatching: { priorityLevels: 2, defaultPriorityLevel: 3 },", "default"],
  ["dynamicBatching: { preserveOrdering: true, priorityLevels: 2, defaultPriorityLevel: 1 },", "order"],
];

export const arbitraryPipeline: fc.Arbitrary<RandomPipeline> = fc
  .record({
    chosen: fc.uniqueArray(fc.nat(outputs.length - 1), { minLength: 1, maxLength: 3 }),
    mistake: fc.constantFrom<Mistake>(undefined, undefined, "wrong type", "missing", "undeclared"),
    reduction: fc.constantFrom("max(-1)", "sum(-1)", "argmax(-1)", "max(-1, { keepDims: true })", "mul(2)"),
    field: fc.constantFrom(...fields),
    profiles: fc.subarray(["cpu", "small", "large"]),
  })
  .map(({ chosen, mistake, reduction, field: [field, refused], profiles }): RandomPipeline => {
    const made = chosen.map((index, at) => ({ ...(outputs[index] as Output), name: `o${at}` }));
    const returned = made.flatMap(({ name, right, wrong }, at) =>
      at > 0 || mistake === undefined || mistake === "undeclared"
        ? [`${name}: ${right}`]
        : mistake === "missing"
          ? []
          : [`${name}: ${wrong}`],
    );
    if (mistake === "undeclared") returned.push("extra: 1");
    return {
      source: `import { bool, bytes, defineEnsemble, fp32, int32, json, step } from "tritype";
void [bool, bytes, int32, json];
const s = step({
  name: "s",
  inputs: { x: fp32("batch", 4) },
  outputs: { ${made.map(({ name, declared }) => `${name}: ${declared}`).join(", ")} },
  run: ({ x }) => ({ ${returned.join(", ")} }),
  ${field}
});
export const e = defineEnsemble({
  name: "e",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ ...s({ x }), reduced: x.${reduction} }),
});
`,
      config: `export default { profiles: { ${profiles.map((name) => `${name}: {}`).join(", ")} } };\n`,
      isRight: mistake === undefined,
      refused,
      profiles,
    };
  });
