import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mypyStrict } from "../environment/mypy.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { pipeline } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

const source = `import { bool, bytes, defineEnsemble, fp32, int64, python } from "tritype";

const rank = python({
  name: "rank",
  folder: "steps/rank",
  inputs: { text: bytes("batch", 1), "token ids": int64("batch", "seq"), class: fp32("batch", 4) },
  outputs: { score: fp32("batch", 1), mask: bool("batch", "seq"), best: bytes("batch", 1) },
});
const trim = python({
  name: "trim",
  file: "steps/trim.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
});

export const ranked = defineEnsemble({
  name: "ranked",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), ids: int64("batch", "seq"), features: fp32("batch", 4) },
  run: ({ text, ids, features }) => rank({ text: trim({ text }).text, "token ids": ids, class: features }),
});
`;

test("every step without a model.py gets a typed one that passes the checks and answers requests", async () => {
  const made = project({ "pipeline.ts": source });
  const written = await pipeline(made, ["init", "python-step"]);
  expect(written).toMatchObject({ code: 0 });
  expect(written.err).toMatch(
    /wrote steps\/trim\.py\nwrote steps\/rank\/model\.py\nwrote typings\/triton_python/,
  );
  const text = readFileSync(made.path("steps/rank/model.py"), "utf8");
  for (const line of [
    'token_ids_tensor = pb_utils.get_input_tensor_by_name(request, "token ids")',
    "x_class = x_class_tensor.as_numpy()  # FP32[batch, 4]",
    "mask = np.zeros((text.shape[0], token_ids.shape[1]), np.bool_)  # BOOL[batch, seq]",
    'best = np.full((text.shape[0], 1), b"", np.object_)  # BYTES[batch, 1]',
  ])
    expect(text).toContain(`        ${line}\n`);
  const files = ["steps/rank/model.py", "steps/trim.py"];
  expect(await mypyStrict(files, { cwd: made.root, mypyPath: "typings" })).toContain("Success");
  const built = await pipeline(made, ["build"]);
  expect(built.err).not.toMatch(/error|warning/);
  const inputs = ['text=["a","b"]', "ids=[[1,2,3],[4,5,6]]", "features=[[1,2,3,4],[5,6,7,8]]"];
  const ran = await pipeline(made, ["run", "ranked", "--json", ...inputs.flatMap((one) => ["-i", one])], {
    env: { TRITYPE_PYTHON: await pythonWithNumpy() },
  });
  expect(ran).toMatchObject({ code: 0 });
  expect(JSON.parse(ran.out)).toMatchObject({
    outputs: [
      { name: "score", datatype: "FP32", shape: [2, 1], data: [0, 0] },
      { name: "mask", datatype: "BOOL", shape: [2, 3] },
      { name: "best", datatype: "BYTES", shape: [2, 1], data: ["", ""] },
    ],
  });
}, 120_000);

const dtypes = "BOOL UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FP16 FP32 FP64 BF16 BYTES".split(" ");

test.each(dtypes.map((dtype) => dtype.toLowerCase()))(
  "a step with %s builds without findings, decoupled or not",
  async (dtype) => {
    const step = (name: string, more: string): string => `python({
  name: "${name}",
  file: "steps/${name}.py",
  inputs: { x: ${dtype}("batch", "n"), more: optional(${dtype}("batch", 1)), x_tensor: optional(fp32("batch", 1)) },
  outputs: { y: ${dtype}("batch", "n"), z: fp32("batch", 1) },
  ${more}
})`;
    const ensemble = (name: string): string =>
      `export const ${name}_all = defineEnsemble({ name: "${name}_all", maxBatchSize: 8, inputs: { x: ${dtype}("batch", "n") }, run: ({ x }) => ${name}({ x }) });`;
    const made = project({
      "pipeline.ts": `import { ${[...new Set(["fp32", dtype])].join(", ")}, defineEnsemble, optional, python } from "tritype";
const one = ${step("one", "")};
const many = ${step("many", "modelTransactionPolicy: { decoupled: true },")};
${ensemble("one")}
${ensemble("many")}
`,
    });
    expect(await pipeline(made, ["init", "python-step"])).toMatchObject({ code: 0 });
    const built = await pipeline(made, ["build"]);
    expect(built.err).not.toMatch(/error|warning/);
    expect(built.code).toBe(0);
    const files = ["steps/one.py", "steps/many.py"];
    if (dtype === "bf16")
      expect(await mypyStrict(files, { cwd: made.root, mypyPath: "typings" })).toContain("Success");
  },
  120_000,
);

test("existing files are not changed", async () => {
  const made = project({ "pipeline.ts": source, "steps/rank/model.py": "mine" });
  expect((await pipeline(made, ["init", "python-step"])).code).toBe(0);
  expect(readFileSync(made.path("steps/rank/model.py"), "utf8")).toBe("mine");
  const again = await pipeline(made, ["init", "python-step", "rank"]);
  expect(again.code).not.toBe(0);
  expect(again.err).toContain("steps/rank/model.py of `rank` already exists");
  const other = await pipeline(made, ["init", "python-step", "rnak"]);
  expect(other.err).toContain("did you mean `rank`?");
});

test("a file that two steps have is written once, for the first of them", async () => {
  const step = (name: string): string =>
    `python({ name: "${name}", file: "steps/both.py", inputs: { x: fp32("batch", 1) }, outputs: { y: fp32("batch", 1) } })`;
  const made = project({
    "pipeline.ts": `import { defineEnsemble, fp32, python } from "tritype";
const one = ${step("one")};
const two = ${step("two")};
export const all = defineEnsemble({
  name: "all",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 1) },
  run: ({ x }) => ({ z: two({ x: one({ x }).y }).y }),
});
`,
  });
  const { code, err } = await pipeline(made, ["init", "python-step"]);
  expect(code).toBe(0);
  const [owner, other] = err.includes("file of `two`") ? ["one", "two"] : ["two", "one"];
  expect(err).toContain(
    `wrote steps/both.py\n  steps/both.py is also the file of \`${other}\`, but was written for \`${owner}\`\n`,
  );
  expect(readFileSync(made.path("steps/both.py"), "utf8")).toContain(`"""The model ${owner}."""`);
  expect((await pipeline(made, ["build"])).code).toBe(0);
});
