import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, pythonModel, runIn } from "./check-fixture.ts";
import { pipeline } from "./run-pipeline.ts";

/** Heap that the command may use; without a bound these contents would need gigabytes. */
const bounded = { env: { NODE_OPTIONS: "--max-old-space-size=512" } };

const batching = "max_batch_size: 8\ndynamic_batching { max_queue_delay_microseconds: 500 }\n";

test("1,000 models", async () => {
  const names = Array.from({ length: 1000 }, (_, i) => `model_${i}`);
  const root = folderWith(Object.assign({}, ...names.map((name) => pythonModel(name, batching))));
  const { code, out, err } = await pipeline({ root }, ["check", "."], bounded);
  expect([code, out]).toEqual([0, ""]);
  expect(err).toContain("checked 1000 models");
}, 60_000);

test("10,000 models, links to one folder", async () => {
  const root = folderWith({ ...pythonModel("one", batching), "models/": "" });
  for (let i = 0; i < 10_000; i++) symlinkSync("../one", join(root, `models/model_${i}`));
  const { code, out, err } = await pipeline({ root }, ["check", "models"], bounded);
  expect([code, out]).toEqual([0, ""]);
  expect(err).toContain("checked 10000 models");
}, 60_000);

test("a configuration of 100 MB, and one without an end", async () => {
  const root = folderWith({ ...pythonModel("long"), ...pythonModel("sparse"), "big.pbtxt": "" });
  writeFileSync(join(root, "long/config.pbtxt"), "parameters { }\n".repeat(7_000_000));
  truncateSync(join(root, "sparse/config.pbtxt"), 2 ** 40);
  truncateSync(join(root, "big.pbtxt"), 2 ** 40);
  const { code, out } = await pipeline({ root }, ["check", ".", "big.pbtxt"], bounded);
  expect(code).toBe(1);
  for (const file of ["long/config.pbtxt", "sparse/config.pbtxt", "big.pbtxt"])
    expect(out).toContain(`┌─ ${file}:1:1`);
  expect(out.length).toBeLessThan(10_000);
});

test("texts that nest without an end", async () => {
  const root = folderWith({
    "a/config.pbtxt": "input { ".repeat(400_000),
    "b/config.pbtxt": "input { dims: [ ".repeat(200_000),
    ...pythonModel("c"),
    "c/1/model.py": `x = ${"(".repeat(1_000_000)}`,
    ...pythonModel("d"),
    "d/1/model.py": `x = ${"[-".repeat(50_000)}1${"]".repeat(50_000)}`,
  });
  const { code, out } = await pipeline({ root }, ["check", "."], bounded);
  expect(code).toBe(1);
  expect(out).toMatch(/┌─ a\/config\.pbtxt:1:\d+/);
  expect(out).toMatch(/┌─ b\/config\.pbtxt:1:\d+/);
  expect(out.length).toBeLessThan(10_000);
}, 60_000);

test("binary garbage is named by its place and does not reach the terminal", async () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 31) % 256);
  const root = folderWith({
    ...pythonModel("a"),
    "a/config.pbtxt": bytes,
    "b/config.pbtxt": 'name: "\u001b[2J\u202E" x\u001b[31m: 1',
    "b/1/": "",
    "c/config.pbtxt": 'backend: "onnxruntime"',
    "c/1/model.onnx": bytes,
    "d/config.pbtxt": 'backend: "python"',
    "d/1/model.py": bytes,
  });
  const { code, out } = await runIn(root, "check", ".");
  expect(code).toBe(1);
  expect(out).toMatch(/┌─ a\/config\.pbtxt:\d+:\d+/);
  expect(out).toMatch(/┌─ b\/config\.pbtxt:1:\d+/);
  // oxlint-disable-next-line no-control-regex
  expect(out).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
});

test("a line of 4 MB is shown in part", async () => {
  const root = folderWith({ "a/config.pbtxt": 'backend: "python" '.repeat(200_000), "a/1/": "" });
  const { code, out } = await runIn(root, "check", ".");
  expect(code).toBe(1);
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThan(300);
});

test("links: followed, in a circle, to nowhere, upwards", async () => {
  const root = folderWith({ ...pythonModel("elsewhere/a"), "models/": "" });
  symlinkSync(join(root, "elsewhere/a"), join(root, "models/linked"));
  expect(await runIn(root, "check", "models")).toMatchObject({ code: 0, out: "" });

  symlinkSync("circle", join(root, "models/circle"));
  symlinkSync("gone", join(root, "models/nowhere"));
  const { code, out } = await runIn(root, "check", "models");
  expect(code).toBe(1);
  expect(out).toContain("models/circle:1:1");
  expect(out).toContain("models/nowhere:1:1");
  expect((await runIn(root, "check", "models/circle")).err).toContain("its links run in a circle");

  const upwards = folderWith(pythonModel("a"));
  symlinkSync("..", join(upwards, "a/1/up"));
  symlinkSync(".", join(upwards, "a/again"));
  expect((await runIn(upwards, "check", ".")).err).toContain("checked 1 model ");
});

test("a file, a pipe or a folder where something else must be", async () => {
  const root = folderWith({
    ...pythonModel("file"),
    "folder/config.pbtxt/": "",
    "folder/1/": "",
    "no-versions/config.pbtxt": 'backend: "python"',
    "no-versions/1": "a file",
    "pipe/1/": "",
    "notes.txt": "a file beside the models",
  });
  execFileSync("mkfifo", [join(root, "pipe/config.pbtxt")]);
  const { code, out } = await runIn(root, "check", ".");
  expect(code).toBe(1);
  for (const place of ["folder/config.pbtxt:1:1", "pipe/config.pbtxt:1:1", "no-versions/config.pbtxt:1:1"])
    expect(out).toContain(`┌─ ${place}`);
  expect(out).not.toContain("file/");
  expect((await runIn(root, "check", "pipe/config.pbtxt")).err).toContain("it is neither folder nor file");
});

const oddNames = [
  "with space",
  "käse",
  "日本",
  "-dash",
  ".hidden",
  "quote'\"",
  "a$b`c",
  "new\nline",
  "\u001b[31m",
  "#%",
  "emoji😀",
];

test("names with odd characters", async () => {
  const root = folderWith(
    Object.assign({}, ...oddNames.map((name) => pythonModel(name, "max_batch_sise: 1\n"))),
  );
  // Latin-1, which is no UTF-8.
  const latin = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9)]);
  mkdirSync(latin);
  writeFileSync(Buffer.concat([latin, Buffer.from("/config.pbtxt")]), "max_batch_sise: 1\n");
  const json = await runIn(root, "check", ".", "--json");
  const { diagnostics } = JSON.parse(json.out) as {
    readonly diagnostics: readonly {
      readonly code: string;
      readonly labels: readonly { readonly file: string; readonly line: number }[];
    }[];
  };
  const places = diagnostics.flatMap(({ code, labels }) =>
    code === "config/unknown-field" ? `${labels[0]?.file}:${labels[0]?.line}` : [],
  );
  expect(places.toSorted()).toEqual(
    [...oddNames.map((name) => `${name}/config.pbtxt:4`), "caf\uDCE9/config.pbtxt:1"].toSorted(),
  );
  const { out } = await runIn(root, "check", ".");
  expect(out).toContain("┌─ caf\uFFFD/config.pbtxt:1:1\n1│ max_batch_sise: 1");
  expect(out).toContain("┌─ new␊line/config.pbtxt:4:1");
  expect(out).not.toContain("\u001b");
  const { runs } = JSON.parse((await runIn(root, "check", ".", "--sarif")).out) as {
    readonly runs: readonly [{ readonly results: readonly object[] }];
  };
  expect(runs[0].results.length).toBe(diagnostics.length);
  expect(JSON.stringify(runs)).toContain('"caf%E9/config.pbtxt"');
});
