import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DriftReport, driftReportSchema } from "@tritype/drift";
import type { Manifest } from "@tritype/manifest";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { describe, expect, onTestFinished, test } from "vitest";
import { startBrowser } from "../environment/chromium.ts";
import { withExternalData } from "../fixtures/external-data.ts";
import { doubleModel, scaleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { freePort } from "./free-port.ts";
import { overflowing, poolingSource, unmaskedEncoder, widened } from "./drift-models.ts";
import { type Ended, pipeline } from "./run-pipeline.ts";
import { mixedSource, pipelineSource, project as smallProject } from "./small-project.ts";

const masked = "l2Normalize(meanPool(last_hidden_state, attention_mask))";
const unmasked = 'l2Normalize(last_hidden_state.mean("seq"))';
const words = "cat mountain railway seven green bottle shop river music winter doctor engine paper".split(
  " ",
);
const texts = Array.from({ length: 24 }, (_, i) =>
  JSON.stringify({ text: `${words[i % 13]} ${words.slice(0, i % 7).join(" ")}`.trim() }),
).join("\n");

const encoder = unmaskedEncoder();
const poolingProject = (pooled: string, files: Readonly<Record<string, string>> = {}): ProjectFixture => {
  const made = makeProject({
    "pipeline.ts": poolingSource(pooled),
    "models/encoder.onnx": encoder,
    "texts.jsonl": texts,
    ...files,
  });
  onTestFinished(made.remove);
  return made;
};

const reportOf = ({ out }: Ended): DriftReport => driftReportSchema.parse(JSON.parse(out));
const embeddingOf = (report: DriftReport) => {
  const tensor = report.models[0]?.tensors.find(({ name }) => name === "embedding");
  if (tensor === undefined) throw new Error("no embedding was compared");
  return tensor;
};

describe("variants made by --make", () => {
  test("the int8 variant is close to the original, and its rows depend on each other; the report and the model are written", async () => {
    const embed = poolingProject(masked);
    const args = ["drift", "--make", "int8", "--dataset", "texts.jsonl", "--limit", "embedding.cosine=0.9"];
    const first = await pipeline(embed, [...args, "-o", "out", "--json"]);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: expect.any(String) });
    const report = reportOf(first);
    const { cosine, absolute, batchDependence, rows } = embeddingOf(report);
    expect(rows).toBe(24);
    expect(cosine?.min).toBeGreaterThan(0.95);
    expect(cosine?.min).toBeLessThan(1);
    expect(absolute?.max).toBeGreaterThan(1e-5);
    expect(batchDependence.reference?.rowByRow).toBeLessThan(1e-6);
    expect(batchDependence.candidate?.rowByRow).toBeGreaterThan(1e-5);
    expect(JSON.parse(readFileSync(embed.path("out/drift.json"), "utf8"))).toEqual(report);
    expect(readFileSync(embed.path("out/drift.html"), "utf8")).toContain(
      "rows depend on the other rows in the batch",
    );
    const again = await pipeline(embed, args);
    expect(again.err).not.toContain("quantize_dynamic(");
    expect(again.out).toContain("its rows depend on the other rows in the batch; the reference's do not");
    const kept = await pipeline(embed, [
      "drift",
      "--replace",
      "encoder=out/encoder.int8.onnx",
      "--dataset",
      "texts.jsonl",
      "--limit",
      "embedding.batchDependence=1e-6",
    ]);
    expect(kept.code).toBe(1);
    expect(kept.out).toMatch(/rows alone and in a batch is \S+; the limit is at most 0\.000001$/m);
  }, 180_000);

  test("the fp16 variant of an ONNX file is closer than the int8 variant", async () => {
    const embed = poolingProject(masked);
    const ids = Array.from({ length: 6 }, (_, i) =>
      JSON.stringify({ input_ids: [[101, 2000 + 70 * i, 5000 + i, 102]] }),
    );
    embed.write("ids.jsonl", ids.join("\n"));
    const [half, byte] = await Promise.all(
      ["fp16", "int8"].map(async (kind) => {
        const args = ["drift", "models/encoder.onnx", "--make", kind, "--dataset", "ids.jsonl", "--json"];
        const ended = await pipeline(embed, args);
        expect({ code: ended.code, err: ended.err }).toEqual({ code: 0, err: expect.any(String) });
        return reportOf(ended).models[0]?.tensors[0];
      }),
    );
    expect(half?.dtype).toEqual({ reference: "FP32", candidate: "FP32" });
    expect(half?.absolute?.max).toBeGreaterThan(0);
    expect(half?.absolute?.max).toBeLessThan(byte?.absolute?.mean ?? 0);
    expect(half?.batchDependence.candidate).toEqual({ rowByRow: 0, permuted: 0 });
  }, 180_000);
});

describe("the gate", () => {
  test("pooling that ignores the mask is rejected by the command, and by the build, which writes nothing", async () => {
    const before = poolingProject(masked);
    const after = poolingProject(unmasked, {
      "pipeline.config.ts": `import { defineConfig } from "tritype";
export default defineConfig({
  drift: { embed: { reference: ${JSON.stringify(before.root)}, limits: { embedding: { cosine: 0.999 } } } },
});
`,
    });
    const compared = await pipeline(after, ["drift"]);
    expect(compared.code).toBe(1);
    expect(compared.out).toMatch(
      /^ {2}embed\.embedding: the lowest cosine of a row is -?0\.\d+; the limit is at least 0\.999$/m,
    );
    expect(compared.out).toMatch(/^ {4}worst {5}(?:one|two, row 1) {2}cosine/m);
    const built = await pipeline(after, ["build"]);
    expect(built.code).toBe(1);
    expect(built.err).toContain("the build's drift is too large; nothing was written");
    expect(existsSync(after.path("build"))).toBe(false);
    after.write("pipeline.ts", poolingSource(masked));
    expect((await pipeline(after, ["build"])).code).toBe(0);
  });

  test("the build verifies the shipped int8 table against FP32 once, and again when a file changes", async () => {
    const example = fileURLToPath(new URL("../../examples/sentence-embedding/", import.meta.url));
    const shipped = makeProject({
      "pipeline.config.ts": `import { defineConfig } from "tritype";
export default defineConfig({
  profiles: { gpu: {}, cpu: {} },
  drift: {
    embed: {
      reference: { models: { encoder: "models/fp32.onnx" } },
      dataset: "texts.txt",
      limits: { embedding: { cosine: 0.999999, maxAbsolute: 1e-6 } },
    },
  },
});
`,
      "models/fp32.onnx": widened(readFileSync(`${example}assets/static/model.onnx`)),
      "texts.txt": "a cat\na kitten sleeps on the mat\n",
    });
    onTestFinished(shipped.remove);
    for (const path of [
      "pipeline.ts",
      "tensorrt.ts",
      "models/minilm.ts",
      "models/static.ts",
      "assets/static",
    ])
      cpSync(`${example}${path}`, shipped.path(path), { recursive: true });
    const first = await pipeline(shipped, ["build"]);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: expect.any(String) });
    expect(first.err).toContain(
      "the project against the project with models/fp32.onnx in encoder, on texts.txt",
    );
    const manifest = (): Manifest =>
      JSON.parse(readFileSync(shipped.path("build/manifest.json"), "utf8")) as Manifest;
    expect(manifest().drift).toEqual([
      expect.objectContaining({
        ensemble: "embed",
        reference: "models/fp32.onnx in encoder",
        dataset: "texts.txt",
        rows: 2,
        outputs: { embedding: expect.objectContaining({ cosine: 1, top1: 1 }) },
      }),
    ]);
    const proof = manifest().drift;
    const second = await pipeline(shipped, ["build"]);
    expect(second.err).not.toContain("against");
    expect(second.err).toContain("nothing changed");
    expect((await pipeline(shipped, ["build", "--check"])).code).toBe(0);
    expect((await pipeline(shipped, ["run", "embed", "a"])).code).toBe(0);
    expect(manifest().drift).toEqual(proof);
    shipped.write("texts.txt", "a dog\n");
    const third = await pipeline(shipped, ["build"]);
    expect(third.err).toContain("embed: 1 row in 1 request");
    expect(manifest().drift?.[0]?.key).not.toBe(proof?.[0]?.key);

    const source = readFileSync(shipped.path("pipeline.ts"), "utf8");
    shipped.write("pipeline.ts", source.replace("...model,", "...model, fuse: true,"));
    const fused = await pipeline(shipped, ["build", "--explain"]);
    expect({ code: fused.code, out: fused.out }).toEqual({
      code: 0,
      out: "encoder  contains embed_embedding (tensor math)\n",
    });
    expect(fused.err).toContain("the project against the project with models/fp32.onnx in encoder");
    expect(manifest().drift?.[0]?.outputs["embedding"]).toMatchObject({ cosine: 1 });
  });

  test("a reference with its weights in another file is measured with these weights, and again when they change", async () => {
    const [two, three, four] = [2, 3, 4].map((factor) =>
      withExternalData(scaleModel(factor), "model.onnx_data"),
    );
    const small = smallProject({
      "pipeline.ts": pipelineSource
        .replaceAll("models/double.onnx", "models/own/model.onnx")
        .replace("maxBatchSize: 8,", "maxBatchSize: 8,\n  warmup: [{ inputs: { x: [[1, 2, 3, 4]] } }],"),
      "pipeline.config.ts": `export default {
  drift: { total: { reference: { models: { double: "models/other/model.onnx" } }, limits: { sum: { maxAbsolute: 15 } } } },
};
`,
      "models/own/model.onnx": two?.model ?? "",
      "models/own/model.onnx_data": two?.data ?? "",
      "models/other/model.onnx": three?.model ?? "",
      "models/other/model.onnx_data": three?.data ?? "",
    });
    expect(four?.model).toEqual(three?.model);
    const measured = (): unknown =>
      (JSON.parse(readFileSync(small.path("build/manifest.json"), "utf8")) as Manifest).drift?.[0]?.outputs[
        "sum"
      ]?.maxAbsolute;
    const first = await pipeline(small, ["build"]);
    expect([first.code, first.err]).toEqual([0, first.err]);
    expect(measured()).toBe(10);
    expect((await pipeline(small, ["build"])).err).not.toContain("against");
    small.write("models/other/model.onnx_data", four?.data ?? "");
    const changed = await pipeline(small, ["build"]);
    expect([changed.code, changed.err]).toEqual([
      1,
      expect.stringContaining("the largest absolute error is 20; the limit is at most 15"),
    ]);
    rmSync(small.path("models/other/model.onnx_data"));
    expect((await pipeline(small, ["build"])).err).toContain(
      "names models/other/model.onnx_data, which does not exist",
    );
    const replaced = await pipeline(small, ["drift", "--replace", "double=models/other/model.onnx"]);
    expect([replaced.code, replaced.err]).toEqual([
      2,
      expect.stringMatching(/models\/other\/model\.onnx_data/),
    ]);
  });

  test("a configuration that refers to something missing is refused", async () => {
    const small = smallProject();
    const config = (drift: string): void =>
      small.write("pipeline.config.ts", `export default { drift: ${drift} };\n`);
    const said = async (): Promise<string> => {
      const { code, err } = await pipeline(small, ["build"]);
      expect(code).not.toBe(0);
      return err;
    };
    config('{ totl: { reference: "x", limits: {} } }');
    expect(await said()).toContain("did you mean `total`?");
    config('{ total: { reference: "gone", limits: {} } }');
    expect(await said()).toContain("`drift` in the configuration names gone, which does not exist");
    config('{ total: { reference: "x", limits: { sum: { cosin: 1 } } } }');
    expect(await said()).toContain("did you mean `cosine`?");
    config('{ total: { reference: "x", limits: { sum: { cosine: 2 } } } }');
    expect(await said()).toContain("`drift.total.limits.sum.cosine` must be a number from -1 to 1");
    config("{ total: { reference: 3, limits: {} } }");
    expect(await said()).toContain(
      '`drift.total.reference` must be a folder, or { models: { name: "file.onnx" } }',
    );
    small.write("wrong.jsonl", '{ "y": 1 }\n');
    config(
      '{ total: { reference: { models: { double: "models/double.onnx" } }, dataset: "wrong.jsonl", limits: {} } }',
    );
    expect(await pipeline(small, ["drift", "--model", "total"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--model needs variants on the command line"),
    });
    expect((await pipeline(small, ["drift", "--dataset", "wrong.jsonl"])).err).toContain(
      "--dataset needs variants on the command line",
    );
    const limited = (output: string) => pipeline(small, ["drift", "--limit", `${output}.cosine=1`]);
    expect((await limited("sum")).err).toContain("wrong.jsonl:1: ");
    expect(await limited("summ")).toMatchObject({
      code: 2,
      err: expect.stringContaining("no output `summ` to"),
    });
  });
});

describe("two variants", () => {
  const both = (source: string): string =>
    `${source.replace("maxBatchSize: 8,", "maxBatchSize: 8,\n  warmup: [{ inputs: { x: [[1, 2, 3, 4]] } }],")}
export const other = defineEnsemble({
  name: "other",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ twice: double({ x }).y }),
});
`;
  test("ensembles without samples are named and left out, unless there are no others", async () => {
    const before = smallProject({ "pipeline.ts": both(pipelineSource) });
    const after = smallProject({ "pipeline.ts": both(pipelineSource), "models/double.onnx": scaleModel(2) });
    const some = await pipeline(after, ["drift", before.root, "."]);
    expect(some).toMatchObject({ code: 0, err: expect.stringContaining("there are no samples: `other`;") });
    expect(some.out).toContain("total: 1 row");
    expect(some.out).not.toContain("other:");
    const none = await pipeline(after, ["drift", before.root, ".", "--model", "other"]);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("drift/no-requests") });
  });

  test("ensembles with sequences are named and left out, unless there are no others", async () => {
    const made = smallProject({
      "pipeline.ts": pipelineSource.replace("fuse: false", "fuse: false, sequenceBatching: {}"),
      "more.ts": both(pipelineSource)
        .replaceAll("double", "plain")
        .replace('"total"', '"sum"')
        .replace("const total", "const sum")
        .replaceAll("models/plain", "models/double"),
      "pipeline.config.ts": 'export default { entries: ["pipeline.ts", "more.ts"] };\n',
    });
    const drift = (...args: readonly string[]) => pipeline(made, ["drift", ".", ".", ...args]);
    expect(await drift()).toMatchObject({
      code: 0,
      out: expect.stringContaining("sum: 1 row"),
      err: expect.stringContaining("not compared, because they stream or have sequences: `total`"),
    });
    const { code, err } = await drift("--model", "total");
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("`total` has sequences, which `pipeline drift` does not support"),
    });
    expect(err).toContain("`sequence()`");
    expect(err).not.toContain("warmup");
  });

  const numbers = '{ "x": [1, 2, 3, 4] }\n{ "x": [5, 6, 7, 8] }\n{ "x": [0, 0, 0, 100] }\n';

  test("a limit applies to the ensembles that have its output", async () => {
    const made = smallProject({ "pipeline.ts": both(pipelineSource), "x.jsonl": numbers });
    made.write("triple.onnx", scaleModel(3));
    const command = ["drift", "--replace", "double=triple.onnx", "--dataset", "x.jsonl"];
    const limited = (...limits: readonly string[]) =>
      pipeline(made, [...command, ...limits.flatMap((limit) => ["--limit", limit])]);
    expect(await limited("twice.maxAbsolute=100")).toMatchObject({ code: 0 });
    expect(await limited("sum.maxAbsolute=100", "twice.maxAbsolute=99")).toMatchObject({
      code: 1,
      out: expect.stringContaining("other.twice: the largest absolute error is 100; the limit is at most 99"),
    });
    expect(await limited("twce.maxAbsolute=100")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/there is no output `twce` to limit[^]*did you mean `twice`\?/),
    });
  });

  test("only the ensembles that use a replaced model are compared, directly or through others", async () => {
    const more = `
const triple = onnx({ name: "triple", file: "models/triple.onnx", inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } });
export const tripled = defineEnsemble({
  name: "tripled",
  maxBatchSize: 8,
  inputs: { z: fp32("batch", 4) },
  run: ({ z }) => ({ y: triple({ x: z }).y }),
});
export const outer = defineEnsemble({
  name: "outer",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ twice: other({ x }).twice }),
});
`;
    const made = smallProject({
      "pipeline.ts": both(pipelineSource) + more,
      "models/triple.onnx": scaleModel(3),
      "x.jsonl": numbers,
    });
    const command = ["drift", "--replace", "double=models/triple.onnx", "--dataset", "x.jsonl"];
    const { code, out, err } = await pipeline(made, command);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(
        "not compared, because the variants only differ in models that these do not use: `tripled`",
      ),
    });
    for (const name of ["total", "other", "outer"]) expect(out).toContain(`\n${name}: 3 rows`);
    expect(out).not.toContain("tripled:");
    const named = await pipeline(made, [...command, "--model", "tripled"]);
    expect(named.err).toContain("x.jsonl:1: `tripled` has no input `x`");
  });

  test("NaN in only one variant is reported, and its row comes first", async () => {
    const small = smallProject({ "overflow.onnx": overflowing(50), "x.jsonl": numbers });
    const ended = await pipeline(small, [
      "drift",
      "models/double.onnx",
      "overflow.onnx",
      "--dataset",
      "x.jsonl",
    ]);
    expect(ended.code).toBe(1);
    expect(ended.out).toContain("0 and 0 in the reference, 1 and 0 in the candidate; 1 on only one side");
    expect(ended.out).toContain("x.jsonl:3  1 NaN or infinite on one side  element 3: NaN, not 200");
    expect(ended.out).toContain("model.y: 1 element is NaN or infinite on only one side");
  });

  test("different shapes are reported, and so are different vector lengths, which the cosine does not show", async () => {
    const other = smallProject({ "x.jsonl": numbers, "three.onnx": scaleModel(3) });
    const scaled = await pipeline(other, [
      "drift",
      "models/double.onnx",
      "three.onnx",
      "--dataset",
      "x.jsonl",
      "--limit",
      "y.maxRelative=0.4",
      "--limit",
      "cosine=0.9999",
    ]);
    expect(scaled.code).toBe(1);
    expect(scaled.out.split("\n").slice(-2)).toEqual([
      "  model.y: the largest relative error is 0.5; the limit is at most 0.4",
      "",
    ]);
    const after = smallProject({
      "pipeline.ts": pipelineSource.replace("sum: y.sum(-1, { keepDims: true })", "sum: y"),
      "x.jsonl": numbers,
    });
    const shaped = await pipeline(after, ["drift", other.root, "--dataset", "x.jsonl"]);
    expect(shaped.code).toBe(1);
    expect(shaped.out).toContain("total.sum: shape [3, 4], not [3, 1] (3 rows)");
  });

  test("JSON outputs are compared by structure; a row names the property that differs", async () => {
    const source = (
      score: string,
      label: string,
    ): string => `import { bytes, defineEnsemble, json, step } from "tritype";
const judge = step({
  name: "judge",
  inputs: { text: bytes("batch", 1) },
  outputs: { verdict: json<{ label: string; scores: { length: number } }>() },
  run: ({ text }) => ({ verdict: { label: ${label}, scores: { length: text.length * ${score} } } }),
});
export const judged = defineEnsemble({
  name: "judged",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => judge({ text }),
  warmup: [{ name: "texts", inputs: { text: [["a"], ["bb"], ["cc"]] } }],
});
`;
    const before = makeProject({ "pipeline.ts": source("0.3", '"good"') });
    const after = makeProject({
      "pipeline.ts": source("0.300003", 'text === "cc" ? "bad" : "good"'),
    });
    onTestFinished(before.remove);
    onTestFinished(after.remove);
    const limited = ["--limit", "verdict.maxRelative=0.0001", "--limit", "verdict.exactExceptNumbers=1"];
    const { code, out } = await pipeline(after, ["drift", before.root, ".", ...limited]);
    expect([code, out.split("\n").slice(4)]).toEqual([
      1,
      [
        "    equal     0 of 3 rows, 0 of 3 elements",
        "    JSON      2 of 3 elements are equal except for fractional numbers",
        expect.stringMatching(/^ {4}absolute {2}max 6\.0e-6 {2}mean 5\.0e-6 /),
        expect.stringMatching(/^ {4}relative {2}max 1\.0e-5 /),
        expect.stringMatching(/^ {4}batch {5}3 rows alone vs\. together: reference 0, candidate 0;/),
        '    worst     texts, row 3  distance 1  element 0, label: "bad", not "good"  text: "cc"',
        '              texts, row 1  distance 1.0e-5  element 0, scores.length: 0.300003, not 0.3  text: "a"',
        '              texts, row 2  distance 1.0e-5  element 0, scores.length: 0.600006, not 0.6  text: "bb"',
        "",
        "the drift is too large: 1 failure",
        "  judged.verdict: the share of elements that are equal except for fractional numbers in JSON is 0.666667; the limit is at least 1",
        "",
      ],
    ]);
  });

  test("a built folder is compared with the project; --batch-size batches requests of the same shape", async () => {
    const small = smallProject({ "x.jsonl": numbers });
    expect((await pipeline(small, ["build"])).code).toBe(0);
    small.write("models/double.onnx", scaleModel(2));
    const { code, out } = await pipeline(small, [
      "drift",
      "build",
      "--dataset",
      "x.jsonl",
      "--batch-size",
      "2",
    ]);
    expect(code).toBe(0);
    expect(out).toContain("the project against build, on x.jsonl");
    expect(out).toContain("total: 3 rows in 2 requests");
    expect(out).toContain("equal     3 of 3 rows");
  });

  /** Builds the project, and moves the build to another folder. */
  const moveBuild = async (made: ProjectFixture, folder: string): Promise<void> => {
    const { code, err } = await pipeline(made, ["build"]);
    expect([code, err]).toEqual([0, err]);
    renameSync(made.path("build"), folder);
  };
  const warmed = (samples: string): string =>
    pipelineSource.replace("maxBatchSize: 8,", `maxBatchSize: 8,\n  warmup: ${samples},`);
  const samples =
    '[{ name: "four", inputs: { x: [[1, 2, 3, 4]] } }, { inputs: { x: [[5, 6, 7, 8], [0, 0, 0, 0]] } }]';

  test("two built folders are compared with the samples in their warmup, without the project", async () => {
    const made = smallProject({ "pipeline.ts": warmed(samples) });
    const elsewhere = makeProject({});
    onTestFinished(elsewhere.remove);
    await moveBuild(made, elsewhere.path("before"));
    made.write("models/double.onnx", scaleModel(3));
    await moveBuild(made, elsewhere.path("after"));
    const { code, out, err } = await pipeline(elsewhere, ["drift", "before", "after"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("after against before, on the samples in the warmup of the build\n");
    expect(out).toContain("total: 2 rows in 1 request\n");
    expect(out).toContain("worst     four  distance 0.5  element 0: 30, not 20  x: [1, 2, 3, 4]\n");
  });

  test("the samples of a build have every dtype, and pass through nested ensembles", async () => {
    const mix = '[{ name: "one", inputs: { x: [[1, 2, 3, 4]], flag: [[true]], n: [[5, 2n ** 60n]] } }]';
    const source = mixedSource
      .replace(
        "inputs: { text: bytes",
        'warmup: [{ name: "words", inputs: { text: ["a ä"] } }],\n  inputs: { text: bytes',
      )
      .replace(
        'inputs: { x: fp32("batch", 4), flag',
        `warmup: ${mix},\n  inputs: { x: fp32("batch", 4), flag`,
      )
      .concat(`
export const outer = defineEnsemble({
  name: "outer",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => total({ x }),
  warmup: [{ name: "inner", inputs: { x: [[4, 3, 2, 1]] } }],
});
export const twice = defineEnsemble({
  name: "twice",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), z: fp32("batch", 4) },
  run: ({ x, z }) => ({ a: double({ x }).y, b: double({ x: z }).y }),
  warmup: [{ name: "ambiguous", inputs: { x: [[1, 2, 3, 4]], z: [[5, 6, 7, 8]] } }],
});
`);
    const made = smallProject({ "pipeline.ts": source });
    const elsewhere = makeProject({});
    onTestFinished(elsewhere.remove);
    await moveBuild(made, elsewhere.path("before"));
    const { code, out, err } = await pipeline(elsewhere, ["drift", "before", "before", "--json"]);
    expect([code, err]).toEqual([0, expect.stringContaining("there are no samples: `total`, `twice`;")]);
    const { models } = JSON.parse(out) as DriftReport;
    expect(models.map(({ name, rows }) => [name, rows])).toEqual([
      ["ids", 1],
      ["mix", 1],
      ["outer", 1],
    ]);
    expect(models.flatMap(({ tensors }) => tensors.map(({ rows, equalRows }) => [rows, equalRows]))).toEqual(
      Array.from({ length: 4 }, () => [1, 1]),
    );
  });

  test("two built folders without samples are compared with those of the project", async () => {
    const source = `import { flow, fp32, onnx } from "tritype";
const vector = fp32("batch", 4);
const double = onnx({ name: "double", file: "models/double.onnx", inputs: { x: vector }, outputs: { y: vector } });
export const walk = flow({
  name: "walk",
  maxBatchSize: 8,
  inputs: { x: vector },
  outputs: { y: vector },
  uses: { double },
  run: ({ x }, { double }) => double({ x }),
  warmup: [{ name: "numbers", inputs: { x: [[1, 2, 3, 4], [5, 6, 7, 8]] } }],
});
`;
    const made = smallProject({ "pipeline.ts": source });
    await moveBuild(made, made.path("before"));
    await moveBuild(made, made.path("after"));
    const inside = await pipeline(made, ["drift", "before", "after"]);
    expect([inside.code, inside.err]).toEqual([0, ""]);
    expect(inside.out).toContain("after against before, on the samples of the definition\n");
    expect(inside.out).toContain("walk: 2 rows in 1 request\n");

    made.write("pipeline.ts", "export const nothing = 1;\n");
    const broken = await pipeline(made, ["drift", "before", "after"]);
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining("drift/no-requests")]);
    expect(broken.err).toContain("the samples of the project cannot be used: ");
  });

  test("the local runtime is compared with a real Triton", async () => {
    const embed = poolingProject(masked);
    expect((await pipeline(embed, ["build"])).code).toBe(0);
    const installation = await installTriton({ cache: cacheFolder(), notice: () => {} });
    const server = await serveTriton(installation, { repository: embed.path("build/model_repository") });
    onTestFinished(() => server.stop());
    await server.waitReady();
    const args = ["drift", "build", server.httpUrl, "--dataset", "texts.jsonl", "--json"];
    const ended = await pipeline(embed, [...args, "--limit", "embedding.maxAbsolute=1e-6"]);
    expect({ code: ended.code, err: ended.err }).toEqual({ code: 0, err: expect.any(String) });
    expect(reportOf(ended).candidate).toBe(server.httpUrl);
    expect(embeddingOf(reportOf(ended))).toMatchObject({ rows: 24, top1: { positions: 24, agreed: 24 } });
  }, 300_000);
});

describe("models that cannot be compared are reported", () => {
  test.each<[string, readonly string[], number, string]>([
    ["no variant there", ["gone"], 2, ": gone does not exist"],
    ["no ONNX file", ["pipeline.ts", "models/double.onnx"], 2, "pipeline.ts is not a variant: "],
    [
      "no server there",
      ["models/double.onnx", "http://127.0.0.1:PORT"],
      2,
      "no server answers at http://127.0.0.1:PORT",
    ],
    [
      "a model that does not load",
      ["--replace", "double=other.onnx"],
      1,
      "the project with other.onnx in double: `double` cannot be served",
    ],
    ["no such model to replace", ["--replace", "dubble=other.onnx"], 2, "there is no ONNX model `dubble`"],
    ["a misspelt model to replace", ["--replace", "dubble=other.onnx"], 2, "did you mean `double`?"],
    ["no such file to replace", ["--replace", "double=gone.onnx"], 2, "--replace double: the file gone.onnx"],
    [
      "two files for one model",
      ["--replace", "double=other.onnx", "--replace", "double=models/double.onnx"],
      2,
      "--replace names two files for `double`",
    ],
    [
      "ensembles that are named like variants",
      ["total", "other", "--replace", "double=other.onnx"],
      2,
      "help: remove one of them; ensembles are named with --model",
    ],
    ["no such step to make", ["--make", "int8", "--step", "dubble"], 2, "did you mean `double`?"],
    ["no such kind", ["--make", "int4"], 2, "--make is int4"],
    ["an ensemble to make", ["total", "--make", "int8"], 2, "name a file; an ensemble is named with --model"],
    [
      "no such ensemble",
      ["models/double.onnx", "models/double.onnx", "--model", "modl"],
      2,
      "did you mean `model`?",
    ],
    [
      "a dataset with a wrong row",
      ["models/double.onnx", "models/double.onnx", "--dataset", "wrong.jsonl"],
      1,
      "wrong.jsonl:2: `model` has no input `y`",
    ],
    [
      "limits of an unknown output",
      ["models/double.onnx", "models/double.onnx", "--dataset", "x.jsonl", "--limit", "z.cosine=1"],
      2,
      "there is no output `z` to limit",
    ],
    [
      "limits of an unknown output, before anything is compared",
      ["models/double.onnx", "models/double.onnx", "--dataset", "wrong.jsonl", "--limit", "z.cosine=1"],
      2,
      "there is no output `z` to limit",
    ],
    [
      "no requests at all",
      ["models/double.onnx", "models/double.onnx"],
      2,
      "there are no requests to compare `model` with",
    ],
    ["other ensembles", ["OTHER"], 2, "have no ensemble in common: OTHER has `sum`, the project has `total`"],
    [
      "other inputs",
      ["models/double.onnx", "other.onnx", "--dataset", "x.jsonl"],
      1,
      "`model` takes x FP32[-1, 4] in models/double.onnx, but x FP32[-1, 3] in other.onnx",
    ],
    ["nothing to compare", [], 2, "`pipeline drift` needs two variants to compare"],
  ])("%s", async (_, args, exit, message) => {
    const small = smallProject({
      "other.onnx": doubleModel(3),
      "x.jsonl": '{ "x": [1, 2, 3, 4] }',
      "wrong.jsonl": '{ "x": [1, 2, 3, 4] }\n{ "y": 1 }',
    });
    const other = smallProject({ "pipeline.ts": pipelineSource.replaceAll("total", "sum") });
    const port = await freePort();
    const fill = (text: string): string => text.replace("OTHER", other.root).replace("PORT", String(port));
    const { code, out, err } = await pipeline(small, ["drift", ...args.map(fill)]);
    expect({ code, out, err }).toMatchObject({ code: exit, out: "" });
    expect(err).toContain(fill(message));
  });
});

test("a cache that cannot be written is reported", async () => {
  const made = smallProject({ cache: "a file" });
  const { code, err } = await pipeline(made, ["drift", "--make", "int8"], {
    env: { TRITYPE_CACHE: made.path("cache") },
  });
  expect([code, err]).toEqual([2, expect.stringContaining("error[file/not-writable]: cannot write to ")]);
  expect(err).toContain("= help: set TRITYPE_CACHE to a writable folder\n");
});

test("a folder that cannot be created is reported before anything is measured", async () => {
  const made = poolingProject(masked);
  made.write("out", "a file");
  const { code, err } = await pipeline(made, ["drift", "none", "-o", "out"]);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/cannot write to \S+out: it is a file, not a folder/),
  ]);
});

test("the page shows plots and the worst rows, needs no script, and shows all of its texts", async () => {
  const before = poolingProject(masked);
  const after = poolingProject(unmasked);
  const args = [
    "drift",
    before.root,
    "--dataset",
    "texts.jsonl",
    "--limit",
    "embedding.cosine=0.999",
    "-o",
    "out",
  ];
  expect((await pipeline(after, args)).code).toBe(1);
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  await page.goto(`file://${after.path("out/drift.html")}`);
  expect(await page.locator("h2").allTextContents()).toEqual(["embed: embedding", "How to read this"]);
  expect(await page.locator("svg").count()).toBe(3);
  expect(await page.locator(".notice.bad").first().textContent()).toContain(
    "The drift is too large: 1 failure.",
  );
  expect(await page.locator("table").last().textContent()).toMatch(/texts\.jsonl:\d+/);
  const bars = await page
    .locator("svg")
    .first()
    .locator("path[aria-roledescription='rect mark'], .mark-rect path")
    .count();
  expect(bars).toBeGreaterThan(3);
  expect(problems).toEqual([]);
});
