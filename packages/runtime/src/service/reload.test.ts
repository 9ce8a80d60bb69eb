import { createHash } from "node:crypto";
import { cp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addModel, configText, ensembleFiles, fp32, onnxFiles, rowFiles } from "../fixtures/onnx-models.ts";
import { floats, infer, reasonOf, refusal, served, shown } from "../fixtures/served.ts";
import { type Files, temporaryRepository, writeFiles } from "../fixtures/temporary-repository.ts";
import type { Runtime } from "../runtime.ts";

const add = (name: string, amount: number): Files => rowFiles(name, addModel(amount, "batch", 1), 1);
const broken = (name: string): Files => ({ [`${name}/1/model.onnx`]: "no model" });
const row = { maxBatchSize: 8, inputs: [fp32("X", 1)], outputs: [fp32("Y", 1)] };
const sum = (name: string, first: string, second: string): Files =>
  ensembleFiles(name, row, `${first}: X=X Y=between`, `${second}: X=between Y=Y`);

interface Served {
  readonly folder: string;
  readonly runtime: Runtime;
  /** The model's result for 0. */
  readonly ask: (model: string, version?: string) => Promise<number>;
}

const serve = async (files: Files, notice: (text: string) => void = () => {}): Promise<Served> => {
  const folder = await temporaryRepository(files);
  const runtime = await served({}, { repository: folder, notice });
  const ask: Served["ask"] = async (model, version) => {
    const answer = await infer(
      runtime,
      model,
      { X: floats([1, 1], 0) },
      version === undefined ? {} : { version },
    );
    return Number(shown(answer)["Y"]?.split(" ").at(-1));
  };
  return { folder, runtime, ask };
};

const nothing = { loaded: [], unloaded: [], unchanged: [], failed: [] };

test("changed models are loaded again, new ones are added, missing ones are removed", async () => {
  const { folder, runtime, ask } = await serve({ ...add("a", 1), ...add("b", 2), ...add("c", 3) });
  expect(await runtime.reload()).toEqual({ ...nothing, unchanged: ["a", "b", "c"] });
  writeFiles(folder, { ...add("a", 10), ...add("d", 4) });
  await rm(join(folder, "c"), { recursive: true });
  expect(await runtime.reload()).toEqual({
    ...nothing,
    loaded: ["a", "d"],
    unloaded: ["c"],
    unchanged: ["b"],
  });
  expect([await ask("a"), await ask("b"), await ask("d")]).toEqual([10, 2, 4]);
  expect(await refusal(ask("c"))).toBe("model/not-found: Request for unknown model: 'c' is not found");
  expect(runtime.models().map(({ name }) => name)).toEqual(["a", "b", "d"]);
});

test.each<readonly [string, (folder: string) => Promise<void>]>([
  ["the configuration", (folder) => writeFile(join(folder, "a/config.pbtxt"), configOf("a"))],
  [
    "a file that is renamed into place with its old time and size",
    async (folder) => {
      const [file, other] = [join(folder, "a/1/model.onnx"), join(folder, "..", "other.onnx")];
      await writeFile(other, addModel(1, "batch", 1));
      await utimes(other, 1, 1);
      await rename(other, file);
    },
  ],
  ["a file next to the model", (folder) => writeFile(join(folder, "a/1/labels.txt"), "cat\n")],
  ["a new version", (folder) => cp(join(folder, "a/1"), join(folder, "a/2"), { recursive: true })],
])("%s counts as a change", async (_, change) => {
  const { folder, runtime } = await serve({ ...add("a", 1), ...add("b", 2) });
  await change(folder);
  expect(await runtime.reload()).toEqual({ ...nothing, loaded: ["a"], unchanged: ["b"] });
});
const configOf = (name: string): string =>
  `backend: "onnxruntime"\n${configText(name, { ...row, maxBatchSize: 4 })}`;

test("files left by interpreters and editors are not a change", async () => {
  const { folder, runtime } = await serve(add("a", 1));
  writeFiles(folder, {
    "a/1/__pycache__/model.pyc": "x",
    "a/.git/HEAD": "x",
    "a/1/model.py~": "x",
    "a/1/.model.onnx.swp": "x",
  });
  expect(await runtime.reload()).toEqual({ ...nothing, unchanged: ["a"] });
});

test("unchanged versions continue to run", async () => {
  const all = `backend: "onnxruntime"\n${configText("a", { ...row, extra: "version_policy { all { } }" })}`;
  const { folder, runtime, ask } = await serve({ ...add("a", 1), "a/config.pbtxt": all });
  const threads = workers();
  writeFiles(folder, { "a/2/model.onnx": addModel(2, "batch", 1) });
  expect(await runtime.reload()).toMatchObject({ loaded: ["a"] });
  expect([await ask("a"), await ask("a", "1"), await ask("a", "2")]).toEqual([2, 1, 2]);
  await rm(join(folder, "a/1"), { recursive: true });
  expect(await runtime.reload()).toMatchObject({ loaded: ["a"] });
  expect(await ask("a")).toBe(2);
  await expect.poll(workers).toBe(threads);
});

describe("a model that cannot be loaded", () => {
  test("a model that cannot be loaded keeps serving its old version, with the reason, until it is fixed", async () => {
    const { folder, runtime, ask } = await serve({ ...add("a", 1), ...add("b", 2) });
    writeFiles(folder, broken("a"));
    const report = await runtime.reload();
    expect(report).toEqual({
      ...nothing,
      unchanged: ["b"],
      failed: [
        { name: "a", serving: true, reason: expect.stringContaining("Load model from"), waitsFor: [] },
      ],
    });
    expect(runtime.models()[0]).toEqual({
      name: "a",
      version: "1",
      state: "READY",
      reason: report.failed[0]?.reason,
    });
    expect([runtime.modelReady("a"), await ask("a")]).toEqual([true, 1]);
    expect(await runtime.reload(), "the same files are not tried again").toEqual({
      ...nothing,
      unchanged: ["a", "b"],
    });
    writeFiles(folder, add("a", 5));
    expect(await runtime.reload()).toEqual({ ...nothing, loaded: ["a"], unchanged: ["b"] });
    expect([reasonOf(runtime, "a"), await ask("a")]).toEqual(["ready", 5]);
  });

  test("a model that is broken and then restored is no longer reported as a failure", async () => {
    const { folder, runtime, ask } = await serve(add("a", 1));
    const file = join(folder, "a/1/model.onnx");
    await rename(file, `${file}~`);
    expect((await runtime.reload()).failed).toMatchObject([{ name: "a", serving: true }]);
    await rename(`${file}~`, file);
    expect(await runtime.reload()).toEqual({ ...nothing, unchanged: ["a"] });
    expect([reasonOf(runtime, "a"), await ask("a")]).toEqual(["ready", 1]);
  });

  test("a new model that cannot be loaded is unavailable, and is served as soon as it can be loaded", async () => {
    const { folder, runtime, ask } = await serve(add("a", 1));
    writeFiles(folder, { ...add("b", 2), ...broken("b") });
    expect((await runtime.reload()).failed).toMatchObject([{ name: "b", serving: false }]);
    expect(runtime.models()[1]).toMatchObject({ name: "b", state: "UNAVAILABLE" });
    writeFiles(folder, add("b", 2));
    expect((await runtime.reload()).loaded).toEqual(["b"]);
    expect(await ask("b")).toBe(2);
  });

  test("a broken new version leaves the old one in service; a version that failed from the start does not block anything", async () => {
    const all = `backend: "onnxruntime"\n${configText("a", { ...row, extra: "version_policy { all { } }" })}`;
    const { folder, runtime, ask } = await serve({
      ...add("a", 1),
      "a/config.pbtxt": all,
      "a/2/model.onnx": "no",
    });
    writeFiles(folder, { "a/1/model.onnx": addModel(7, "batch", 1) });
    expect((await runtime.reload()).failed).toMatchObject([{ name: "a", serving: true }]);
    expect(await ask("a")).toBe(7);
    writeFiles(folder, { "a/1/model.onnx": addModel(8, "batch", 1), "a/3/model.onnx": "no" });
    expect((await runtime.reload()).failed).toMatchObject([{ name: "a", serving: true }]);
    expect(await ask("a")).toBe(7);
  });

  test("a missing repository is reported, and everything continues to be served", async () => {
    const { folder, runtime, ask } = await serve(add("a", 1));
    await rename(folder, `${folder}-aside`);
    expect(await refusal(runtime.reload())).toMatch(
      /^file\/not-found: the model repository .* does not exist/,
    );
    expect(await ask("a")).toBe(1);
    await rename(`${folder}-aside`, folder);
    expect(await runtime.reload()).toEqual({ ...nothing, unchanged: ["a"] });
  });
});

describe("ensembles", () => {
  const files = {
    ...add("a", 1),
    ...add("b", 10),
    ...add("c", 100),
    ...sum("ab", "a", "b"),
    ...sum("all", "ab", "c"),
  };

  test("an ensemble follows its members", async () => {
    const { folder, runtime, ask } = await serve({ ...files, ...add("other", 1) });
    writeFiles(folder, add("a", 2));
    expect(await runtime.reload()).toEqual({
      ...nothing,
      loaded: ["a", "ab", "all"],
      unchanged: ["b", "c", "other"],
    });
    expect([await ask("a"), await ask("ab"), await ask("all")]).toEqual([2, 12, 112]);
  });

  test("members that change at the same time are replaced together or not at all", async () => {
    const { folder, runtime, ask } = await serve({ ...files, ...add("other", 1) });
    writeFiles(folder, { ...add("a", 2), ...broken("b"), ...add("other", 2) });
    const { loaded, failed } = await runtime.reload();
    expect(loaded).toEqual(["other"]);
    expect(failed.map(({ name, serving, waitsFor }) => [name, serving, waitsFor])).toEqual([
      ["a", true, ["b"]],
      ["ab", true, ["b"]],
      ["all", true, ["b"]],
      ["b", true, []],
    ]);
    expect(reasonOf(runtime, "a")).toBe(
      "model 'a' is not updated: it can only be updated together with 'b', which cannot be loaded",
    );
    expect(reasonOf(runtime, "ab")).toMatch(/^ensemble 'ab' depends on 'b' which has no loaded version/);
    expect([await ask("a"), await ask("ab"), await ask("all"), await ask("other")]).toEqual([1, 11, 111, 2]);
    writeFiles(folder, add("b", 20));
    expect((await runtime.reload()).loaded).toEqual(["a", "ab", "all", "b"]);
    expect([await ask("a"), await ask("ab"), await ask("all")]).toEqual([2, 22, 122]);
    expect(runtime.models().every(({ reason }) => reason === undefined)).toBe(true);
  });

  test("a deleted member stays while its ensemble needs it; both may be removed together", async () => {
    const { folder, runtime, ask } = await serve(files);
    await rm(join(folder, "c"), { recursive: true });
    expect((await runtime.reload()).failed.map(({ name }) => name)).toEqual(["all", "c"]);
    expect([await ask("all"), await ask("c")]).toEqual([111, 100]);
    expect(await runtime.reload()).toMatchObject({ loaded: [], unloaded: [], failed: [] });
    await rm(join(folder, "all"), { recursive: true });
    expect(await runtime.reload()).toEqual({
      ...nothing,
      unloaded: ["all", "c"],
      unchanged: ["a", "ab", "b"],
    });
    expect(await refusal(ask("c"))).toMatch(/^model\/not-found/);
  });

  test("a member that appears or is fixed makes its ensemble available", async () => {
    const { folder, runtime, ask } = await serve({ ...add("a", 1), ...sum("ab", "a", "b") });
    expect(reasonOf(runtime, "ab")).toMatch(/not available or ambiguous: b$/);
    writeFiles(folder, { ...add("b", 10), ...broken("b") });
    expect((await runtime.reload()).failed.map(({ name, serving }) => [name, serving])).toEqual([
      ["ab", false],
      ["b", false],
    ]);
    writeFiles(folder, add("b", 10));
    expect((await runtime.reload()).loaded).toEqual(["ab", "b"]);
    expect(await ask("ab")).toBe(11);
  });

  test("a running request keeps the members that it started with", async () => {
    // Its queue holds the requests until there are eight.
    const first = onnxFiles("first", addModel(0, "batch", 1), {
      ...row,
      extra: "dynamic_batching { preferred_batch_size: 8 max_queue_delay_microseconds: 100000000 }",
    });
    const { folder, runtime, ask } = await serve({
      ...first,
      ...add("plus", 1),
      ...sum("both", "first", "plus"),
    });
    const before = Array.from({ length: 6 }, () => ask("both"));
    let ended = 0;
    for (const answer of before) void answer.then(() => ended++);
    writeFiles(folder, add("plus", 2));
    expect((await runtime.reload()).loaded).toEqual(["both", "plus"]);
    const after = ask("both");
    // A third generation, while the first is still running and the second is serving.
    writeFiles(folder, add("plus", 3));
    expect((await runtime.reload()).loaded).toEqual(["both", "plus"]);
    expect(ended).toBe(0);
    const last = ask("both");
    expect(await Promise.all(before)).toEqual(Array(6).fill(1));
    expect([await after, await last]).toEqual([2, 3]);
  });
});

describe("a repository with a manifest", () => {
  const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
  const manifestOf = (files: Files): string =>
    JSON.stringify({
      formatVersion: 1,
      target: "24.10",
      models: [],
      ensembles: [],
      loadOrder: [],
      requirements: [],
      files: Object.fromEntries(
        Object.entries(files).map(([path, content]) => [`model_repository/${path}`, sha256(content)]),
      ),
    });

  test("the manifest's hashes reveal a change that file dates do not; unlisted files are ignored", async () => {
    const files = { ...add("a", 1), ...add("b", 2) };
    const { folder, runtime, ask } = await serve(files);
    const build = join(folder, "..");
    writeFiles(build, { "manifest.json": manifestOf(files) });
    expect((await runtime.reload()).loaded).toEqual(["a", "b"]);
    writeFiles(folder, { "a/1/cache.db": "of the model" });
    expect(await runtime.reload()).toEqual({ ...nothing, unchanged: ["a", "b"] });
    const changed = { ...files, ...add("b", 3) };
    writeFiles(build, { "manifest.json": manifestOf(changed) });
    expect((await runtime.reload()).loaded, "as if the disk had shown nothing").toEqual(["b"]);
    writeFiles(folder, add("b", 3));
    expect((await runtime.reload()).loaded).toEqual(["b"]);
    expect(await ask("b")).toBe(3);
    writeFiles(build, { "manifest.json": '{"formatVersion": 99, "loadOrder": []}' });
    expect(await refusal(runtime.reload())).toMatch(/^repository\/invalid: .*format version 99/);
    expect(await ask("b")).toBe(3);
    expect(await readFile(join(build, "manifest.json"), "utf8")).toContain("99");
  });
});

/** Number of model threads in this process. */
const workers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === "MessagePort").length;

/** `TRITYPE_LOAD=long`: 20. */
const reloads = process.env["TRITYPE_LOAD"] === "long" ? 20 : 8;

test(`${reloads} reloads under load: no request fails, each response is from a single generation, no thread is left`, async () => {
  const files = (amount: number): Files => ({
    ...add("a", amount),
    ...add("b", amount * 1000),
    ...sum("ab", "a", "b"),
  });
  const { folder, runtime, ask } = await serve(files(1));
  const threads = workers();
  const stop = new AbortController();
  const seen = new Set<number>();
  const asking = Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) seen.add(await ask("ab"));
  });
  for (let amount = 2; amount <= reloads + 1; amount++) {
    writeFiles(folder, files(amount));
    expect((await runtime.reload()).loaded).toEqual(["a", "ab", "b"]);
    expect(await ask("ab")).toBe(amount * 1001);
  }
  stop.abort();
  await Promise.all(asking);
  expect([...seen].filter((value) => value % 1001 !== 0)).toEqual([]);
  await expect.poll(workers).toBe(threads);
});

test("reloads are queued; close waits for the running one and refuses later ones", async () => {
  const before = workers();
  const { folder, runtime, ask } = await serve(add("a", 1));
  writeFiles(folder, add("a", 2));
  const reports = await Promise.all([runtime.reload(), runtime.reload()]);
  expect(reports.map(({ loaded }) => loaded)).toEqual([["a"], []]);
  writeFiles(folder, add("a", 3));
  const [running, closed] = [runtime.reload(), runtime.close()];
  expect(await refusal(runtime.reload())).toBe("model/unavailable: Server is stopping");
  expect((await running).loaded).toEqual(["a"]);
  await closed;
  expect(await refusal(ask("a"))).toBe("model/unavailable: Server is stopping");
  await expect.poll(workers).toBe(before);
});
