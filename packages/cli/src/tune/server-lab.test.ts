import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { CandidateBuild } from "./candidate.ts";
import { steadyHeap } from "./open-tuning.ts";
import { serverLab, standsStill } from "./server-lab.ts";

/** Slices of one second of a new server with a tokenizer and an encoder. */
const embedding = [
  799, 954, 947, 1471, 1550, 1759, 2036, 1551, 2246, 2101, 1944, 2593, 1944, 2370, 2196, 1750, 1943,
];

/** How many slices a server warms up. */
const warmSlices = (rates: readonly number[]): number =>
  1 + rates.findIndex((_, index) => standsStill(rates.slice(0, index + 1)));

test("a new server warms up until three slices together are not faster than the three before", () => {
  // Two slices that hardly differ, such as 954 and 947, say nothing.
  expect(warmSlices(embedding)).toBe(15);
});

test("a server that is warm already needs six slices, also one without an answer", () => {
  expect(warmSlices([100, 104, 97, 101, 98, 103])).toBe(6);
  expect(warmSlices([0, 0, 0, 0, 0, 0])).toBe(6);
});

test("a process is warm after the first measurement, not after the first server", async () => {
  let statistics = 0;
  const web = createServer(({ url }, response) => {
    if (url?.endsWith("/stats") === true) statistics++;
    response.setHeader("content-type", "application/json").end('{"model_name":"m","outputs":[]}');
  }).listen(0);
  await once(web, "listening");
  onTestFinished(() => void web.close());
  const http = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const ended = new Promise<string>(() => {});
  const lab = serverLab({
    model: "m",
    seconds: 0.05,
    mostWarm: 6,
    signal: new AbortController().signal,
    isCached: () => false,
    build: async () => ({}) as CandidateBuild,
    serve: async () => ({ kind: "dev", http, grpc: undefined, ended, close: async () => {} }),
    requests: async () => [new Map()],
  });
  onTestFinished(lab.close);
  /** How many slices are measured, including those that warm it up: each asks for the statistics before and after. */
  const slices = async (): Promise<number> => {
    const stand = await lab.open({});
    statistics = 0;
    await stand.measure({ kind: "closed", clients: 1 }, 1);
    await stand.close();
    return statistics / 2;
  };
  await (await lab.open({})).close();
  expect([await slices(), await slices()]).toEqual([7, 4]);
});

test("V8 does not collect the whole heap of a small server while it is measured", () => {
  // Objects that survive two collections of the young generation, as tensors of waiting requests do.
  const source = `
    const kept = [];
    let left = 150;
    const step = () => {
      kept.push(Array.from({ length: 25_000 }, (_, i) => ({ i })));
      if (kept.length > 10) kept.shift();
      if (left-- > 0) setImmediate(step);
    };
    step();`;
  const fullCollections = (flags: readonly string[]): number => {
    const log = execFileSync(process.execPath, [...flags, "--trace-gc", "-e", source], { encoding: "utf8" });
    return log.split("Mark-").length - 1;
  };
  // Without a flag, V8 chooses the size by chance.
  expect(fullCollections(["--initial-old-space-size=16"])).toBeGreaterThan(0);
  expect(fullCollections(steadyHeap)).toBe(0);
});
