import { cpSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decodeModel, encodeModel } from "@tritype/onnx";
import { expect, onTestFinished, test } from "vitest";
import { pipeline } from "../../../test/cli/run-pipeline.ts";
import { makeProject, type ProjectFixture } from "../../../test/fixtures/project.ts";

const example = fileURLToPath(new URL("..", import.meta.url));

const copied = (): ProjectFixture => {
  const project = makeProject({});
  onTestFinished(project.remove);
  for (const path of ["pipeline.config.ts", "pipeline.ts", "retrieval.ts", "tensorrt.ts"])
    cpSync(`${example}${path}`, project.path(path));
  for (const path of ["models", "assets", "drift"])
    cpSync(`${example}${path}`, project.path(path), { recursive: true });
  return project;
};

/** The encoder exported again, with every number in its table rounded to a multiple of `step`, out of 127. */
const coarser = (model: Uint8Array, step: number): Uint8Array => {
  const { graph = {}, ...rest } = decodeModel(model);
  const largest = Math.max(...(graph.initializer ?? []).map(({ rawData }) => rawData?.length ?? 0));
  const cut = (bytes: Uint8Array): Uint8Array =>
    Uint8Array.from(bytes, (byte) => Math.trunc(((byte << 24) >> 24) / step) * step);
  return encodeModel({
    ...rest,
    producerName: "exported anew",
    graph: {
      ...graph,
      initializer: (graph.initializer ?? []).map((tensor) =>
        tensor.rawData?.length === largest ? { ...tensor, rawData: cut(tensor.rawData) } : tensor,
      ),
    },
  });
};

test("the build compares its encoder with the exported one and fails for a less precise one", async () => {
  const project = copied();
  const built = await pipeline(project, ["build"]);
  expect(built).toMatchObject({ code: 0 });
  const queries = readFileSync(`${example}drift/queries.txt`, "utf8").trimEnd().split("\n");
  const { drift } = JSON.parse(readFileSync(project.path("build/manifest.json"), "utf8")) as {
    readonly drift: unknown;
  };
  expect(drift).toMatchObject([
    {
      ensemble: "embed_query",
      reference: "assets/static/model.onnx in encoder",
      rows: queries.length,
      outputs: { embedding: { cosine: 1, exact: 1 } },
    },
  ]);
  const again = await pipeline(project, ["build"]);
  expect(again).toMatchObject({ code: 0, err: expect.not.stringContaining("embed_query: 24 rows") });

  const exported = readFileSync(project.path("assets/static/model.onnx"));
  const use = (step: number): Promise<Awaited<ReturnType<typeof pipeline>>> => {
    project.write("assets/smaller.onnx", coarser(exported, step));
    project.write(
      "models/static.ts",
      readFileSync(`${example}models/static.ts`, "utf8").replaceAll(
        "assets/static/model.onnx",
        "assets/smaller.onnx",
      ),
    );
    return pipeline(project, ["build"]);
  };
  expect(await use(1)).toMatchObject({ code: 0 });
  const before = readFileSync(project.path("build/manifest.json"), "utf8");
  const stopped = await use(8);
  expect(stopped.code).toBe(1);
  expect(stopped.err).toMatch(
    /embed_query\.embedding: the lowest cosine of a row is 0\.\d+; the limit is at least 0\.999/,
  );
  expect(stopped.err).toContain("nothing was written");
  expect(readFileSync(project.path("build/manifest.json"), "utf8")).toBe(before);
  expect(existsSync(project.path("build/model_repository/encoder"))).toBe(true);
}, 150_000);
