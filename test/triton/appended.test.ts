import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { httpClient } from "@tritype/client";
import { tensorOf, valuesOf } from "@tritype/core";
import { serveTriton } from "@tritype/tritonserver";
import { expect, onTestFinished, test } from "vitest";
import { scaleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installJudge, installTime, killTriton } from "./judge.ts";

const source = (added: number, count = 1): string => `import { defineEnsemble, fp32, onnx } from "tritype";

const scale = onnx({
  name: "scale",
  file: "models/scale.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  instanceGroup: [{ kind: "cpu", count: ${count} }],
  fuse: false,
});

export const scaled = defineEnsemble({
  name: "scaled",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ z: scale({ x }).y.add(${added}) }),
});
`;

const build = async (project: ProjectFixture): Promise<void> => {
  const { settings, compilation, append } = await compileProject(findProject(project.root));
  expect(compilation.diagnostics).toEqual([]);
  if (compilation.build === undefined) throw new Error("no build");
  writeBuild(settings.output, compilation.build.tree, append);
};

/** The changed part of each build, and the ensemble's answer for 1 after it. */
const builds: readonly (readonly [
  what: string,
  factor: number,
  added: number,
  count: number,
  answer: number,
])[] = [
  ["the model", 3, 0, 1, 3],
  ["the model again", 4, 0, 1, 4],
  ["the tensor math", 4, 10, 1, 14],
  ["both", 5, 20, 1, 25],
  ["both, and the configuration", 6, 30, 2, 36],
  ["the model, back to what it was", 2, 30, 2, 32],
];

test(
  "under a polling server, no request fails while builds append versions",
  async () => {
    const project = makeProject({
      "pipeline.ts": source(0),
      "pipeline.config.ts":
        'import { defineConfig } from "tritype";\nexport default defineConfig({ versions: "append" });\n',
      "models/scale.onnx": scaleModel(2),
    });
    onTestFinished(project.remove);
    await build(project);
    const server = await serveTriton(await installJudge(), {
      repository: project.path("build/model_repository"),
      extraArguments: ["--model-control-mode=poll", "--repository-poll-secs=1"],
    });
    onTestFinished(() => killTriton(server));
    await server.waitReady();

    const inputs = new Map([["x", tensorOf("FP32", [1, 4], [1, 1, 1, 1])]]);
    const failures: string[] = [];
    let requests = 0;
    const seen = { answer: 2 };
    const done = new AbortController();
    const ask = async (model: string, output: string): Promise<void> => {
      const client = httpClient(server.httpUrl, { timeoutMs: 20_000 });
      while (!done.signal.aborted) {
        requests++;
        try {
          const tensor = (await client.infer({ model, inputs })).get(output);
          if (tensor !== undefined && model === "scaled") seen.answer = Number(valuesOf(tensor)[0]);
        } catch (error) {
          failures.push(String(error));
        }
        await sleep(5);
      }
      await client.close();
    };
    const asking = [ask("scaled", "z"), ask("scaled", "z"), ask("scale", "y")];
    try {
      for (const [what, factor, added, count, expected] of builds) {
        project.write("models/scale.onnx", scaleModel(factor));
        project.write("pipeline.ts", source(added, count));
        await build(project);
        const deadline = Date.now() + 60_000;
        while (seen.answer !== expected && Date.now() < deadline) await sleep(50);
        expect(seen.answer, `${what}:\n${server.problems().join("\n")}`).toBe(expected);
      }
    } finally {
      done.abort();
      await Promise.all(asking);
    }
    expect({ failures: failures.length, first: failures[0] }).toEqual({ failures: 0, first: undefined });
    expect(server.problems()).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    console.info(`${requests} requests over ${builds.length} appended builds, ${failures.length} failed`);

    // The newest and the previous version are kept.
    const versions = (model: string): readonly string[] =>
      readdirSync(project.path(`build/model_repository/${model}`)).filter((name) => /^\d+$/.test(name));
    expect(versions("scale")).toEqual(["5", "6"]);
    expect(versions("scaled_z")).toEqual(["3", "4"]);
    expect(readFileSync(project.path("build/model_repository/scale/6/model.onnx"))).toEqual(
      Buffer.from(scaleModel(2)),
    );
  },
  installTime,
);
