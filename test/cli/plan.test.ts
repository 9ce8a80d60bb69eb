import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ProjectFixture } from "../fixtures/project.ts";
import { type Ended, pipeline } from "./run-pipeline.ts";
import { pipelineSource, project } from "./small-project.ts";

const batched = pipelineSource.replace(
  'file: "models/double.onnx",',
  'file: "models/double.onnx",\n  dynamicBatching: { maxQueueDelay: "5ms" },',
);
const plan = (made: ProjectFixture, ...args: readonly string[]): Promise<Ended> =>
  pipeline(made, ["plan", "--seconds", "0.01", ...args]);
const planned = (made: ProjectFixture, ...args: readonly string[]): Promise<Ended> =>
  pipeline(made, ["plan", "--from", "times.json", ...args]);

/** A measured plan of the project, and the file that `--save` writes. The first test makes it, and the others use it. */
let saved: ReturnType<typeof savedPlan> | undefined;
const savedPlan = async (): Promise<Ended & { readonly times: string }> => {
  const made = project({ "pipeline.ts": batched });
  const demand = ["--rate", "20/s", "--p99", "1s", "--price", "1.2"];
  const ended = await plan(made, ...demand, "--save", "times.json");
  expect([ended.code, ended.err]).toEqual([0, ended.err]);
  return { ...ended, times: readFileSync(made.path("times.json"), "utf8") };
};

/**
 * The project with saved times of models that take exactly 2 ms for one row and 100 µs for each further one, on a GPU.
 */
const withTimes = async (source = batched): Promise<ProjectFixture> => {
  const { times: text } = await (saved ??= savedPlan());
  const calibration = JSON.parse(text) as {
    system: { steps: { times: unknown }[]; stations: object[]; outside: object };
  };
  const times = [1, 2, 4, 8].map((rows) => ({ rows, us: [1900 + 100 * rows] }));
  for (const step of calibration.system.steps) step.times = [times, times, times];
  calibration.system.stations = calibration.system.stations.map((one) => ({ ...one, threads: 0 }));
  calibration.system.outside = { us: [], processor: 0 };
  return project({ "pipeline.ts": source, "times.json": JSON.stringify(calibration) });
};

test("measures the models, says how many servers can handle a load, and saves the times", async () => {
  const { code, out, err, times } = await (saved = savedPlan());
  expect([code, err]).toEqual([0, err]);
  expect(err).toContain("measuring `total` in ");
  expect(err).toContain("3 of 3 requests (generated from the types)");
  expect(err).toContain("wrote times.json\n");
  expect(out).toMatch(/^1 server for 20\.0 requests\/s with p99 within 1,000 ms\nsimulated; /);
  expect(out).toMatch(/^as configured +1 +20\.0 .* ms +1\.20$/m);
  expect(out).toMatch(/^double +1 +\d+ % /m);
  expect(out).toMatch(/^double: batches without a delay +1 /m);
  const { models, system } = JSON.parse(times) as {
    models: object;
    system: { kinds: unknown; steps: readonly { times: readonly (readonly { rows: number }[])[] }[] };
  };
  expect(Object.keys(models)).toContain("double");
  expect(system.kinds).toEqual([1, 2, 5]);
  expect(system.steps[0]?.times.map((sizes) => sizes.map(({ rows }) => rows))).toEqual([
    [1, 2, 4, 8],
    [1, 2, 4, 8],
    [1, 2, 4, 5, 8],
  ]);
});

test("saved times give the same plan every time, as a table and as JSON, up to 10,000 requests/s", async () => {
  const made = await withTimes();
  const demand = ["--rate", "10000", "--p99", "100ms", "--price", "2.5", "--json"];
  const { code, out, err } = await planned(made, ...demand);
  expect([code, err]).toEqual([0, err]);
  const found = JSON.parse(out) as { replicas: number; capacity: number; costPerHour: number };
  // 8 rows take 2.7 ms, and a request has 8 / 3 rows on average.
  expect(found.capacity).toBeGreaterThan(900);
  expect(found.capacity).toBeLessThan(1112);
  expect(found.replicas).toBeGreaterThanOrEqual(Math.ceil(10_000 / found.capacity));
  expect(found.costPerHour).toBe(found.replicas * 2.5);
  expect(found).toMatchObject({
    kind: "plan",
    demand: { rate: 10_000, p99: 100 },
    measured: { model: "total" },
    server: { stations: [{ model: "double" }, expect.anything()] },
  });
  const again = await planned(made, ...demand);
  expect(again.out).toBe(out);
});

test("a limit that no number of servers meets is explained", async () => {
  const made = await withTimes();
  const slow = await planned(made, "--rate", "100", "--p99", "2ms");
  expect(slow.code).toBe(1);
  expect(slow.out).toMatch(
    /^no plan for 100 requests\/s with p99 within 2\.00 ms: a single request already takes 4\.\d\d ms \(p99\); `\w+` takes longest, 2\.\d\d ms\n/,
  );
  const late = await planned(made, "--rate", "1", "--p99", "7ms");
  expect(late.code).toBe(1);
  expect(late.out).toContain("but its batches wait up to 5.00 ms for other requests\n");
  expect(late.out).toMatch(/^double: batches without a delay +1 /m);
});

const withFlow = pipelineSource.replace("import { defineEnsemble,", "import { defineEnsemble, flow,").concat(`
const walk = flow({
  name: "walk",
  inputs: { x: fp32("batch", 4) },
  outputs: { sum: fp32("batch", 1) },
  uses: { total },
  run: ({ x }, { total }) => total({ x }),
});
export const walked = defineEnsemble({
  name: "walked",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => walk({ x: double({ x }).y }),
});
export const visit = flow({
  name: "visit",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 4) },
  outputs: { sum: fp32("batch", 1) },
  uses: { walk, double },
  run: ({ x }, { walk }) => walk({ x }),
});
`);

/** A load that a single server handles. */
const light = ["--rate", "5", "--p99", "1s"];
const caveat = (model: string, calls: string): string =>
  `\`${model}\` calls ${calls} in its code. Its time was measured without load; under load, these calls wait in queues, share batches and compete for processors, which is not simulated. Check the plan with pipeline bench --rate.`;

test("the plan names each flow and the models that it calls, because their queues are not simulated", async () => {
  const made = project({ "pipeline.ts": withFlow });
  const inside = await plan(made, "walked", ...light, "--save", "times.json");
  expect([inside.code, inside.err]).toEqual([0, inside.err]);
  expect(inside.out.split("\n")[2]).toBe(caveat("walk", "`total`"));

  // `total_sum` is only called by the flow's callee.
  made.write("pipeline.ts", withFlow.replace("y.sum(-1", "y.mul(2).sum(-1"));
  const stale = await planned(made, "walked", ...light);
  expect([stale.code, stale.err]).toEqual([2, expect.stringContaining("`total_sum` has changed since then")]);
});

test.each([
  [
    "visit",
    [
      {
        model: "visit",
        calls: ["walk", "double", "total"],
        text: caveat("visit", "`walk`, `double` and `total`"),
      },
    ],
  ],
  ["total", []],
])("the JSON of the plan for %s has its flows and the models that they call", async (model, caveats) => {
  const { out } = await plan(project({ "pipeline.ts": withFlow }), model, ...light, "--json");
  expect((JSON.parse(out) as { caveats: unknown }).caveats).toEqual(caveats);
});

test("times of another build, of another ensemble or of anything else are refused", async () => {
  const made = await withTimes();
  const demand = ["--rate", "10", "--p99", "1s"];
  const stale = await planned(await withTimes(batched.replace("5ms", "6ms")), ...demand);
  expect(stale.code).toBe(2);
  expect(stale.err).toContain(
    "times.json was measured with a different build: `double` has changed since then",
  );
  const both = batched.replace("5ms", "6ms").replace("return { sum:", "return { add:");
  expect((await planned(await withTimes(both), ...demand)).err).toMatch(
    /: `\w+`(?:, `\w+`)+ have changed since then\n/,
  );
  expect(stale.err).toContain("measure again: --save times.json instead of --from times.json");

  const path = made.path("times.json");
  const calibration = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...calibration, model: "other" }));
  expect((await planned(made, ...demand)).err).toContain(
    "times.json contains times of `other`, not of `total`",
  );
  writeFileSync(path, JSON.stringify({ formatVersion: 1, cases: [] }));
  expect((await planned(made, ...demand)).err).toContain(
    "it is a result of `pipeline bench`, which has no times by batch size",
  );
});

test.each([
  [["--p99", "1s"], "`pipeline plan` needs a load"],
  [["--rate", "10"], "`pipeline plan` needs a limit"],
  [["--rate", "0", "--p99", "1s"], "--rate is 0"],
  [["--rate", "1000001", "--p99", "1s"], "more than 0 and at most 1000000: --rate 500"],
  [
    ["--rate", "10", "--p99", "1s", "--save", "none/t.json"],
    "cannot write to none/t.json: there is no such folder",
  ],
  [["--rate", "10", "--p99", "1s", "--save", "models"], "cannot write to models: there is a folder"],
  [["--rate=-5", "--p99", "1s"], "--rate is -5"],
  [["--rate", "10", "--p99", "0ms"], "--p99 is 0ms"],
  [["--rate", "10", "--p99", "100"], "--p99 is 100"],
  [["--rate", "10", "--p99", "1s", "--price", "free"], "--price is free"],
  [
    ["--rate", "10", "--p99", "1s", "--from", "pipeline.ts", "--triton"],
    "so nothing is measured with --triton",
  ],
  [["nothing", "--rate", "10", "--p99", "1s"], "there is no ensemble `nothing`"],
  [["--rate", "10", "--p99", "1s", "--from", "none.json"], "--from: the file none.json"],
])("%s is refused", async (args, problem) => {
  const { code, err } = await pipeline(project(), ["plan", ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
  expect(err).not.toContain("measuring");
});
