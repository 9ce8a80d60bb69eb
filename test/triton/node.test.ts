import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { grpcClient, httpClient, type InferenceClient } from "@tritype/client";
import { type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { tritonWithNode } from "../environment/triton.ts";
import { everyDtype, obeyed, rows } from "../function/node-cases.ts";
import { echo, large, type NodeModel, obey, repositoryFiles } from "../function/node-models.ts";
import { installTime, temporaryFolder, killTriton } from "./judge.ts";

/** `TRITYPE_LOAD=long`: frames of 100 MB, and 30 kills. */
const [largest, kills] = process.env["TRITYPE_LOAD"] === "long" ? [100_000_000, 30] : [10_000_000, 15];

interface Served {
  readonly triton: TritonServer;
  readonly http: InferenceClient;
  readonly grpc: InferenceClient;
  readonly stop: () => Promise<void>;
}

/** Starts a real Triton with Node's wheel. Its Node processes get these options. */
const serve = async (models: readonly NodeModel[], extra = "", nodeOptions = ""): Promise<Served> => {
  const installation = await tritonWithNode(() => {});
  const folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  writeFiles(repository, repositoryFiles(models, extra));
  const before = process.env["NODE_OPTIONS"];
  process.env["NODE_OPTIONS"] = nodeOptions;
  const triton = await serveTriton(installation, { repository }).finally(() => {
    if (before === undefined) delete process.env["NODE_OPTIONS"];
    else process.env["NODE_OPTIONS"] = before;
  });
  const [http, grpc] = [httpClient(triton.httpUrl), grpcClient(triton.grpcAddress)];
  const stop = async (): Promise<void> => {
    await Promise.all([http.close(), grpc.close()]);
    await killTriton(triton);
    await folder.remove();
  };
  await triton.waitReady().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { triton, http, grpc, stop };
};

/** The `obey` model's answer to one request: its values, or the error message. */
const ask = async (client: InferenceClient, orders: readonly string[], model = "obey"): Promise<unknown> => {
  try {
    const outputs = await client.infer({ model, inputs: new Map([["order", rows(...orders)]]) });
    const result = outputs.get("result");
    return result && valuesOf(result);
  } catch (error) {
    return (error as Error).message;
  }
};

const slow: NodeModel = { ...obey, options: { ...obey.options, step: "slow", timeLimit: 60_000_000 } };
let served: Served;
beforeAll(async () => {
  const batches = "dynamic_batching { max_queue_delay_microseconds: 100000 }";
  served = await serve([obey, echo, large], batches, "--max-old-space-size=64");
}, installTime);
afterAll(() => served?.stop());

test("Triton loads functions on Node without a problem", () => {
  expect(served.triton.problems()).toEqual([]);
});

test("requests in a batch formed by Triton are answered individually, and a failure affects one request", async () => {
  for (const [orders, expected] of obeyed) {
    const together = [["1"], orders, ["2"]].map((each) => ask(served.http, each));
    expect.soft(await Promise.all(together), orders.join()).toEqual([["1"], expected, ["2"]]);
  }
  const [statistics] = (await served.http.statistics()).filter(({ name }) => name === "obey");
  expect(Number(statistics?.execution_count)).toBeLessThan(Number(statistics?.inference_count));
});

test("printed lines reach the log with model and instance", () => {
  const log = served.triton.log();
  expect(log).toContain("obey obey_0_0: {}");
  expect(log).toContain("obey obey_0_0: Error: nobody catches this");
  expect(log).toContain("obey obey_0_0: Error: in a timer");
  expect(log).toContain("obey obey_0_0: the request took longer than 1 s; restarting Node");
});

test("a full heap ends the process, and only the request in progress fails", async () => {
  const greedy = "const all = []; for (;;) all.push(Array(1000).fill(all.length));";
  const together = [["1"], [greedy], ["2"]].map((each) => ask(served.http, each));
  expect(await Promise.all(together)).toEqual([
    ["1"],
    expect.stringMatching(/^obey: Node was killed by SIG(ABRT|TRAP|ILL) while it ran this request$/),
    ["2"],
  ]);
  expect(served.triton.log()).toContain("obey obey_0_0: FATAL ERROR: Reached heap limit");
});

const echoed = async (client: InferenceClient, inputs: NamedTensors): Promise<NamedTensors> => {
  const outputs = await client.infer({ model: "echo", inputs });
  return new Map([...outputs].toSorted(([a], [b]) => a.localeCompare(b)));
};
const sorted = (tensors: NamedTensors): NamedTensors =>
  new Map([...tensors].toSorted(([a], [b]) => a.localeCompare(b)));

test.each([
  [2, 3],
  [1, 6],
  [2, 0],
])("values of every dtype in %i × %i arrive, with and without an optional input", async (batch, columns) => {
  const inputs = everyDtype(batch, columns);
  const more = tensorOf("INT32", [batch, 1], Array(batch).fill(5));
  for (const client of [served.http, served.grpc]) {
    const [absent, given] = await Promise.all([
      echoed(client, inputs),
      echoed(client, new Map([...inputs, ["more", more]])),
    ]);
    const none = tensorOf("INT32", [batch, 1], Array(batch).fill(-1));
    expect(absent).toEqual(sorted(new Map([...inputs, ["has_more", none]])));
    expect(given).toEqual(sorted(new Map([...inputs, ["has_more", more]])));
  }
});

test(`frames of 600 kB to ${largest / 1e6} MB pass in both directions`, async () => {
  for (const size of [600_000, largest]) {
    const data = new Uint8Array(size).map((_, at) => at);
    const outputs = await served.grpc.infer({
      model: "large",
      inputs: new Map([["x", { dtype: "UINT8", shape: [1, size], data }]]),
    });
    expect(Buffer.compare(outputs.get("x")?.data as Uint8Array, data)).toBe(0);
  }
});

test("requests whose client has disconnected do not run", async () => {
  const queue = await serve([slow]);
  onTestFinished(queue.stop);
  const hasty = grpcClient(queue.triton.grpcAddress, { timeoutMs: 300 });
  onTestFinished(() => hasty.close());
  await ask(queue.grpc, ["sleep(20)"], "slow");
  const first = ask(queue.grpc, ["sleep(1000, 'first')"], "slow");
  await sleep(200);
  const gone = [2, 3, 4].map((n) => ask(hasty, [`console.log('ran ${n}')`], "slow"));
  for (const message of await Promise.all(gone)) expect(message).toMatch(/ did not answer within 300 ms$/);
  expect(await first).toEqual(["first"]);
  expect(await ask(queue.grpc, ["console.log('ran 5')"], "slow")).toEqual(["undefined"]);
  await expect.poll(() => queue.triton.log()).toContain("slow slow_0_0: ran 5");
  expect(queue.triton.log()).not.toMatch(/ran [234]/);
});

test("while Node is killed repeatedly under load, each request gets one answer, and few requests fail", async () => {
  const server = await serve([slow], "dynamic_batching { }");
  onTestFinished(server.stop);
  const [stub] = (await ask(server.http, ["process.ppid"], "slow")) as readonly string[];
  let killed = 0;
  const over = new AbortController();
  const killing = (async () => {
    for (let n = 0; n < kills; n++) {
      await sleep(50 + ((n * 97) % 400));
      for (const child of childrenOf(Number(stub))) {
        process.kill(child, "SIGKILL");
        killed += 1;
      }
    }
  })().finally(() => over.abort());
  let asked = 0;
  const failures: unknown[] = [];
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const order = `${++asked}`;
      const answer = await ask(server.grpc, [order], "slow");
      if (JSON.stringify(answer) !== JSON.stringify([order])) failures.push(answer);
    }
  };
  await Promise.all([killing, ...Array.from({ length: 8 }, client)]);
  expect(killed).toBeGreaterThan(kills / 2);
  expect(asked).toBeGreaterThan(kills);
  for (const failure of failures)
    expect(failure).toMatch(
      /^slow: (Node could not be restarted: )?Node was killed by SIGKILL( while it ran this request)?$/,
    );
  // Only one request runs at a time. All requests in a batch fail if Node is killed during three starts in a row.
  expect(failures.length).toBeLessThanOrEqual(3 * killed);
  expect(await ask(server.http, ["'done'"], "slow")).toEqual(["done"]);
}, 120_000);

test.each(["SIGTERM", "SIGTERM while it runs", "SIGKILL", "SIGKILL while it runs"])(
  "no process is left after the server has ended: %s",
  async (end) => {
    const server = await serve([slow]);
    onTestFinished(server.stop);
    const [pid] = (await ask(server.http, ["process.pid"], "slow")) as readonly string[];
    const node = Number(pid);
    const stub = parentOf(node);
    expect(isAlive(node)).toBe(true);
    const running = end.includes("runs") ? ask(server.http, ["for (;;);"], "slow") : undefined;
    await sleep(300);
    if (end.startsWith("SIGTERM")) await server.triton.stop();
    else process.kill(parentOf(stub), "SIGKILL");
    await running;
    await expect.poll(() => [isAlive(node), isAlive(stub)], { timeout: 10_000 }).toEqual([false, false]);
  },
  60_000,
);

const stat = (pid: number): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
  } catch {
    return ["Z"];
  }
};
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
const isAlive = (pid: number): boolean => stat(pid)[0] !== "Z";
const parentOf = (pid: number): number => Number(stat(pid)[1]);
