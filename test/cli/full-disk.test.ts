import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createProject } from "create-tritype";
import { expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { doubleModel } from "../fixtures/models.ts";
import { folderWith, runIn } from "./check-fixture.ts";
import { onFullDisk } from "./full-disk.ts";
import { pipelineSource, project } from "./small-project.ts";

/** The content of each file by path, in base64. */
const content = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(filesBelow(folder).map((path) => [path, readFileSync(join(folder, path), "base64")]));

const noSpace = "no space is left on the disk (ENOSPC)";

/** Amounts of free space, from zero to slightly less than a rebuild of the changed project needs. */
const spaces = [0, 5, 400, 4000];

test("a build that runs out of disk space at any point leaves no files behind", async () => {
  const { root, path, write } = project();
  const sources = content(root);
  for (const free of spaces) {
    const { code, err } = await onFullDisk(root, free, () => runIn(root, "build"));
    expect([free, code]).toEqual([free, 2]);
    expect(err).toContain(`error[file/not-writable]: cannot write to ${path("build")}: ${noSpace}`);
    expect(content(root)).toEqual(sources);
  }
  expect((await runIn(root, "build")).code).toBe(0);
  const built = content(root);
  const changed = pipelineSource.replaceAll('"double"', '"twice"').replace("Size: 8", "Size: 16");
  write("pipeline.ts", changed);
  for (const free of spaces) {
    expect((await onFullDisk(root, free, () => runIn(root, "build"))).code).toBe(2);
    expect({ ...content(root), "pipeline.ts": "" }).toEqual({ ...built, "pipeline.ts": "" });
  }
  expect((await runIn(root, "build")).code).toBe(0);
});

test("a build that is up to date needs no disk space, in every command that builds", async () => {
  const { root } = project();
  expect((await runIn(root, "build")).code).toBe(0);
  const built = content(root);
  const { code, err } = await onFullDisk(root, 0, () => runIn(root, "build"));
  expect([code, err]).toEqual([0, expect.stringContaining("nothing changed")]);
  const answered = await onFullDisk(root, 0, () => runIn(root, "run", "total", "--input", "x=[[1,2,3,4]]"));
  expect([answered.code, answered.out]).toEqual([0, expect.stringContaining("20")]);
  expect(content(root)).toEqual(built);
});

test("the next build removes the lock files of dead processes", async () => {
  const { root, path, write } = project();
  // There is no process with this id.
  write("build/.lock-99999999", "");
  expect((await runIn(root, "build")).code).toBe(0);
  expect(filesBelow(path("build"))).not.toContain(".lock-99999999");
});

test("`add` on a full disk keeps the existing files, and succeeds once there is room", async () => {
  const { root, path } = project({ ".gitignore": "build\n" });
  const models = folderWith({ "one.onnx": doubleModel(), "two.onnx": doubleModel(8) });
  expect((await runIn(root, "add", join(models, "one.onnx"))).code).toBe(0);
  const before = content(root);
  for (const free of [0, 100, 400, 500]) {
    const { code, err } = await onFullDisk(root, free, () => runIn(root, "add", join(models, "two.onnx")));
    expect([free, code]).toEqual([free, 2]);
    expect(err).toMatch(
      /cannot write to (?:models\/two\.ts|assets\/two\/two\.onnx|pipeline\.lock\.json): no/,
    );
    expect(err).toContain("make room");
    expect(content(root)).toMatchObject(before);
    expect(filesBelow(root).filter((file) => file.endsWith(".part"))).toEqual([]);
  }
  // A process was killed while it copied the file; another one is still running.
  const [killed, running] = [99_999_999, process.ppid].map((pid) => path(`assets/two/two.onnx.${pid}.part`));
  for (const part of [killed, running]) {
    mkdirSync(path("assets/two"), { recursive: true });
    writeFileSync(part ?? "", "a part");
  }
  const { code, err } = await runIn(root, "add", join(models, "two.onnx"));
  expect([existsSync(killed ?? ""), existsSync(running ?? "")]).toEqual([false, true]);
  expect([code, err]).toEqual([0, expect.stringContaining("wrote pipeline.lock.json")]);
  expect(readFileSync(path("models/two.ts"), "utf8")).toContain("batch");
});

test("a new project is written completely or not at all", async () => {
  const folder = folderWith({ "package.json": '{"name":"own"}', ".gitignore": "dist\n" });
  const before = content(folder);
  const make = () =>
    Promise.resolve().then(() => createProject({ folder, template: "embedding", packageManager: "npm" }));
  await expect(onFullDisk(folder, 3000, make)).rejects.toThrow("ENOSPC");
  expect(content(folder)).toEqual(before);
  expect((await make()).files).toContain("package.json");
});

const bin = fileURLToPath(new URL("../../packages/tritype/bin/pipeline.js", import.meta.url));

// Linux has a file whose disk is always full.
test.runIf(process.platform === "linux")(
  "a result that cannot be written is reported; notes that cannot be written do not stop a command",
  () => {
    const { root } = project();
    const full = openSync("/dev/full", "w");
    const run = (args: readonly string[], out: number | "pipe", err: number | "pipe") =>
      spawnSync(process.execPath, [bin, ...args], {
        cwd: root,
        stdio: ["ignore", out, err],
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: "1" },
      });
    const explained = run(["explain", "model/bad-name"], full, "pipe");
    expect([explained.status, explained.stderr.split("\n")[0]]).toEqual([
      2,
      `error[file/not-writable]: cannot write to stdout: ${noSpace}`,
    ]);
    expect(run(["build"], "pipe", full).status).toBe(0);
    closeSync(full);
    expect(filesBelow(join(root, "build"))).toContain("manifest.json");
  },
);
