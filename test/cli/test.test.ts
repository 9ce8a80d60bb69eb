import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject } from "../fixtures/project.ts";
import { pipeline, startPipeline } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

const functions = `
import { bytes, defineEnsemble, fp32, int32, json, step } from "tritype";

interface Item {
  readonly name: string;
  readonly price: number;
}

const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run({ text }) {
    if (text === "forbidden") throw new RangeError("no " + text);
    return { text: text.trim().toUpperCase() };
  },
});
const cut = step({
  name: "cut",
  inputs: { text: bytes("batch", 1), scores: fp32("batch", "n"), limit: int32("batch", 1) },
  outputs: { text: bytes("batch", 1), score: fp32("batch", 1) },
  run: ({ text, scores, limit }) => ({ text: text.slice(limit), score: scores[0] ?? 0 }),
});
const cheap = step({
  name: "cheap",
  inputs: { items: json<Item[]>(), limit: int32("batch", 1) },
  outputs: { names: json<string[]>() },
  run: ({ items, limit }) => ({ names: items.filter((item) => item.price < limit).map((item) => item.name) }),
});
export const shop = defineEnsemble({
  name: "shop",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), items: bytes("batch", 1), scores: fp32("batch", "n"), limit: int32("batch", 1) },
  run: ({ text, items, scores, limit }) => {
    const end = cut({ text, scores, limit });
    return { cleaned: clean({ text }).text, end: end.text, score: end.score, names: cheap({ items, limit }).names };
  },
  warmup: [{ inputs: { text: ["a sample"], items: ['[{"name":"pen","price":1.5}]'], scores: [[0.5, 1.5]], limit: [2] } }],
});
`;

/** A Python that lower-cases texts where Node upper-cases them. sitecustomize runs before the model. */
const otherNumpy = `import numpy

original = numpy.array
def array(values, dtype=None, **named):
    texts = dtype is object and isinstance(values, list)
    return original([value.lower() for value in values] if texts else values, dtype, **named)

numpy.array = array
`;

const shop = makeProject({ "pipeline.ts": functions });
const withoutSample = makeProject({
  "pipeline.ts": functions.replace(/ {2}warmup.*\n/, ""),
  "patch/sitecustomize.py": otherNumpy,
});
afterAll(() => {
  shop.remove();
  withoutSample.remove();
});
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  env = { TRITYPE_PYTHON: await pythonWithNumpy() };
});

const fused = `
import { bytes, defineEnsemble, step } from "tritype";

const text = bytes("batch", 1);
const trim = step({ name: "trim", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text: text.trim() }) });
const upper = step({
  name: "upper",
  inputs: { text },
  outputs: { text },
  run: ({ text }) => ({ text: text.toUpperCase() }),
  fuse: true,
});
export const shout = defineEnsemble({
  name: "shout",
  maxBatchSize: 8,
  inputs: { text },
  run: ({ text }) => ({ loud: upper(trim({ text })).text }),
  warmup: [{ inputs: { text: [" a sample "] } }],
});
`;

test("functions that share a model are compared one by one", async () => {
  const { code, out, err } = await pipeline(project({ "pipeline.ts": fused }), ["test", "--runs", "20"], {
    env,
  });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out.split("\n").map((line) => line.split(" ")[0])).toEqual(["trim", "upper", "", "Node", ""]);
});

test("Ctrl-C leaves no build of the separate functions", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "temporary-"));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const builds = (): readonly string[] =>
    readdirSync(temporary).filter((name) => name.startsWith("tritype-test-"));
  const made = project({ "pipeline.ts": fused });
  const running = startPipeline(made, ["test", "--runs", "1000000"], { env: { ...env, TMPDIR: temporary } });
  await expect.poll(builds, { interval: 20 }).toHaveLength(1);
  running.child.kill("SIGINT");
  expect((await running.ended).signal).toBe("SIGINT");
  expect(builds()).toEqual([]);
});

test("functions agree with their Python translations, and the same seed gives the same report", async () => {
  const first = await pipeline(shop, ["test", "--runs", "50"], { env });
  expect({ code: first.code, err: first.err }).toMatchObject({ code: 0 });
  const lines = first.out.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^cheap +51 requests {2}equal, \d+ failed alike$/);
  expect(lines[2]).toMatch(/^cut +51 requests {2}equal, \d+ failed alike$/);
  expect(lines[1]).toMatch(/^clean +51 requests {2}equal, \d+ failed alike$/);
  expect(lines.at(-1)).toBe("Node and Python agree on all 3 steps (--seed 1)");
  const again = await pipeline(shop, ["test", "--runs", "50"], { env });
  expect(again.out).toBe(first.out);
  const one = await pipeline(shop, ["test", "clean", "--runs", "20", "--seed", "3", "--json"], { env });
  expect(JSON.parse(one.out)).toMatchObject({
    seed: 3,
    steps: [{ step: "clean", requests: 21, equal: true }],
  });
}, 90_000);

test("a Python with a different answer is reported, with a small request that shows it", async () => {
  const { code, out } = await pipeline(withoutSample, ["test", "clean"], {
    env: { ...env, PYTHONPATH: withoutSample.path("patch") },
  });
  expect(code).toBe(1);
  expect(out).toMatch(
    /^clean +\d+ requests? {2}DIFFERS\n {2}inputs\n {4}text BYTES\[1, 1\]\n {6}".+"\n {2}Node\n {4}text BYTES\[1, 1\]\n {6}".+"\n {2}Python\n/,
  );
  expect(out).toMatch(/^Node and Python differ on `clean` \(--seed 1\)$/m);
  expect(out).toContain("\n  again: pipeline test clean --seed 1 --runs 200\n");
});

test("JSON inputs without samples get values of their type", async () => {
  const { code, out, err } = await pipeline(withoutSample, ["test", "cheap", "--runs", "60", "--json"], {
    env,
  });
  expect({ code, err }).toMatchObject({ code: 0 });
  const [cheap] = (JSON.parse(out) as { readonly steps: readonly { readonly failedAlike: number }[] }).steps;
  expect(cheap).toMatchObject({ step: "cheap", requests: 60, equal: true });
  expect(cheap?.failedAlike).toBeLessThan(30);
}, 60_000);

test("missing steps and projects without functions are reported", async () => {
  const unknown = await pipeline(shop, ["test", "claen"], { env });
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toContain("there is no function step `claen`");
  expect(unknown.err).toContain("did you mean `clean`?");
  const plain = project({});
  const none = await pipeline(plain, ["test"], { env });
  expect(none.code).toBe(0);
  expect(none.err).toContain("the project has no step() or batchStep()");
});

test("a refusal is reported at its line", async () => {
  const clock = project({
    "pipeline.ts": functions.replace("text.trim()", "text.concat(String(Date.now()))"),
  });
  const { code, err } = await pipeline(clock, ["build"]);
  expect(code).toBe(1);
  expect(err).toContain("error[function/clock]: step `clean`: ");
  expect(err).toMatch(/pipeline\.ts:15:\d+/);
});

test("an error thrown by a function is explained where it is thrown", async () => {
  const answered = await pipeline(shop, [
    "run",
    "shop",
    "--input",
    "text=forbidden",
    "--input",
    "scores=[1]",
    "--input",
    "items=[]",
    "--input",
    "limit=1",
  ]);
  expect(answered.code).not.toBe(0);
  const said = /clean: row 0: RangeError: no forbidden \(run, line 2, in pipeline\.ts\)/.exec(
    answered.err,
  )?.[0];
  expect(said).toBeDefined();
  const { out } = await pipeline(shop, ["explain", said ?? ""]);
  expect(out).toContain("the function of step `clean` threw: RangeError: no forbidden");
  expect(out).toContain("pipeline.ts:14:");
});

test("inputs that Python rejects because of its older Unicode are counted, but not as differences", async () => {
  const composed = project({
    "pipeline.ts": `
import { bytes, defineEnsemble, step } from "tritype";

const compose = step({
  name: "compose",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ text: text.normalize("NFC") }),
});
export const composed = defineEnsemble({
  name: "composed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ composed: compose({ text }).text }),
});
`,
  });
  const { code, out } = await pipeline(composed, ["test", "--runs", "200"], { env });
  expect(out).toMatch(
    /^compose +200 requests {2}equal(, \d+ failed alike)?, [1-9]\d* refused by Python as not portable\n/,
  );
  expect(code).toBe(0);
});

test("using a missing value fails with the same message", async () => {
  const words = project({
    "pipeline.ts": `import { bytes, defineEnsemble, int32, step } from "tritype";
const second = step({
  name: "second",
  inputs: { text: bytes("batch", 1) },
  outputs: { length: int32("batch", 1) },
  run: ({ text }) => ({ length: text.split(" ")[1]!.length }),
});
export const all = defineEnsemble({
  name: "all",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ length: second({ text }).length }),
});
`,
  });
  const { code, out } = await pipeline(words, ["test", "--runs", "40"], { env });
  expect(out).toMatch(/^second +40 requests {2}equal, [1-9]\d* failed alike\n/);
  expect(code).toBe(0);
});

test("a step's time limit applies if its function does not end", async () => {
  const endless = project({
    "pipeline.ts": `import { bytes, defineEnsemble, int32, step } from "tritype";
const turn = step({
  name: "turn",
  inputs: { text: bytes("batch", 1) },
  outputs: { turns: int32("batch", 1) },
  timeLimit: "3600s",
  run({ text }) {
    let turns = 0;
    while (text.length < 100) turns = (turns + 1) % 7;
    return { turns };
  },
});
const after = step({
  name: "zero",
  inputs: { text: bytes("batch", 1) },
  outputs: { size: int32("batch", 1) },
  run: ({ text }) => ({ size: text.length }),
});
export const all = defineEnsemble({
  name: "all",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ turns: turn({ text }).turns, size: after({ text }).size }),
});
`,
  });
  const { code, out } = await pipeline(endless, ["test", "--seconds", "1", "--runs", "20"], { env });
  expect(code).toBe(1);
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toBe("turn      0 requests  NOT COMPARED: no request was answered in 1 s");
  expect(lines[1]).toMatch(/^zero +\d+ requests {2}equal/);
  expect(lines.at(-1)).toBe("Node and Python were not compared on `turn` (--seed 1)");
}, 90_000);

test("if no request succeeds, nothing counts as compared", async () => {
  const strict = project({
    "pipeline.ts": `
import { bytes, defineEnsemble, int32, step } from "tritype";
const strict = step({
  name: "strict",
  inputs: { text: bytes("batch", 1) },
  outputs: { length: int32("batch", 1) },
  run({ text }) {
    if (!text.startsWith("https://tritype.example/")) throw new RangeError("no link");
    return { length: text.length };
  },
});
export const e = defineEnsemble({ name: "e", maxBatchSize: 8, inputs: strict.inputs, run: (x) => strict(x) });
`,
  });
  const { code, out } = await pipeline(strict, ["test", "--runs", "20"], { env });
  expect({ code, out: out.trimEnd() }).toEqual({
    code: 1,
    out: `strict     20 requests  NOT COMPARED: no request succeeded, 20 failed alike
  add a warmup sample that the step accepts to the ensemble; the first request failed with strict: row 0: RangeError: no link (run, line 2, in pipeline.ts)

Node and Python were not compared on \`strict\` (--seed 1)`,
  });
}, 60_000);
