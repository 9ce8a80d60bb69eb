import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { httpClient, type InferenceClient } from "@tritype/client";
import { PipelineError, valuesOf } from "@tritype/core";
import { writeBuild } from "@tritype/project";
import type { Runtime } from "@tritype/runtime";
import { bytes, flow } from "tritype";
import { type Client, createClient, type HttpOptions } from "tritype/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { type GuideCase, guideCases, guideProject, servePrices } from "../function/flow-guide.ts";
import { installTime, type Judged, judgeRepository } from "./judge.ts";

let project: ProjectFixture;
let judged: Judged;
let stopPrices: () => void;

beforeAll(async () => {
  stopPrices = await servePrices();
  project = makeProject(guideProject());
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  judged = await judgeRepository(join(project.path("build"), "model_repository"));
}, installTime);
afterAll(async () => {
  await judged?.stop();
  stopPrices();
  project.remove();
});

/** A different flow with the same name. */
const differing = flow({
  name: "summarize",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  uses: {},
  run: (row) => Promise.resolve(row),
});

/** The values of an answer by output, or the error message. */
const answerOf = async (
  server: InferenceClient | Runtime,
  [model, inputs]: GuideCase,
): Promise<Readonly<Record<string, readonly unknown[]>> | string> => {
  try {
    const answer = await server.infer({ model, id: "", inputs: new Map(Object.entries(inputs)) });
    const outputs = "outputs" in answer ? answer.outputs : answer;
    return Object.fromEntries([...outputs].map(([name, tensor]) => [name, valuesOf(tensor)]));
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return error.message;
  }
};

test("Triton loads flows and their callees without a problem", () => {
  expect(judged.triton.problems()).toEqual([]);
});

test.each(guideCases)("%s of docs/flows.md agrees everywhere, case %#", async (...guideCase) => {
  const [, , expected] = guideCase;
  const client = httpClient(judged.triton.httpUrl);
  const [triton, local, python] = await Promise.all(
    [client, judged.local, await judged.python()].map((server) => answerOf(server, guideCase)),
  );
  await client.close();
  if (typeof expected === "string") expect(triton).toContain(expected);
  else expect(triton).toEqual(expected);
  expect({ local, python }).toEqual({ local: triton, python: triton });
});

test("the typed client of a build calls an exported flow, and refuses a server with another contract", async () => {
  const { summarizeClient } = (await import(
    pathToFileURL(project.path("build/client/summarize.js")).href
  )) as {
    readonly summarizeClient: (
      options: HttpOptions,
    ) => Client<{ text: string[] }, Record<"summary", { data: unknown }>>;
  };
  const { summary } = await summarizeClient({ url: judged.triton.httpUrl }).infer({
    text: ["Cats and dogs"],
  });
  expect(summary.data).toEqual(["Short: Cats and dog"]);
  const other = createClient<typeof differing>({ url: judged.triton.httpUrl, ensemble: differing });
  await expect(other.infer({ text: ["Cats and dogs"] })).rejects.toThrow(
    "output `text`: expected BYTES[batch, 1], not on the server",
  );
});

test("Triton's metrics count the calls of each variant", async () => {
  const metrics = await (await fetch(judged.triton.metricsUrl)).text();
  const counted = [...metrics.matchAll(/^nv_inference_request_success\{model="(rank_\w+)".*\} (\d+)$/gm)];
  expect(Object.fromEntries(counted.map(([, model, count]) => [model, Number(count)]))).toEqual({
    rank_current: 3,
    rank_candidate: 1,
  });
});

test("what a flow prints reaches Triton's log", () => {
  expect(judged.triton.log()).toContain("ask_both ask_both_0_0: Error: large is late");
});
