import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { pipeline, pipelineProcess } from "./run-pipeline.ts";
import { pipelineSource, project } from "./small-project.ts";

/** The tests run on Linux. These simulate what differs on other systems; see docs/platforms.md. */

test("positions are found although the temporary folder is a link, as on macOS", async () => {
  const small = project({ "pipeline.ts": `${pipelineSource}\n\nthrow new Error("stop");\n` });
  mkdirSync(small.path("private"));
  symlinkSync("private", small.path("tmp"));
  const { code, err } = await pipelineProcess(small, ["build"], { env: { TMPDIR: small.path("tmp") } });
  expect(code).toBe(1);
  expect(err).toContain(`┌─ pipeline.ts:${pipelineSource.split("\n").length + 2}:7\n`);
});

test("a system for which onnxruntime-node has no binary is named", async () => {
  // Only the threads that run models are changed: esbuild has a binary for each system, too.
  const other = `import { isMainThread } from "node:worker_threads";
    if (!isMainThread) Object.defineProperty(process, "arch", { value: "riscv64" });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(other)}` };
  const { code, err } = await pipelineProcess(project(), ["run", "total", "--input", "x=[[1,2,3,4]]"], {
    env,
  });
  expect(code).toBe(1);
  expect(err).toContain("onnxruntime-node has no binary for linux-riscv64: it runs on Linux with glibc");
});

const functions = `
import { bytes, defineEnsemble, step } from "tritype";
const text = bytes("batch", 1);
const trim = step({ name: "trim", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text: text.trim() }) });
const end = step({ name: "end", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text: text + "!" }) });
export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { text },
  run: ({ text }) => ({ tidy: end(trim({ text })).text }),
});
`;

test("translated functions run in a Python without timers, as on Windows", async () => {
  const small = project({
    "pipeline.ts": functions,
    "windows/sitecustomize.py": `import signal
for name in ("SIGALRM", "ITIMER_REAL", "setitimer", "getitimer", "alarm"):
    delattr(signal, name)
`,
  });
  const env = { TRITYPE_PYTHON: await pythonWithNumpy(), PYTHONPATH: small.path("windows") };
  const { out, err } = await pipeline(small, ["run", "tidy", " a ", "--python"], { env });
  expect(err).not.toContain("error");
  expect(out).toContain("a!");
});
