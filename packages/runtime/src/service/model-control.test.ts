import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { addModel, ensembleFiles, fp32, onnxFiles, rowFiles, slowModel } from "../fixtures/onnx-models.ts";
import { floats, infer, refusal, shown } from "../fixtures/served.ts";
import { type Files, temporaryRepository, writeFiles } from "../fixtures/temporary-repository.ts";
import type { Runtime } from "../runtime.ts";
import { startRuntime } from "../service.ts";

const add = (name: string, amount: number): Files => rowFiles(name, addModel(amount, "batch", 1), 1);
const row = { maxBatchSize: 8, inputs: [fp32("X", 1)], outputs: [fp32("Y", 1)] };
const config = JSON.stringify({
  backend: "onnxruntime",
  max_batch_size: 8,
  input: [{ name: "X", data_type: "TYPE_FP32", dims: [1] }],
  output: [{ name: "Y", data_type: "TYPE_FP32", dims: [1] }],
});

interface Controlled {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly notices: readonly string[];
  /** The model's result for 0. */
  readonly ask: (model: string) => Promise<number>;
  /** `a 1 READY` */
  readonly index: () => Promise<readonly string[]>;
}

const controlled = async (files: Files, ...load: readonly string[]): Promise<Controlled> => {
  const folder = await temporaryRepository(files);
  const notices: string[] = [];
  const runtime = await startRuntime({
    repository: folder,
    control: { kind: "explicit", load },
    device: "cpu",
    python: "twin",
    notice: (text) => void notices.push(text),
  });
  onTestFinished(() => runtime.close());
  return {
    folder,
    runtime,
    notices,
    ask: async (model) => {
      const answer = await infer(runtime, model, { X: floats([1, 1], 0) });
      return Number(shown(answer)["Y"]?.split(" ").at(-1));
    },
    index: async () =>
      (await runtime.index()).map(({ name, version, state }) =>
        [name, version, state].filter((part) => part !== undefined).join(" "),
      ),
  };
};

test("at the start, serves the named models, or none if none are named", async () => {
  const files = { ...add("a", 1), ...add("b", 2), ...ensembleFiles("e", row, "a: X=X Y=Y") };
  expect((await controlled(files)).runtime.models()).toEqual([]);
  const some = await controlled(files, "e");
  expect(await some.index()).toEqual(["a 1 READY", "b UNKNOWN", "e 1 READY"]);
  const all = await controlled(files, "*");
  expect(await all.index()).toEqual(["a 1 READY", "b 1 READY", "e 1 READY"]);
});

test("reports that a model requests a response cache but has none", async () => {
  const cached = { ...row, extra: "response_cache { enable: true }" };
  const files = { ...add("a", 1), ...onnxFiles("b", addModel(1, "batch", 1), cached) };
  expect((await controlled(files, "*")).notices).toEqual([
    expect.stringContaining(
      "model 'b' has response_cache { enable: true }, but this server has no response cache",
    ),
  ]);
});

test("reports at the start the models that cannot be loaded, and serves the rest", async () => {
  const { notices, ask } = await controlled(
    { ...add("a", 1), "b/config.pbtxt": "no_field: 1", "c/config.pbtxt": 'backend: "python"' },
    "a",
    "b",
    "c",
    "nobody",
  );
  expect(await ask("a")).toBe(1);
  expect(notices.toSorted()).toEqual([
    expect.stringContaining(
      "failed to load 'b', failed to poll from model repository: failed to read text proto",
    ),
    expect.stringContaining(
      "failed to load 'nobody', failed to poll from model repository: failed to poll model 'nobody': model not found",
    ),
    expect.stringContaining("load failed for model 'c'"),
  ]);
});

test("a repository may be empty, but it must be a repository", async () => {
  const { runtime, index } = await controlled({ "a/1/": "" });
  expect(await index()).toEqual(["a UNKNOWN"]);
  expect(await refusal(runtime.reload())).toMatch(/^model\/unavailable: models are loaded explicitly/);
  const start = startRuntime({
    repository: "/nowhere",
    control: { kind: "explicit", load: [] },
    device: "cpu",
    python: "twin",
    notice: () => {},
  });
  expect(await refusal(start)).toMatch(/^file\/not-found/);
});

test("without explicit control nothing is loaded or unloaded by name", async () => {
  const folder = await temporaryRepository(add("a", 1));
  const runtime = await startRuntime({ repository: folder, device: "cpu", python: "twin", notice: () => {} });
  onTestFinished(() => runtime.close());
  const text = "model/unavailable: explicit model load / unload is not allowed if polling is enabled";
  expect([await refusal(runtime.load("a")), await refusal(runtime.unload("a"))]).toEqual([text, text]);
  expect(await runtime.index()).toEqual([{ name: "a", version: "1", state: "READY" }]);
});

test("a misspelt name at the start suggests the closest model", async () => {
  const notices: string[] = [];
  const runtime = await startRuntime({
    repository: await temporaryRepository(add("embed", 1)),
    device: "cpu",
    python: "twin",
    control: { kind: "explicit", load: ["embd"] },
    notice: (text) => void notices.push(text),
  });
  onTestFinished(() => runtime.close());
  expect(notices).toEqual([
    "failed to load 'embd', failed to poll from model repository: failed to poll model 'embd': model not found in any model repository; did you mean `embed`?",
  ]);
});

test.each(["..", " .. ", "../a", "a/../../b", "/etc", "a\\b"])(
  "the name '%s' does not lead outside the repository",
  async (name) => {
    const { runtime } = await controlled({ "a/1/": "" });
    expect(await refusal(runtime.load(name))).toBe(
      `request/invalid: invalid model name '${name}', model name must not contain path traversal characters`,
    );
    expect(await refusal(runtime.unload(name))).toBe("no error");
  },
);

test.each(["", "  "])("the name '%s' is refused, because it is empty", async (name) => {
  const { runtime } = await controlled({ "a/1/": "" });
  expect(await refusal(runtime.load(name))).toBe(
    "request/invalid: Model name cannot be empty. Please enter a valid name to deploy.",
  );
});

test.each([".", "a\0b", "a%2f.."])("the name '%s' is not a model", async (name) => {
  const { runtime } = await controlled({ "a/1/": "" });
  expect(await refusal(runtime.load(name))).toBe(
    `repository/invalid: failed to load '${name}', failed to poll from model repository`,
  );
});

test.each(["../x", "1/../../x", "..", "", "/", "1/"])("no file can be written at '%s'", async (path) => {
  const before = readdirSync(tmpdir());
  const { runtime } = await controlled(add("a", 1));
  const files = new Map([[path, new Uint8Array(1)]]);
  expect(await refusal(runtime.load("a", { config, files }))).toMatch(
    /^repository\/invalid: failed to load 'a'/,
  );
  expect(
    readdirSync(tmpdir())
      .filter((name) => name.startsWith("tritype-override-") || name === "x")
      .filter((name) => !before.includes(name)),
  ).toEqual([]);
});

test("files from a load request are in a separate folder while they are served", async () => {
  const folders = (): readonly string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith("tritype-override-"));
  const others = new Set(folders());
  const own = () => folders().filter((name) => !others.has(name));
  const { runtime, ask } = await controlled({});
  const files = new Map([["1/model.onnx", addModel(3, "batch", 1)]]);
  await runtime.load("a", { config, files });
  expect(await ask("a")).toBe(3);
  const [folder = ""] = own();
  expect(existsSync(join(tmpdir(), folder, "1/model.onnx"))).toBe(true);
  await runtime.load("a", { config, files: new Map([["1/model.onnx", new Uint8Array(9)]]) }).catch(() => {});
  expect(await ask("a")).toBe(3);
  await runtime.load("a", { config, files: new Map([["1/model.onnx", addModel(4, "batch", 1)]]) });
  expect(await ask("a")).toBe(4);
  await expect.poll(own).toHaveLength(1);
  await runtime.unload("a");
  await expect.poll(own).toEqual([]);
  await runtime.load("a", { config, files });
  await runtime.close();
  expect(own()).toEqual([]);
});

test("running requests are answered by the model that they started with; new ones by the new model", async () => {
  const slow = (times: number): Files =>
    onnxFiles("a", slowModel(256, times), { inputs: [fp32("X", 256, 256)], outputs: [fp32("Y", 256, 256)] });
  const { folder, runtime, index } = await controlled(slow(60), "a");
  const ones = floats([256, 256], ...Array.from({ length: 65_536 }, () => 1 / 256));
  const ask = () => infer(runtime, "a", { X: ones });
  const running = [ask(), ask()];
  await turn();
  writeFiles(folder, slow(61));
  await runtime.load("a");
  await runtime.unload("a");
  expect(await refusal(ask())).toBe(
    "model/not-found: Request for unknown model: 'a' has no available versions",
  );
  for (const answer of await Promise.all(running)) expect(answer.outputs.size).toBe(1);
  await expect.poll(index).toEqual(["a 1 UNAVAILABLE"]);
});

test("the served version keeps serving while the new one loads; the index shows the load", async () => {
  const { folder, runtime, ask, index } = await controlled({ ...add("a", 1), ...add("b", 2) }, "a");
  writeFiles(folder, add("a", 5));
  const loaded = Promise.all([runtime.load("a"), runtime.load("b")]);
  const seen = new Set<string>();
  let before = 0;
  for (let ended = false; !ended; ) {
    ended = await Promise.race([loaded.then(() => true), turn(false)]);
    for (const line of await index()) seen.add(line);
    if (!ended && (await ask("a")) === 1) before++;
  }
  expect(before).toBeGreaterThan(0);
  expect(await ask("a")).toBe(5);
  expect([...seen].filter((line) => line.startsWith("b")).toSorted()).toEqual([
    "b 1 LOADING",
    "b 1 READY",
    "b UNKNOWN",
  ]);
});

test("the last of many simultaneous loads and unloads determines the result", async () => {
  const { runtime, ask, index } = await controlled({
    ...add("a", 1),
    ...add("b", 2),
    ...ensembleFiles("e", row, "a: X=X Y=m", "b: X=m Y=Y"),
  });
  await Promise.all([
    ...Array.from({ length: 10 }, (_, i) => [
      runtime.load("e"),
      runtime.unload(i % 2 === 0 ? "a" : "e", i % 3 === 0),
    ]).flat(),
    runtime.load("e"),
  ]);
  expect(await ask("e")).toBe(3);
  await expect.poll(index).toEqual(["a 1 READY", "b 1 READY", "e 1 READY"]);
});

test("when a member becomes available again, so does every ensemble that contains it", async () => {
  const { runtime, ask, index } = await controlled(
    {
      ...add("a", 1),
      ...ensembleFiles("e", row, "a: X=X Y=Y"),
      ...ensembleFiles("f", row, "e: X=X Y=m", "a: X=m Y=Y"),
    },
    "f",
  );
  await runtime.unload("a");
  await expect.poll(index).toEqual(["a 1 UNAVAILABLE", "e 1 UNAVAILABLE", "f 1 UNAVAILABLE"]);
  await runtime.load("a");
  expect(await index()).toEqual(["a 1 READY", "e 1 READY", "f 1 READY"]);
  expect(await ask("f")).toBe(2);
});

test("nothing is loaded after close", async () => {
  const { runtime } = await controlled(add("a", 1));
  const loading = runtime.load("a");
  const closed = runtime.close();
  expect(await refusal(runtime.load("a"))).toBe("model/unavailable: Server is stopping");
  expect(await refusal(runtime.unload("a"))).toBe("model/unavailable: Server is stopping");
  await Promise.all([loading, closed]);
});

test("circular ensembles are refused, however often they are requested", async () => {
  const files = { ...ensembleFiles("e", row, "f: X=X Y=Y"), ...ensembleFiles("f", row, "e: X=X Y=Y") };
  const { runtime, index } = await controlled(files);
  for (let i = 0; i < 2; i++)
    expect(await refusal(runtime.load("e"))).toMatch(
      /^request\/invalid: load failed for model 'e': circular dependency between ensembles: /,
    );
  expect(await index()).toEqual(["e UNKNOWN", "f UNKNOWN"]);
});
