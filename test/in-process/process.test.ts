import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject } from "../fixtures/project.ts";

/** A pipeline as plain JavaScript, for processes without a loader. */
const tokenizing = `
import { tokenizer } from "tritype";
import { startRuntime } from "tritype/runtime";
const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 16 });
const print = ({ input_ids }) => console.log("ids", String(input_ids.data));
`;

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
  /** The files that it left in its temporary folder. */
  readonly left: readonly string[];
}

/** Runs a script as a separate process with its own temporary folder; `signal` is sent once it has printed `ids`. */
const runScript = async (
  script: string,
  {
    signal,
    argv = [],
    env = {},
  }: { readonly signal?: NodeJS.Signals; readonly argv?: readonly string[]; readonly env?: object } = {},
): Promise<Ended> => {
  const project = makeProject({ "script.mjs": script });
  const temporary = mkdtempSync(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => {
    project.remove();
    rmSync(temporary, { recursive: true, force: true });
  });
  const child = spawn(process.execPath, [...argv, project.path("script.mjs")], {
    cwd: project.root,
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    if (signal !== undefined && out.includes("ids")) child.kill(signal);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const [code, by] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal: by, out, err, left: readdirSync(temporary) };
};

const ids = "ids 101,7592,102\n";

test("a process that ran something exits by itself and leaves nothing behind", async () => {
  const { code, out, err, left } = await runScript(
    `${tokenizing} print(await tokenize.run({ text: ["hello"] }));`,
  );
  expect({ code, out, err, left }).toEqual({ code: 0, out: ids, err: "", left: [] });
});

test("an unclosed runtime does not keep the process alive, nor do its Python processes", async () => {
  const script = `${tokenizing}
    const runtime = await startRuntime({ ensembles: [tokenize], python: "always" });
    print(await runtime.run(tokenize, { text: ["hello"] }));`;
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const { code, out, err, left } = await runScript(script, { env });
  expect({ code, out, err, left }).toEqual({ code: 0, out: ids, err: "", left: [] });
});

test("`close` waits until everything has ended", async () => {
  const script = `${tokenizing}
    const runtime = await startRuntime({ ensembles: [tokenize], python: "always", http: true });
    print(await runtime.run(tokenize, { text: ["hello"] }));
    await runtime.close();
    console.log("closed");`;
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const { code, out, left } = await runScript(script, { env });
  expect({ code, out, left }).toEqual({ code: 0, out: `${ids}closed\n`, left: [] });
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends the process and removes what was built",
  async (signal) => {
    const script = `${tokenizing} print(await tokenize.run({ text: ["hello"] })); setInterval(() => {}, 1000);`;
    const ended = await runScript(script, { signal });
    expect(ended).toMatchObject({ code: null, signal, left: [] });
  },
);

test("the files left by a killed process are removed by the next one", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const env = { TMPDIR: temporary };
  const run = `${tokenizing} print(await tokenize.run({ text: ["hello"] }));`;
  await runScript(`${run} setInterval(() => {}, 1000);`, { signal: "SIGKILL", env });
  await sleep(10);
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^tritype-run-/)]);
  await runScript(run, { env });
  expect(readdirSync(temporary)).toEqual([]);
});

test("a function runs on Node although the temporary folder is a link, as on macOS", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  mkdirSync(join(temporary, "private"));
  symlinkSync("private", join(temporary, "tmp"));
  const script = `
    import { fp32, step } from "tritype";
    const x = fp32("batch", 1);
    const double = step({
      name: "double", engine: "node", inputs: { x }, outputs: { y: x }, run: async ({ x }) => ({ y: 2 * x }),
    });
    console.log(String((await double.run({ x: [21] })).y.data));`;
  const { code, out, err } = await runScript(script, { env: { TMPDIR: join(temporary, "tmp") } });
  expect({ code, out, err }).toEqual({ code: 0, out: "42\n", err: "" });
  expect(readdirSync(join(temporary, "private"))).toEqual([]);
});

test("importing `tritype` loads neither compiler nor runtime", async () => {
  const hooks = `export const load = (url, context, next) => { if (url.startsWith("file:")) process._rawDebug(url); return next(url, context); };`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  const argv = ["--import", `data:text/javascript,${encodeURIComponent(register)}`];
  const { err } = await runScript('import "tritype";', { argv });
  const loaded = new Set([...err.matchAll(/packages\/([\w-]+)\/dist/g)].map(([, name]) => name));
  expect(loaded).toEqual(new Set(["core", "dsl", "operators", "tritype"]));
});
