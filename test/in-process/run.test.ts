import { existsSync } from "node:fs";
import { compileProject, findProject } from "@tritype/project";
import { renderDiagnostic } from "@tritype/project/diagnostics";
import { httpClient } from "@tritype/client";
import { valuesOf } from "@tritype/core";
import { DiagnosticsError } from "@tritype/in-process";
import pc from "picocolors";
import { bytes, defineEnsemble, fp32, type InferInputs, type InferOutputs, tokenizer } from "tritype";
import { PipelineError, startRuntime } from "tritype/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { embed } from "../../examples/sentence-embedding/pipeline.ts";
import { mixedSource, pipelineSource, tokenizerSource } from "../cli/small-project.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { doubleModel } from "../fixtures/models.ts";
import { importProject } from "./project-modules.ts";

const model = { "models/double.onnx": doubleModel() };
const sentences = ["A cat sleeps on the couch.", "", "Über den Wolken: 東京の夜は静かです。"];

/** The reason of a rejected promise. */
const refusal = async (promise: Promise<unknown>): Promise<PipelineError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!PipelineError.is(error)) throw new Error("it was not refused", { cause: error });
  return error;
};

describe("run of an ensemble", () => {
  test("run returns typed arrays with their shape", async () => {
    const { embedding }: InferOutputs<typeof embed> = await embed.run({ text: sentences });
    expect(embedding).toMatchObject({ dtype: "FP32", shape: [3, 128] });
    expect(embedding.data).toBeInstanceOf(Float32Array);
    const [first = []]: readonly (readonly number[])[] = embedding.toArray();
    expect(first.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(1, 5);
    expect(first).toEqual(Array.from(embedding.data.slice(0, 128)));
  });

  test("a tensor with only the batch dim is a list of elements, as its type declares", async () => {
    const best = defineEnsemble({
      name: "best",
      maxBatchSize: 8,
      inputs: { scores: fp32("batch", 3), weight: fp32("batch") },
      run: ({ scores, weight }) => ({ top: scores.max(-1).mul(weight) }),
    });
    const { top } = await best.run({
      scores: [
        [1, 2, 3],
        [4, 9, 6],
      ],
      weight: [1, 2],
    });
    const values: readonly number[] = top.toArray();
    expect(values).toEqual([3, 18]);
    expect(top.shape).toEqual([2, 1]);
  });

  test("run gives the same answers as over HTTP, bit for bit", async () => {
    await using runtime = await startRuntime({ ensembles: [embed], http: true });
    const client = httpClient(runtime.url ?? "");
    onTestFinished(() => client.close());
    const text = { dtype: "BYTES" as const, shape: [3, 1], data: sentences.map((s) => Buffer.from(s)) };
    const overHttp = (await client.infer({ model: "embed", inputs: new Map([["text", text]]) })).get(
      "embedding",
    );
    const { embedding } = await embed.run({ text: sentences });
    const { embedding: again } = await runtime.run(embed, { text: sentences });
    expect([...embedding.data]).toEqual(overHttp && valuesOf(overHttp));
    expect(again.data).toEqual(embedding.data);
  });

  test("many parallel calls of two ensembles each get their own answer", async () => {
    const { exported } = await importProject({ ...model, "pipeline.ts": mixedSource });
    const { total, ids } = exported;
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const sum = await total?.run({ x: [[i, 0, 0, 1]] });
        const tokens = await ids?.run({ text: ["word ".repeat(i + 1)] });
        return [sum?.["sum"]?.toArray(), tokens?.["input_ids"]?.shape];
      }),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, (_, i) => [[2 * i + 2], [1, Math.min(i + 3, 16)]]));
  });

  test("each dtype has its own kind of array", async () => {
    const { exported } = await importProject({ ...model, "pipeline.ts": mixedSource });
    const answer = await exported["mix"]?.run({
      x: { data: Float32Array.of(1, 2, 3, 4), shape: [1, 4] },
      flag: [true],
      n: [[1n, 2 ** 40]],
    });
    expect(answer?.["y"]?.data).toEqual(Float32Array.of(1, 2, 3, 4));
    expect(answer?.["m"]?.data).toEqual(BigInt64Array.of(2n, 2n ** 40n + 1n));
  });

  test("a step runs alone", async () => {
    const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 16 });
    const { project } = await importProject({ "pipeline.ts": "", "pipeline.config.ts": "export default {}" });
    const cwd = process.cwd();
    process.chdir(project.root);
    onTestFinished(() => process.chdir(cwd));
    const { input_ids, attention_mask } = await tokenize.run({ text: ["hello", "hello there world"] });
    expect(input_ids.toArray()).toEqual([
      [101n, 7592n, 102n, 0n, 0n],
      [101n, 7592n, 2045n, 2088n, 102n],
    ]);
    expect(attention_mask.shape).toEqual([2, 5]);
  });
});

describe("a request that does not match the ensemble's inputs is refused", () => {
  const refused = (inputs: unknown): Promise<PipelineError> =>
    refusal(embed.run(inputs as InferInputs<typeof embed>));

  test.each<[unknown, string, string]>([
    [{ text: [1] }, "input `text` of `embed`, BYTES[batch, 1]: 1 is not a valid BYTES", 'pass text: "…"'],
    [
      { text: "a" },
      "input `text` of `embed`, BYTES[batch, 1]: got BYTES[]",
      "pass lists of shape [batch], without dims of size 1",
    ],
    [
      { text: [["a", "b"]] },
      "input `text` of `embed`, BYTES[batch, 1]: got BYTES[1, 2]",
      "pass lists of shape",
    ],
    [{ text: [] }, "input `text` of `embed`, BYTES[batch, 1]: got no rows", "pass at least one row"],
    [
      { text: new Float32Array(2) },
      "input `text` of `embed`, BYTES[batch, 1]: 0 is not a valid BYTES",
      'pass text: "…"',
    ],
    [
      { text: Array(65).fill("a") },
      "inference request batch-size must be <= 64 for 'embed'",
      "`embed` takes `text` BYTES[batch, 1]",
    ],
    [{}, "`embed` needs the input `text`, BYTES[batch, 1]", "pass it: { text: … }"],
    [{ txt: ["a"] }, "`embed` has no input `txt`", "did you mean `text`?"],
    [undefined, "`embed` takes an object of inputs", "pass { text: … }"],
    [["a"], "`embed` takes an object of inputs", "pass { text: … }"],
  ])("%j", async (inputs, message, help) => {
    const error = await refused(inputs);
    expect(error.code).toBe("request/invalid");
    expect(error.message).toContain(`${message}\n  = help: `);
    expect(error.message).toContain(help);
    expect(error.help).toContain(help);
  });

  test.each<[object, string, string]>([
    [{ ports: 1 }, "startRuntime has no option `ports`", "did you mean `http: { port: … }`?"],
    [{ devise: "cpu" }, "startRuntime has no option `devise`", "did you mean `device`?"],
    [{ gpu: true }, "startRuntime has no option `gpu`", "the options are ensembles, repository, device"],
    [{ http: { prot: 1 } }, "`http` of startRuntime has no option `prot`", "did you mean `port`?"],
  ])("an unknown option is refused: %j", async (options, message, help) => {
    const error = await refusal(startRuntime({ ensembles: [embed], ...options }));
    expect(error.code).toBe("usage/invalid");
    expect(error.message).toContain(message);
    expect(error.help).toContain(help);
  });

  test("the stack of the error contains the call", async () => {
    const { stack = "" } = await refused({ text: [1] });
    expect(stack.split("\n").find((line) => line.startsWith("    at "))).toContain("run.test.ts");
  });

  test("a symbolic tensor is refused where it is passed", () => {
    const misuse = (): unknown =>
      defineEnsemble({
        name: "outer",
        maxBatchSize: 8,
        inputs: { text: bytes("batch", 1) },
        run: ({ text }) => embed.run({ text } as never) as never,
      });
    expect(misuse).toThrow("`embed.run` needs values, but got a tensor, which has none");
  });
});

describe("a pipeline that does not compile", () => {
  const broken = pipelineSource
    .replace("y.sum(-1, { keepDims: true })", "y.matmul(x)")
    .replace("models/double", "models/dubble");

  test("the error of a pipeline that does not compile contains the diagnostics of `pipeline build`, with the same frames", async () => {
    const { project, exported } = await importProject({ ...model, "pipeline.ts": broken });
    const error = await refusal(exported["total"]?.run({ x: [[1, 2, 3, 4]] }) ?? Promise.resolve());
    expect(error).toBeInstanceOf(DiagnosticsError);
    const { compilation } = await compileProject(findProject(project.root));
    const { diagnostics } = error as DiagnosticsError;
    expect(diagnostics.length).toBeGreaterThan(1);
    expect(diagnostics).toEqual(compilation.diagnostics);
    const frames = compilation.diagnostics.map((diagnostic) =>
      renderDiagnostic(
        diagnostic,
        (file) => (file === "pipeline.ts" ? broken : undefined),
        pc.createColors(false),
      ),
    );
    expect(error.message).toBe(["`total` does not compile", ...frames].join("\n\n"));
  });

  test("a pipeline runs as soon as its files exist", async () => {
    const { project, exported } = await importProject({ "pipeline.ts": pipelineSource });
    const { total } = exported;
    expect((await refusal(total?.run({ x: [[1, 2, 3, 4]] }) ?? Promise.resolve())).message).toContain(
      "`models/double.onnx` does not exist",
    );
    project.write("models/double.onnx", doubleModel());
    expect((await total?.run({ x: [[1, 2, 3, 4]] }))?.["sum"]?.toArray()).toEqual([20]);
  });

  test("mistakes in the configuration are shown", async () => {
    const { exported } = await importProject({
      ...model,
      "pipeline.ts": pipelineSource,
      "pipeline.config.ts": 'export default { target: "1.0" };',
    });
    const error = await refusal(exported["total"]?.run({ x: [[1, 2, 3, 4]] }) ?? Promise.resolve());
    expect(error.message).toContain("the project cannot be loaded\n\nerror[project/invalid]: `target`");
  });

  test("settings that Triton refuses are shown at the property", async () => {
    const { exported } = await importProject({
      ...model,
      "pipeline.ts": pipelineSource.replace(
        'file: "models/double.onnx",',
        'file: "models/double.onnx", parameters: { enable_mem_arena: "maybe" },',
      ),
    });
    const error = await refusal(exported["total"]?.run({ x: [[1, 2, 3, 4]] }) ?? Promise.resolve());
    expect(error.message).toContain("Triton would not load `total`\n\nerror[");
    expect(error.message).toMatch(/┌─ pipeline\.ts:\d+:45\n/);
  });
});

describe("startRuntime", () => {
  test("startRuntime serves ensembles and their members together", async () => {
    const { exported } = await importProject({ ...model, "pipeline.ts": mixedSource });
    const { total, ids } = exported;
    if (total === undefined || ids === undefined) throw new Error("nothing is exported");
    const runtime = await startRuntime({ ensembles: [total, ids] });
    expect(runtime.url).toBeUndefined();
    expect(runtime.models().map(({ name, state }) => `${name} ${state}`)).toEqual([
      "double READY",
      "ids READY",
      "tokenize READY",
      "total READY",
      "total_sum READY",
    ]);
    expect((await runtime.run(total, { x: [[1, 2, 3, 4]] }))["sum"]?.toArray()).toEqual([20]);
    expect((await runtime.run("double", { x: [[1, 2, 3, 4]] }))["y"]?.toArray()).toEqual([[2, 4, 6, 8]]);
    expect((await refusal(runtime.run(embed, { text: ["a"] }))).message).toContain(
      "this runtime does not serve `embed`",
    );
    expect((await refusal(runtime.run("totl", {}))).help).toBe("did you mean `total`?");
    await runtime.close();
    await runtime.close();
    expect(await refusal(runtime.run(total, { x: [[1, 2, 3, 4]] }))).toMatchObject({
      code: "model/unavailable",
      help: "start another one, or close it after the last request",
    });
  });

  test("startRuntime runs the emitted Python on request, with the same answers", async () => {
    process.env["TRITYPE_PYTHON"] = await pythonWithNumpy();
    const { exported } = await importProject({ "pipeline.ts": tokenizerSource });
    const { ids } = exported;
    if (ids === undefined) throw new Error("nothing is exported");
    await using python = await startRuntime({ ensembles: [ids], python: "always" });
    const inputs = { text: sentences };
    expect((await python.run(ids, inputs))["input_ids"]?.data).toEqual(
      (await ids.run(inputs))["input_ids"]?.data,
    );
  });

  test("a model that cannot be loaded is reported, with a solution", async () => {
    const { exported } = await importProject({ "pipeline.ts": tokenizerSource });
    const { ids } = exported;
    const python = process.env["TRITYPE_PYTHON"];
    process.env["TRITYPE_PYTHON"] = "no-such-python";
    onTestFinished(() => {
      if (python === undefined) delete process.env["TRITYPE_PYTHON"];
      else process.env["TRITYPE_PYTHON"] = python;
    });
    const error = await refusal(
      startRuntime({ ensembles: ids === undefined ? [] : [ids], python: "always" }),
    );
    expect(error.code).toBe("model/unavailable");
    expect(error.message).toContain("`tokenize` cannot be served: No Python 3.8 or newer was found");
    expect(error.message).toContain("\n  = help: ");
  });

  test("startRuntime serves a repository, by types and by names; failed models report the reason when called", async () => {
    const { exported, project } = await importProject({ ...model, "pipeline.ts": pipelineSource });
    const { total } = exported;
    if (total === undefined) throw new Error("nothing is exported");
    project.write(
      "repository/double/config.pbtxt",
      'backend: "onnxruntime" max_batch_size: 8 input { name: "x" data_type: TYPE_FP32 dims: 4 } output { name: "y" data_type: TYPE_FP32 dims: 4 }',
    );
    project.write("repository/double/1/model.onnx", doubleModel());
    project.write("repository/bad/config.pbtxt", 'backend: "onnxruntime"');
    project.write("repository/bad/1/model.onnx", "no model");
    await using runtime = await startRuntime({ repository: project.path("repository") });
    const { y } = await runtime.run("double", { x: [[1, 2, 3, 4]] });
    expect(y?.data).toEqual(Float32Array.of(2, 4, 6, 8));
    expect((await refusal(runtime.run("double", { x: [["a"]] }))).message).toContain(
      'input `x` of `double`, FP32[batch, 4]: "a" is not a valid FP32',
    );
    expect((await refusal(runtime.run("bad", {}))).message).toContain("`bad` cannot be served: ");
    expect((await refusal(runtime.run(total, { x: [[1, 2, 3, 4]] }))).code).toBe("model/not-found");
    await runtime.close();
    expect(existsSync(project.path("repository/double/config.pbtxt"))).toBe(true);
  });

  test.each<[unknown, string]>([
    [{}, "startRuntime takes either `ensembles` or a `repository`"],
    [{ ensembles: [embed], repository: "." }, "startRuntime takes either `ensembles` or a `repository`"],
    [{ ensembles: [] }, "`ensembles` is empty"],
    [{ ensembles: [() => 1] }, "only the results of defineEnsemble() and of step constructors can run"],
    [{ repository: "no-such-folder" }, "no-such-folder"],
  ])("%j is refused", async (options, message) => {
    expect((await refusal(startRuntime(options as never))).message).toContain(message);
  });
});
