import { pathToFileURL } from "node:url";
import { DiagnosticsError } from "@tritype/in-process";
import { createClient } from "tritype/client";
import { PipelineError, startRuntime } from "tritype/runtime";
import { expect, onTestFinished, test } from "vitest";
import { makeProject } from "../fixtures/project.ts";
import { importProject } from "./project-modules.ts";

const words = `
import type { Word } from "./word.ts";

/** Longest first. */
export const longestFirst = (words: readonly Word[]): Word[] => [...words].sort((a, b) => b.size - a.size);
`;
const pipeline = `
import { bytes, defineEnsemble, int32, int64, step } from "tritype";
import { longestFirst } from "./words.ts";

export const count = step({
  name: "count",
  inputs: { text: bytes("batch", 1), least: int32("batch", 1) },
  outputs: { longest: bytes("batch", 1), many: int64("batch", 1) },
  run({ text, least }) {
    const words = text
      .split(" ")
      .map((word) => ({ text: word, size: word.length }))
      .filter((word) => word.size >= least);
    const [first] = longestFirst(words);
    if (first === undefined) throw new RangeError(\`no word of \${least} units in "\${text}"\`);
    return { longest: first.text, many: BigInt(words.length) };
  },
});

export const counted = defineEnsemble({
  name: "counted",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), least: int32("batch", 1) },
  run({ text, least }) {
    const { longest, many } = count({ text, least });
    return { longest, twice: many.mul(2) };
  },
});
`;
const files = {
  "word.ts": "export interface Word {\n  readonly text: string;\n  readonly size: number;\n}\n",
  "words.ts": words,
  "pipeline.ts": pipeline,
};

test("a function that uses other modules of the project runs alone and in an ensemble", async () => {
  const { exported } = await importProject(files);
  const { longest, many } =
    (await exported["count"]?.run({ text: ["a bb 👍👍", "cc dd"], least: [2, 1] })) ?? {};
  expect(longest?.data).toEqual(["👍👍", "cc"]);
  expect(many?.data).toEqual(BigInt64Array.of(2n, 2n));
  const answer = await exported["counted"]?.run({ text: ["one three"], least: [1] });
  expect([answer?.["longest"]?.data, answer?.["twice"]?.data]).toEqual([["three"], BigInt64Array.of(4n)]);
});

test("a thrown error rejects only its own call, with its position in the source", async () => {
  const { exported } = await importProject(files);
  const ask = async (least: number): Promise<unknown> =>
    exported["counted"]?.run({ text: ["one three"], least: [least] });
  const asked = await Promise.allSettled([1, 9, 2].map(ask));
  expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const [, failed] = asked;
  const reason: unknown = failed?.status === "rejected" ? failed.reason : undefined;
  expect(PipelineError.is(reason) && reason.message).toContain(
    'count: row 0: RangeError: no word of 9 units in "one three" (run, line 7, in pipeline.ts)',
  );
});

test("untranslatable code is a diagnostic at its position, in any module", async () => {
  const { exported } = await importProject({
    ...files,
    "words.ts": words.replace("b.size - a.size", "b.text.localeCompare(a.text)"),
  });
  const error: unknown = await exported["count"]
    ?.run({ text: ["a"], least: [1] })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DiagnosticsError);
  const [diagnostic] = (error as DiagnosticsError).diagnostics;
  expect(diagnostic).toMatchObject({ code: "function/locale", severity: "error" });
  expect(diagnostic?.labels.map(({ span, text }) => [span.file, span.line, text])).toEqual([
    ["words.ts", 5, "cannot be translated"],
    ["pipeline.ts", 5, "needed by this step"],
  ]);
});

test("a flow runs alone; with its own maximum batch size, its model is the one that clients call", async () => {
  const { exported } = await importProject({
    ...files,
    "pipeline.ts": `${pipeline.replace("{ bytes,", "{ bytes, flow,")}
const about = { inputs: count.inputs, outputs: count.outputs, uses: { count } };
export const asked = flow({ name: "asked", ...about, run: (row, { count }) => count(row) });
export const served = flow({ name: "served", maxBatchSize: 2, ...about, run: (row, { count }) => count(row) });
`,
  });
  const { asked, served } = exported;
  const request = { text: ["one three", "a"], least: [1, 1] };
  expect((await asked?.run(request))?.["longest"]?.data).toEqual(["three", "a"]);
  if (served === undefined) throw new Error("not exported");
  await using runtime = await startRuntime({ ensembles: [served], http: true });
  expect(runtime.models().map(({ name }) => name)).toEqual(["count", "served"]);
  const client = createClient<typeof served>({ url: runtime.url ?? "", ensemble: served });
  expect((await client.infer(request))["longest"]?.data).toEqual(["three", "a"]);
  await expect(client.infer({ text: ["a", "b", "c"], least: [1, 1, 1] })).rejects.toThrow("batch");
});

test("a flow runs in a test file that imports it", async () => {
  const project = makeProject({
    ...files,
    "pipeline.ts": `${pipeline.replace("{ bytes,", "{ bytes, flow,")}
export const asked = flow({
  name: "asked",
  inputs: { text: bytes("batch", 1) },
  outputs: { many: int64("batch", 1) },
  uses: { count },
  run: async ({ text }, { count }) => ({ many: (await count({ text, least: 1 })).many }),
});
`,
    "asked.test.ts": `import { onTestFinished } from "vitest";
import { asked } from "./pipeline.ts";

onTestFinished(() => {});
export const answer = await asked.run({ text: ["a bb"] });
`,
  });
  onTestFinished(project.remove);
  const { answer } = (await import(pathToFileURL(project.path("asked.test.ts")).href)) as {
    readonly answer: { readonly many: { readonly data: unknown } };
  };
  expect(answer.many.data).toEqual(BigInt64Array.of(2n));
});

test("JSON inputs are checked against their type, with the same message in every engine and in a flow", async () => {
  const { exported } = await importProject({
    "pipeline.ts": `import { batchStep, flow, int32, json, optional, step } from "tritype";
interface Order { readonly items: readonly { readonly price: number }[]; readonly note?: string }
const about = { inputs: { order: json<Order>(), more: optional(json<unknown>()) }, outputs: { n: int32("batch", 1) } };
export const python = step({ name: "python", ...about, inputs: { order: json<Order>() }, run: ({ order }) => ({ n: order.items.length }) });
export const node = step({ name: "node", engine: "node", ...about, run: async ({ order }) => ({ n: order.items.length }) });
export const all = batchStep({
  name: "all", engine: "node", ...about,
  run: ({ order }) => ({ n: { data: order.data.map(({ items }) => items.length), shape: order.shape } }),
});
export const calls = flow({ name: "calls", ...about, uses: { python }, run: ({ order }, { python }) => python({ order }) });
`,
  });
  const ask = async (name: string, ...order: readonly string[]): Promise<unknown> =>
    exported[name]?.run({ order }).then(
      ({ n }) => [...(n?.data ?? [])],
      (error: unknown) => String(error).replace(/^.*?: /, ""),
    );
  const right = '{"items":[{"price":2}],"other":1}';
  for (const name of ["python", "node", "all", "calls"]) {
    const row = name === "all" ? "" : "row 1: ";
    expect.soft(await ask(name, right, right), name).toEqual([1, 1]);
    for (const [wrong, message] of [
      ["{", "SyntaxError: input order: the text is not JSON"],
      ["{}", "TypeError: input order: the JSON at .items: array expected, got nothing"],
      [
        '{"items":[{"price":"2"}]}',
        "TypeError: input order: the JSON at .items[0].price: number expected, got string",
      ],
      ['{"items":[],"note":null}', "TypeError: input order: the JSON at .note: string expected, got null"],
    ] as const)
      expect.soft(await ask(name, right, wrong), name).toBe(`${name}: ${row}${message}`);
  }
});
