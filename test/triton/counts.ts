import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { sendRaw } from "./raw-request.ts";

/** One server under test. */
export interface Server {
  readonly http: string;
  readonly grpc: string;
  readonly metrics: string;
}

interface Compute {
  readonly count: number;
}
export interface Version {
  readonly name: string;
  readonly version: string;
  readonly inference_count: number;
  readonly execution_count: number;
  readonly last_inference: number;
  readonly inference_stats: Readonly<Record<string, Compute>>;
  readonly response_stats: object;
  readonly batch_stats: readonly (Readonly<Record<string, Compute>> & { readonly batch_size: number })[];
}

/** Every count of every version in the statistics and in the metrics, by unique names. */
export const countsOf = async (url: string, metricsUrl: string): Promise<Counts> => {
  const counts = new Map<string, number>();
  const { body } = await sendRaw(url, { path: "/v2/models/stats" });
  for (const one of (JSON.parse(body.toString()) as { readonly model_stats: readonly Version[] })
    .model_stats) {
    const add = (what: string, count: number): void =>
      void counts.set(`${one.name} ${one.version} ${what}`, count);
    add("rows", one.inference_count);
    add("executions", one.execution_count);
    add("has run", Math.sign(one.last_inference));
    add("response statistics", Object.keys(one.response_stats).length);
    for (const [what, { count }] of Object.entries(one.inference_stats)) add(what, count);
    for (const { batch_size, ...computes } of one.batch_stats)
      for (const [what, { count }] of Object.entries(computes)) add(`batch ${batch_size} ${what}`, count);
  }
  const text = await (await fetch(metricsUrl)).text();
  const counters =
    /^(?<name>(?:nv_inference_(?!.*_duration)\w+|nv_cache_num_\w+_per_model))\{(?<labels>[^}]*)\} (?<value>\S+)$/gm;
  for (const { groups: { name, labels, value } = {} } of text.matchAll(counters))
    counts.set(`${name} ${labels?.split(",").toSorted().join(" ")}`, Number(value));
  return counts;
};

/** Counts by unique names. */
export type Counts = ReadonlyMap<string, number>;

/** The counts that changed, and by how much. */
export const grown = (before: Counts, after: Counts): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...new Set([...before.keys(), ...after.keys()])]
      .map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)] as const)
      .filter(([, count]) => count !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The counts that change during `work`, and its result. */
export const countedDuring = async <T>(
  url: string,
  metricsUrl: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly counts: Readonly<Record<string, number>> }> => {
  const before = await countsOf(url, metricsUrl);
  const result = await work();
  return { result, counts: grown(before, await settledCounts(url, metricsUrl)) };
};

/**
 * Expects the same results and the same counts of these models in both servers. Waits for Triton's counts, which come after
 * its response.
 */
export const expectSameCounted = async (
  servers: readonly [triton: Server, local: Server],
  models: readonly string[],
  work: (server: Server) => Promise<unknown>,
): Promise<void> => {
  const both = await Promise.all(
    servers.map(async (server) => {
      const before = await countsOfModels(server, models);
      const result = await work(server);
      return { result, growth: async () => grown(before, await countsOfModels(server, models)) };
    }),
  );
  expect(both[1]?.result).toEqual(both[0]?.result);
  for (const deadline = Date.now() + 20_000; ; await sleep(20)) {
    const [triton, local] = await Promise.all(both.map(({ growth }) => growth()));
    if (!isDeepStrictEqual(local, triton) && Date.now() < deadline) continue;
    expect(local).toEqual(triton);
    return;
  }
};

/** The counts of these models. */
export const countsOfModels = async (
  { http, metrics }: Server,
  models: readonly string[],
): Promise<Counts> => {
  const all = await countsOf(http, metrics);
  return new Map([...all].filter(([name]) => models.some((model) => isOf(model, name))));
};

const isOf = (model: string, count: string): boolean =>
  count.startsWith(`${model} `) || count.includes(`model="${model}"`);

/** The counts once they no longer change: Triton counts a request after it has sent the response. */
const settledCounts = async (url: string, metricsUrl: string): Promise<Counts> => {
  for (let last = await countsOf(url, metricsUrl); ; ) {
    await sleep(50);
    const now = await countsOf(url, metricsUrl);
    if (isDeepStrictEqual(last, now)) return now;
    last = now;
  }
};
