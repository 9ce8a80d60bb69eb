import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { lintDockerfile } from "./linters.ts";

const exec = promisify(execFile);

/** The golden build with a plan, in a folder whose name has a space, and a `trtexec` that records its arguments. */
const buildWithPlan = () => {
  const root = mkdtempSync(join(tmpdir(), "tritype prepare "));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL("../golden/backends/expected", import.meta.url)), join(root, "build"), {
    recursive: true,
  });
  mkdirSync(join(root, "bin"));
  const tool = join(root, "bin/trtexec");
  writeFileSync(
    tool,
    `#!/bin/sh
for argument; do case $argument in --saveEngine=*) out=\${argument#--saveEngine=} ;; --onnx=*) in=\${argument#--onnx=} ;; esac; done
[ -f "$in" ] || exit 3
printf '%s\\n' "$@" >"$out"
`,
  );
  chmodSync(tool, 0o755);
  const run = (...args: readonly string[]): Promise<{ readonly stdout: string }> =>
    exec("sh", ["prepare/prepare.sh", ...args], {
      cwd: join(root, "build"),
      env: { ...process.env, PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"] ?? ""}` },
    });
  return { run, plan: join(root, "build/model_repository/encoder/1/model.plan"), root };
};

test("the script builds a plan with the declared sizes and precision, once", async () => {
  const { run, plan } = buildWithPlan();
  await expect(run("--check")).rejects.toThrow(/model\.plan does not exist, or belongs to another build/);
  await run();
  const told = readFileSync(plan, "utf8").split("\n");
  expect(told).toEqual(
    expect.arrayContaining([
      "--onnx=model.onnx",
      "--minShapes=input_ids:1x1,attention_mask:1x1",
      "--optShapes=input_ids:16x64,attention_mask:16x64",
      "--maxShapes=input_ids:16x256,attention_mask:16x256",
      "--fp16",
      "--memPoolSize=workspace:4096",
      "--skipInference",
    ]),
  );
  expect(existsSync(`${plan}.part`)).toBe(false);
  writeFileSync(plan, "as it was");
  expect((await run()).stdout).toContain("is up to date");
  expect(readFileSync(plan, "utf8")).toBe("as it was");
  await run("--check");
});

test("a plan from another build is rebuilt, in any folder", async () => {
  const { run, plan, root } = buildWithPlan();
  const other = join(root, "other models");
  mkdirSync(other);
  await run(other);
  expect(existsSync(plan)).toBe(false);
  const there = join(other, "encoder/1/model.plan");
  writeFileSync(`${there}.made-of`, "another\n");
  writeFileSync(there, "stale");
  await expect(run("--check", other)).rejects.toThrow(/belongs to another build/);
  await run(other);
  expect(readFileSync(there, "utf8")).toContain("--fp16");
});

test("a plan is rebuilt on another kind of GPU, and a check on that machine reports it", async () => {
  const { run, plan, root } = buildWithPlan();
  const machine = (gpu: string): void => {
    const tool = join(root, "bin/nvidia-smi");
    writeFileSync(tool, `#!/bin/sh\n${gpu}\n`);
    chmodSync(tool, 0o755);
  };
  machine("echo NVIDIA A10");
  await run();
  expect(readFileSync(`${plan}.made-of`, "utf8")).toMatch(/^[0-9a-f]{16}\non NVIDIA A10\n$/);
  writeFileSync(plan, "of the A10");
  machine("echo NVIDIA L4; echo NVIDIA L4");
  await expect(run("--check")).rejects.toThrow(
    /model\.plan was built on NVIDIA A10, but this machine has NVIDIA L4/,
  );
  machine("echo no driver; exit 9");
  await run("--check");
  machine("echo NVIDIA L4; echo NVIDIA L4");
  await run();
  expect(readFileSync(plan, "utf8")).toContain("--fp16");
  await run("--check");
});

test("the Dockerfile with the stage that builds plans passes the linter", async () => {
  const file = fileURLToPath(new URL("../golden/backends/expected/Dockerfile", import.meta.url));
  expect(await lintDockerfile(file)).toEqual([]);
});
