import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { type HttpServer, serveHttp, serveMetrics } from "@tritype/server";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  installJudge,
  installTime,
  killTriton,
  type TemporaryFolder,
  temporaryFolder,
} from "../triton/judge.ts";
import {
  type ConformanceModel,
  readConformanceModels,
  writeConformanceModels,
} from "./conformance-models.ts";
import { allAsleep } from "./all-asleep.ts";
import { customMetrics, takeCounts, takeTranscript } from "./transcript.ts";

/**
 * The answers of the local runtime that deliberately differ, with the reasons. An entry that no longer differs fails.
 */
const differences: Readonly<Record<string, string>> = {
  "auto_complete_unfinished transcript":
    "Triton drops a completion that it cannot read and serves the model without inputs; here the reason is told",
  "auto_complete_unfinished counts": "the model is not served",
  "sender transcript":
    "Triton's HTTP answer holds the response and then the error that came after it; here it holds only the error",
};

const folder = fileURLToPath(new URL("models", import.meta.url));
const models = await readConformanceModels(folder);
let temporary: TemporaryFolder;
let triton: TritonServer;
let local: Runtime;
let http: HttpServer;
let metrics: HttpServer;
beforeAll(async () => {
  temporary = await temporaryFolder();
  const repository = join(temporary.path, "model_repository");
  await writeConformanceModels(folder, repository);
  const installation = await installJudge();
  [triton, local] = await Promise.all([
    serveTriton(installation, { repository, strict: false, startTimeout: 240_000 }),
    startRuntime({
      repository,
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand: installation.python,
    }),
  ]);
  http = await serveHttp(local, { port: 0 });
  metrics = await serveMetrics(local, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), metrics?.close(), triton && killTriton(triton)]);
  await local?.close();
  await temporary.remove();
});

test("there are at least forty models, all with their own Python except ensembles", () => {
  expect(models.filter(({ python }) => python).length).toBeGreaterThanOrEqual(40);
});

test.each(models)("$name answers as in Triton", async (model) => {
  // An instance of Triton is free some time after its answer has arrived, and only then may it have its turn.
  const settled = model.name === "instances_in_turn" ? () => allAsleep(triton.pid ?? 0) : undefined;
  const take = (url: string) => takeTranscript(url, model, url === triton.httpUrl ? settled : undefined);
  await expectSame(model, "transcript", take);
});

describe("after all requests", () => {
  test.each(models)("$name has Triton's statistics", async (model) => {
    await expectSame(model, "counts", takeCounts);
  });

  test("the models' own metrics are shown as in Triton", async () => {
    expect(await customMetrics(`${metrics.url}/metrics`)).toEqual(await customMetrics(triton.metricsUrl));
  });
});

test("every listed difference belongs to a model", () => {
  const names = models.map(({ name }) => name);
  expect(Object.keys(differences).filter((key) => !names.includes(key.split(" ")[0] ?? ""))).toEqual([]);
});

const expectSame = async (
  model: ConformanceModel,
  what: string,
  take: (url: string, model: ConformanceModel) => Promise<unknown>,
): Promise<void> => {
  const [wanted, got] = await Promise.all([take(triton.httpUrl, model), take(http.url, model)]);
  if (`${model.name} ${what}` in differences) expect(got).not.toEqual(wanted);
  else expect(got).toEqual(wanted);
};
