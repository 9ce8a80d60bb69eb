import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { grpcClient, httpClient, type InferenceClient } from "@tritype/client";
import { PipelineError, type TensorData, tensorOf } from "@tritype/core";
import { serveGrpc, serveHttp } from "@tritype/server";
import { type ModelConfig, parseModelConfig, printModelConfig } from "@tritype/triton";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { configText, ensembleFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installTime, type Judged, judgeFiles, killTriton, temporaryFolder } from "./judge.ts";

const goldenFolder = fileURLToPath(new URL("../golden", import.meta.url));
const limit = 1500;
/** Milliseconds after which a server counts as hanging rather than as busy. */
const patient = 20_000;
const ports = {
  inputs: [{ name: "X", dtype: "INT32", dims: [1] }],
  outputs: [{ name: "Y", dtype: "INT32", dims: [1] }],
} as const;

/** A model that returns `Y = X` after some seconds. With `fails`, it returns an error for X = 1. */
const stepFiles = (name: string, { fails = false, seconds = 0 } = {}): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python"\n${configText(name, ports)}`,
  [`${name}/1/model.py`]: `
import time
import triton_python_backend_utils as pb_utils


def answer(request):
    value = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
    ${seconds > 0 ? `time.sleep(${seconds})` : "pass"}
    if ${fails ? "value[0] == 1" : "False"}:
        return pb_utils.InferenceResponse([], pb_utils.TritonError("refused"))
    return pb_utils.InferenceResponse([pb_utils.Tensor("Y", value)])


class TritonPythonModel:
    def execute(self, requests):
        return [answer(request) for request in requests]
`,
});

/** An ensemble whose steps all read its input. */
const besideFiles = (name: string, ...models: readonly string[]): Files =>
  ensembleFiles(
    name,
    {
      inputs: ports.inputs,
      outputs: models.map((_, index) => ({ name: `Y${index}`, dtype: "INT32", dims: [1] })),
    },
    ...models.map((model, index) => `${model}: X=X Y=Y${index}`),
  );

const goods = Array.from({ length: 8 }, () => "good");
const files: Files = {
  ...stepFiles("good"),
  ...stepFiles("other"),
  ...stepFiles("slow", { seconds: 1.5 }),
  ...stepFiles("fails", { fails: true }),
  ...stepFiles("fails_later", { fails: true, seconds: 0.3 }),
  ...besideFiles("first_of_nine", "fails", ...goods),
  ...besideFiles("last_of_nine", ...goods, "fails"),
  ...besideFiles("later_than_eight", "fails_later", ...goods),
  ...besideFiles("before_slow", "fails_later", "slow"),
  ...ensembleFiles("chain", ports, "fails: X=X Y=mid", "good: X=mid Y=Y"),
};

let judged: Judged & { readonly repository: string };
beforeAll(async () => {
  judged = await judgeFiles(files);
}, installTime);
afterAll(() => judged?.stop(), 60_000);

/** "answered", "timed out", "no server", or the server's reason for a failure. */
const ask = (client: InferenceClient, model: string, value = 0): Promise<string> =>
  askFor(client, model, tensorOf("INT32", [1], [value]));

const askFor = async (client: InferenceClient, model: string, value: TensorData): Promise<string> => {
  try {
    await client.infer({ model, inputs: new Map([["X", value]]) });
    return "answered";
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    if (error.reason === "server/silent" || error.code === "model/unavailable") return "timed out";
    return error.code === "server/unreachable" ? "no server" : error.message;
  }
};

/** The distinct outcomes of several requests with a failing step. Stops once the server no longer answers. */
const askFailing = async (
  client: InferenceClient,
  model: string,
  attempts = 5,
): Promise<ReadonlySet<string>> => {
  const seen = new Set<string>();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await ask(client, model, 1);
    seen.add(answer);
    if (answer === "timed out" || answer === "no server") break;
  }
  return seen;
};

const connect = (open: typeof httpClient, address: string, timeoutMs = limit): InferenceClient => {
  const client = open(address, { timeoutMs });
  onTestFinished(() => client.close());
  return client;
};
const refused = (ensemble: string): ReadonlySet<string> => new Set([`in ensemble '${ensemble}', refused`]);

const mended = "This Triton has mended what docs/container.md tells of 24.10 in 'When a step fails'";

/** An emitted model of each kind from a golden build, and an input that it refuses. */
const emitted = {
  function: {
    build: "functions",
    model: "clean",
    wrong: tensorOf("BYTES", [1, 1], [" "]),
  },
  tokenizer: {
    build: "two-ensembles",
    model: "tokenize",
    wrong: tensorOf("BYTES", [1, 1], [new Uint8Array([0xff])]),
  },
  detokenizer: {
    build: "languages",
    model: "detokenize",
    wrong: tensorOf("INT64", [1, 1], [-1n]),
  },
} as const;
type Emitted = keyof typeof emitted;

const takesAnything = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        zero = pb_utils.Tensor("Y", np.zeros((1, 1), np.int32))
        return [pb_utils.InferenceResponse([zero]) for _ in requests]
`;

type Change = (python: string) => string;
const withoutHold: Change = (python) => python.replace("    @hold_errors\n", "");
const asEmitted: Change = (python) => python;

/** Serves copies of an emitted model, before and after eight others, on Triton. All of them read the ensemble's input. */
const serveEmitted = async (
  kind: Emitted,
  { before, after }: { readonly before: readonly Change[]; readonly after: readonly Change[] },
  ...extraArguments: readonly string[]
): Promise<TritonServer> => {
  const { build, model } = emitted[kind];
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const copied = async (name: string, change: Change): Promise<ModelConfig> => {
    const target = join(folder.path, name);
    await cp(join(goldenFolder, build, "expected/model_repository", model), target, { recursive: true });
    const path = join(target, "1/model.py");
    await writeFile(path, change(await readFile(path, "utf8")));
    const parsed = parseModelConfig(await readFile(join(target, "config.pbtxt"), "utf8"));
    const config = { ...("config" in parsed ? parsed.config : {}), name };
    await writeFile(join(target, "config.pbtxt"), printModelConfig(config));
    return config;
  };
  const copies = (changes: readonly Change[], when: string): Promise<readonly ModelConfig[]> =>
    Promise.all(changes.map((change, index) => copied(`${when}_${index}`, change)));
  const [first, last] = [await copies(before, "before"), await copies(after, "after")];
  const other: ModelConfig = {
    name: "beside",
    backend: "python",
    max_batch_size: 8,
    input: [...first, ...last][0]?.input?.slice(0, 1) ?? [],
    output: [{ name: "Y", data_type: "TYPE_INT32", dims: [1] }],
  };
  await mkdir(join(folder.path, "beside/1"), { recursive: true });
  await writeFile(join(folder.path, "beside/config.pbtxt"), printModelConfig(other));
  await writeFile(join(folder.path, "beside/1/model.py"), takesAnything);
  const members = [...first, ...Array.from({ length: 8 }, () => other), ...last];
  await mkdir(join(folder.path, "emitted/1"), { recursive: true });
  await writeFile(
    join(folder.path, "emitted/config.pbtxt"),
    printModelConfig({
      name: "emitted",
      platform: "ensemble",
      max_batch_size: 8,
      input: [{ ...members[0]?.input?.[0], name: "X" }],
      output: members.map(({ output = [] }, index) => ({ ...output[0], name: `Y${index}` })),
      ensemble_scheduling: {
        step: members.map(({ name = "", input = [], output = [] }, index) => ({
          model_name: name,
          model_version: -1,
          input_map: { [input[0]?.name ?? ""]: "X" },
          output_map: { [output[0]?.name ?? ""]: `Y${index}` },
        })),
      },
    }),
  );
  const triton = await serveTriton(judged.installation, { repository: folder.path, extraArguments });
  onTestFinished(() => killTriton(triton));
  await triton.waitReady();
  return triton;
};

const askEmitted = (client: InferenceClient, kind: Emitted): Promise<string> =>
  askFor(client, "emitted", emitted[kind].wrong);

const serveOwn = async (...extraArguments: readonly string[]): Promise<TritonServer> => {
  const { installation, repository } = judged;
  const triton = await serveTriton(installation, { repository, extraArguments });
  onTestFinished(() => killTriton(triton));
  await triton.waitReady();
  return triton;
};

const removeBeginning = async (folder: string, prefix: string): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  expect(names).not.toEqual([]);
  await Promise.all(names.map((name) => rm(join(folder, name))));
};

test.each(["last_of_nine", "later_than_eight", "chain"])(
  "%s fails its own request only",
  async (ensemble) => {
    const { grpcAddress, httpUrl } = judged.triton;
    for (const client of [connect(grpcClient, grpcAddress), connect(httpClient, httpUrl)]) {
      expect(await askFailing(client, ensemble)).toEqual(refused(ensemble));
      expect(await ask(client, ensemble)).toBe("answered");
    }
  },
  60_000,
);

test("in the local runtime, any step may fail at any time", async () => {
  for (const runtime of [judged.local, await judged.python()]) {
    const grpc = await serveGrpc(runtime, { port: 0 });
    onTestFinished(() => grpc.close());
    const http = await serveHttp(runtime, { port: 0 });
    onTestFinished(() => http.close());
    for (const client of [connect(grpcClient, grpc.address), connect(httpClient, http.url)]) {
      for (const ensemble of ["first_of_nine", "last_of_nine", "later_than_eight", "chain"]) {
        expect(await askFailing(client, ensemble)).toEqual(refused(ensemble));
        expect(await ask(client, ensemble)).toBe("answered");
      }
    }
  }
}, 60_000);

test("a step that fails while a parallel step runs prevents Triton from unloading the ensemble", async () => {
  const triton = await serveOwn("--model-control-mode=explicit", "--load-model=*");
  const client = connect(httpClient, triton.httpUrl, patient);
  for (const ensemble of ["chain", "before_slow"]) {
    expect(await askFailing(client, ensemble, 1)).toEqual(refused(ensemble));
    await fetch(`${triton.httpUrl}/v2/repository/models/${ensemble}/unload`, { method: "POST" });
  }
  const statesNow = async (): Promise<Readonly<Record<string, string>>> => {
    const index = await fetch(`${triton.httpUrl}/v2/repository/index`, { method: "POST" });
    const states = (await index.json()) as readonly Readonly<Record<"name" | "state", string>>[];
    return Object.fromEntries(states.map(({ name, state }) => [name, state]));
  };
  await expect.poll(statesNow, { timeout: 20_000 }).toMatchObject({ chain: "UNAVAILABLE" });
  await sleep(3000);
  expect(await statesNow(), mended).toMatchObject({ before_slow: "UNLOADING" });
}, 60_000);

// The outcome of Triton's race varies: `npm run failures:long` searches for it.
if (process.env["TRITYPE_FAILURES"] === "long") {
  const kinds = ["function", "tokenizer", "detokenizer"] as const;
  test.each([
    ...kinds.map((kind) => ({ kind, where: "after eight others", before: [], after: [withoutHold] })),
    ...kinds.map((kind) => ({
      kind,
      where: "before one of its own",
      before: [],
      after: [asEmitted, withoutHold],
    })),
  ] as const)(
    "an emitted $kind that refuses a request, $where, does no harm",
    async ({ kind, before, after }) => {
      const triton = await serveEmitted(kind, { before, after });
      for (const client of [
        connect(grpcClient, triton.grpcAddress, patient),
        connect(httpClient, triton.httpUrl, patient),
      ]) {
        for (let attempt = 0; attempt < 300; attempt++)
          expect(await askEmitted(client, kind), `attempt ${attempt}`).toContain("in ensemble 'emitted'");
        expect(await client.ready()).toBe(true);
      }
    },
    300_000,
  );

  test("without the delay, an emitted function before eight others crashes Triton", async () => {
    const prefix = `triton_parallel_failures_${process.pid}_`;
    onTestFinished(() => removeBeginning("/dev/shm", prefix));
    const triton = await serveEmitted(
      "function",
      { before: [withoutHold], after: [] },
      `--backend-config=python,shm-region-prefix-name=${prefix}`,
    );
    const client = connect(httpClient, triton.httpUrl);
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 300 && !seen.has("no server"); attempt++)
      seen.add(await askEmitted(client, "function"));
    expect(seen, mended).toContain("no server");
    expect(await triton.ended).toBe("signal SIGSEGV");
  }, 60_000);

  test("over HTTP Triton crashes if a step fails before its parallel steps have started", async () => {
    // A crashed server leaves its shared memory behind.
    const prefix = `triton_parallel_failures_${process.pid}_`;
    onTestFinished(() => removeBeginning("/dev/shm", prefix));
    const triton = await serveOwn(`--backend-config=python,shm-region-prefix-name=${prefix}`);
    const client = connect(httpClient, triton.httpUrl);
    expect(await askFailing(client, "first_of_nine", 200), mended).toContain("no server");
    expect(await triton.ended).toBe("signal SIGSEGV");
  }, 60_000);

  // This test comes last: after it, the shared server no longer answers inference over gRPC.
  test("over gRPC Triton hangs for every model, and still reports that it is ready", async () => {
    const { grpcAddress, httpUrl } = judged.triton;
    const [grpc, http] = [connect(grpcClient, grpcAddress), connect(httpClient, httpUrl)];
    expect(await askFailing(grpc, "first_of_nine", 200), mended).toContain("timed out");
    expect(
      await Promise.all([ask(grpc, "other"), ask(http, "other"), ask(http, "good"), ask(http, "fails")]),
    ).toEqual(["timed out", "answered", "answered", "timed out"]);
    expect(await Promise.all([grpc.ready(), http.ready()])).toEqual([true, true]);
  }, 60_000);
}
