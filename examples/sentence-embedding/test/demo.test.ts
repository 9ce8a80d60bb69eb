import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const example = fileURLToPath(new URL("..", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Command lines of the processes that the demo started and left running, from Linux's /proc. */
  readonly left: readonly string[];
}

/** Runs the demo in another folder, and interrupts it when it prints `interruptAt`. */
const runDemo = async (folder: string, interruptAt?: string): Promise<Ended> => {
  const mark = `TRITYPE_DEMO_TEST=${randomUUID()}`;
  const [name = "", value] = mark.split("=");
  const child = spawn(process.execPath, [join(folder, "demo.mjs")], {
    cwd: tmpdir(),
    env: { ...process.env, ENCODER: "", NODE_PATH: "", [name]: value },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let awaited = interruptAt;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (awaited === undefined || !stderr.includes(awaited)) return;
    awaited = undefined;
    child.kill("SIGINT");
  });
  const code = await new Promise<number | null>((end) => child.once("close", end));
  return { code, stdout, stderr, left: running(mark) };
};

const running = (mark: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => contentOf(`/proc/${pid}/environ`).includes(mark))
    .map((pid) => contentOf(`/proc/${pid}/cmdline`));
const contentOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
};

/** The example without its assets, but with a link to its packages. */
const copyExample = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-demo-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sources = ["pipeline.ts", "retrieval.ts", "tensorrt.ts", "pipeline.config.ts", "models", "drift"];
  for (const name of ["demo.mjs", "package.json", ...sources])
    cpSync(join(example, name), join(folder, name), { recursive: true });
  symlinkSync(join(example, "node_modules"), join(folder, "node_modules"), "junction");
  return folder;
};

/** The figures in a row of the table; `end` does not include the marker. */
const cellsOf = (line: string): readonly { readonly text: string; readonly end: number }[] =>
  [...line.matchAll(/(?<=\s)(?:-?\d\.\d\d|–|\d)\*?(?=\s|$)/g)].map((match) => ({
    text: match[0],
    end: match.index + match[0].replace("*", "").length,
  }));

test("the demo prints each sentence's nearest neighbour and the servers' URLs, and does not leave any process running", async () => {
  const { code, stdout, stderr, left } = await runDemo(example);
  expect({ code, left }, stderr).toEqual({ code: 0, left: [] });

  const lines = stdout.split("\n");
  const rows = lines.filter((line) => /^\d {2}\S/.test(line));
  const heading = lines[lines.indexOf(rows[0] ?? "") - 1] ?? "";
  const marked = rows.map((row) => cellsOf(row).findIndex(({ text }) => text.endsWith("*")) + 1);
  expect(marked, stdout).toEqual([4, 6, 5, 1, 3, 2]);
  const columns = cellsOf(heading).map(({ end }) => end);
  expect(columns).toHaveLength(6);
  for (const row of rows) expect(cellsOf(row).map(({ end }) => end)).toEqual(columns);

  const paths = [...stdout.matchAll(/\S+(?:pipeline\.ts|manifest\.json|config\.pbtxt|model_repository)$/gm)];
  const shown = paths.map(([path]) => resolve(tmpdir(), path));
  expect(shown).toHaveLength(13);
  expect(shown.filter((path) => !existsSync(path))).toEqual([]);

  const url = /^served at +(\S+)/m.exec(stdout)?.[1] ?? "";
  await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

test("Ctrl-C during startup stops the processes that the demo started", async () => {
  const { code, stdout, left } = await runDemo(example, "built");
  expect({ code, stdout, left }).toEqual({ code: 130, stdout: "", left: [] });
});

test("the demo exits with the compiler's errors if the pipeline cannot be built", async () => {
  const { code, stdout, stderr, left } = await runDemo(copyExample());
  expect({ code, stdout, left }).toEqual({ code: 1, stdout: "", left: [] });
  expect(stderr).toContain("assets/static/model.onnx");
  expect(stderr).toContain("The demo failed: `pipeline dev` exited before it was ready (exit code 1)");
});

test("the demo exits with the server's message if the server answers with an error", async () => {
  const folder = copyExample();
  symlinkSync(join(example, "assets"), join(folder, "assets"), "junction");
  const pipeline = readFileSync(join(folder, "pipeline.ts"), "utf8");
  writeFileSync(join(folder, "pipeline.ts"), pipeline.replace('name: "embed"', 'name: "other"'));
  const { code, stderr, left } = await runDemo(folder);
  expect({ code, left }).toEqual({ code: 1, left: [] });
  expect(stderr).toMatch(/The demo failed: http:\S+\/embed\/infer answers 4\d\d: .*'embed'/);
});

test("the demo prints how to install its packages if they are missing", async () => {
  const folder = copyExample();
  rmSync(join(folder, "node_modules"));
  const { code, stderr } = await runDemo(folder);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "\nThe demo failed: tritype is not installed. `npm run demo` in the repository's root installs and builds it.\n",
  });
});
