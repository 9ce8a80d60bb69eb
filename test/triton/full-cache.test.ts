import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { countedDuring } from "./counts.ts";
import { installTime } from "./judge.ts";
import { type Address, type BothServers, startBothServers } from "./third-party/both-servers.ts";
import { pythonFiles } from "./third-party/stand-ins.ts";

/** Returns a text of a given length that begins with a key. */
const texts = (name: string, more: string): Files =>
  pythonFiles(
    name,
    `max_batch_size: 4
input { name: "X" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
response_cache { enable: true }
${more}
`,
    `    def execute(self, requests):
        return [pb_utils.InferenceResponse([self.text(read(request, "X"))]) for request in requests]

    def text(self, rows):
        texts = [[f"{key}:".encode().ljust(size, b"x")] for size, key in rows]
        return pb_utils.Tensor("TEXT", np.array(texts, np.object_))
`,
  );

const cacheBytes = 2_000_000;
/** 19 of these texts fill the cache. */
const size = 100_000;
const models = ["single", "batched"];

const ask = async (url: string, model: string, key: number, length = size): Promise<void> => {
  const reply = await fetch(`${url}/v2/models/${model}/infer`, {
    method: "POST",
    body: JSON.stringify({ inputs: [{ name: "X", datatype: "INT32", shape: [1, 2], data: [length, key] }] }),
  });
  const { outputs } = (await reply.json()) as {
    readonly outputs: readonly [{ readonly data: readonly string[] }];
  };
  // Comparing the texts with `expect` would take most of the time.
  if (outputs[0].data[0] !== `${key}:`.padEnd(length, "x")) throw new Error(`wrong text for ${key}`);
};

const clients = 16;
/** `TRITYPE_LOAD=long`: 50 requests of each client; also measures the memory. */
const long = process.env["TRITYPE_LOAD"] === "long";
const each = long ? 50 : 25;
const rounds = 6;

/**
 * Every client asks for some of 60 texts, and sometimes for one that is larger than the cache. All clients begin with
 * the same text, so that several executions produce a text that is already stored.
 */
const load = async (url: string): Promise<void> => {
  const client = async (number: number): Promise<void> => {
    for (let i = 0; i < each; i++) {
      const key = i === 0 ? 0 : (number * 7 + i * (number + 1)) % 60;
      const model = models[(number + i) % 2] ?? "";
      await (i % 25 === 24 ? ask(url, model, 99, cacheBytes + 1) : ask(url, model, key));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
};

/** One after another: texts that fit into the cache, texts that do not, and one that is larger than the cache. */
const oneByOne = async (url: string): Promise<void> => {
  const from = (first: number, count: number): readonly number[] =>
    Array.from({ length: count }, (_, i) => first + i);
  const keys = [from(100, 40), from(200, 12), from(200, 12), from(300, 30), from(300, 30), from(318, 12)];
  for (const key of keys.flat()) await ask(url, key % 2 === 0 ? "single" : "batched", key);
  await ask(url, "single", 400, cacheBytes + 1);
  for (const key of from(318, 12)) await ask(url, key % 2 === 0 ? "single" : "batched", key);
};

const megabytesOf = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const start = (): Promise<BothServers> =>
  startBothServers(
    {
      ...texts("single", ""),
      ...texts("batched", "dynamic_batching { max_queue_delay_microseconds: 500 }"),
    },
    undefined,
    [`--cache-config=local,size=${cacheBytes}`],
  );

test("a full cache gives the right answers and counts", { timeout: installTime }, async () => {
  const servers = await start();
  const counted = async ({ http, metrics }: Address, work: (url: string) => Promise<void>) =>
    (await countedDuring(`http://${http}`, `http://${metrics}/metrics`, () => work(`http://${http}`))).counts;
  const both = (work: (url: string) => Promise<void>) =>
    Promise.all([servers.triton, servers.dev].map((server) => counted(server, work)));
  for (const counts of await both(load)) {
    for (const model of models) {
      const of = (what: string): number => counts[`${model} 1 ${what}`] ?? 0;
      expect(of("success")).toBe((clients * each) / models.length);
      // Every request ran or hit the cache. Answers that are not stored do not count as misses, as in Triton.
      expect(of("rows") + of("cache_hit")).toBe(of("success"));
      expect(of("cache_miss")).toBeLessThan(of("rows"));
      // Texts were stored more than once, because they had to make room for others.
      expect(of("cache_miss")).toBeGreaterThan(60);
      expect(of("cache_hit")).toBeGreaterThan(0);
      expect(of("fail")).toBe(0);
    }
  }
  const [triton, dev] = await both(oneByOne);
  expect(dev).toEqual(triton);
  expect(await servers.stopDev()).toBe(0);
});

test.runIf(long)("the memory of a full cache does not grow", { timeout: installTime }, async () => {
  const servers = await start();
  await load(`http://${servers.dev.http}`);
  const sizes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await load(`http://${servers.dev.http}`);
    sizes.push(await megabytesOf(servers.devPid));
  }
  // Each round answers with at least 70 MB. Garbage makes single sizes vary, by 35 MB in a measurement.
  const [early, late] = [Math.min(...sizes.slice(0, rounds / 2)), Math.min(...sizes.slice(rounds / 2))];
  expect(late - early).toBeLessThan(70);
  expect(await servers.stopDev()).toBe(0);
});
