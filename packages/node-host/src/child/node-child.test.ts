import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tensorOf } from "@tritype/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { answerHttp } from "../../../../test/fixtures/listen.ts";
import { ofOne, openOne, shown, versionFolder } from "../fixtures/version-folder.ts";
import { openNodeChild } from "./node-child.ts";

test("requests of one execution are answered one by one, and a failing row fails its request alone", async () => {
  const { ask } = await openOne(`if (x < 0) throw new RangeError("below zero");\nreturn { y: x * 2 };`);
  expect(await ask([1, 2], [3, -4, -5], [], [6])).toEqual([
    [2, 4],
    "row 1: RangeError: below zero (run.mjs:2:18)",
    [],
    [12],
  ]);
});

test("a request that blocks Node is stopped at its time limit, and the others are answered", async () => {
  const { ask, lines } = await openOne(`while (x === 7);\nreturn { y: x };`, { timeLimit: 300_000 });
  expect(await ask([1], [7], [2])).toEqual([[1], "the request took longer than 0.3 s", [2]]);
  expect(await ask([3])).toEqual([[3]]);
  expect(lines).toEqual(["Node was stopped because a request took too long; restarting it"]);
});

test("a promise that never settles times out, and Node continues", async () => {
  const { ask, lines } = await openOne(
    `return x === 7 ? new Promise(() => {}) : Promise.resolve({ y: x });`,
    {
      timeLimit: 300_000,
    },
  );
  expect(await ask([7], [2], [1, 3])).toEqual(["the request took longer than 0.3 s", [2], [1, 3]]);
  expect(lines).toEqual([]);
});

test("a time limit of months is not over at once", async () => {
  const { ask } = await openOne(`return new Promise((done) => setTimeout(done, 30, { y: x }));`, {
    timeLimit: 9e12,
  });
  expect(await ask([1], [2])).toEqual([[1], [2]]);
});

test.each([
  ["process.kill(process.pid, 'SIGTERM')", "Node was killed by SIGTERM while it ran this request"],
  ["process.kill(process.pid, 'SIGKILL')", "Node was killed by SIGKILL while it ran this request"],
  ["process.exit(3)", "row 0: Error: process.exit() was called, which would end the model"],
  ["process.reallyExit(3)", "row 0: Error: process.reallyExit() was called, which would end the model"],
  ["process.abort()", "row 0: Error: process.abort() was called, which would end the model"],
])("%s fails the request that does it, and no other", async (statement, text) => {
  const { ask } = await openOne(`if (x === 7) ${statement};\nreturn { y: x };`);
  const [before, itself, after] = await ask([1], [7], [2]);
  expect([before, after]).toEqual([[1], [2]]);
  expect(itself).toContain(text);
  expect(await ask([5])).toEqual([[5]]);
});

test("the process is known while it runs and after it has been replaced", async () => {
  const { ask, child } = await openOne(
    `if (x === 7) process.kill(process.pid, "SIGKILL");\nreturn { y: x };`,
  );
  const { pid } = child.status();
  expect(pid).toBeGreaterThan(0);
  const asked = ask([7]);
  await expect.poll(() => child.status().state).toBe("busy");
  await asked;
  await expect.poll(() => child.status()).toMatchObject({ state: "idle", restarts: 1 });
  expect(child.status().pid).not.toBe(pid);
  await child.close();
  expect(child.status()).toEqual({ state: "ending", pid: undefined, restarts: 1 });
});

test("a request that ends its process is answered before the next process starts", async () => {
  const { ask, child } = await openOne(`process.kill(process.pid, "SIGKILL");`);
  for (let crashes = 0; crashes < 4; crashes++) {
    expect(await ask([7])).toEqual(["Node was killed by SIGKILL while it ran this request"]);
    expect(child.status().state).toBe("restarting");
  }
});

test("a full heap terminates Node and fails the request that filled it", async () => {
  vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=40");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { ask } = await openOne(
    `const all = [];\nwhile (x === 7) all.push(new Array(1e5).fill(all.length));\nreturn { y: x };`,
  );
  expect(await ask([1], [7], [2])).toEqual([
    [1],
    expect.stringMatching(
      /^Node (was killed by SIGABRT|ended with exit code 134) while it ran this request$/,
    ),
    [2],
  ]);
});

test("requests in progress when Node exits fail; those that had not started are run", async () => {
  const { ask } = await openOne(`
    if (x === 7) return new Promise(() => {});
    if (x === 8) process.kill(process.pid, "SIGKILL");
    return { y: x };`);
  const text = "Node was killed by SIGKILL while it ran this request";
  expect(await ask([1], [7], [8], [2])).toEqual([[1], text, text, [2]]);
});

test("printed output reaches the log, and neither it nor leftover work breaks anything", async () => {
  const { ask, lines } = await openOne(`
    console.log("printed", x);
    process.stderr.write("half ");
    process.stderr.write("a line\\n");
    void Promise.reject(new Error("nobody waits"));
    setTimeout(() => { throw new Error("too late"); });
    return { y: x };`);
  expect(await ask([1])).toEqual([[1]]);
  await expect.poll(() => lines).toContainEqual(expect.stringContaining("Error: too late"));
  expect(lines).toEqual(
    expect.arrayContaining(["printed 1", "half a line", expect.stringContaining("Error: nobody waits")]),
  );
  expect(await ask([2])).toEqual([[2]]);
});

test("a function may read its folder, but may not write files or start processes unless its step allows it", async () => {
  const source = `
    const { readFileSync, writeFileSync } = process.getBuiltinModule?.("node:fs") ?? fs;
    const attempt = (work) => { try { work(); return true; } catch (error) { return error.code; } };
    const spawned = attempt(() => child.execFileSync(process.execPath, ["--version"]));
    return { y: [
      attempt(() => readFileSync(new URL("function.json", import.meta.url))),
      attempt(() => readFileSync("/etc/hostname")),
      attempt(() => writeFileSync(new URL("new", import.meta.url), "")),
      spawned,
    ].join() };`;
  const options = { ...ofOne, outputs: { y: { dtype: "BYTES", dims: ["batch", 1] } } };
  const text = `import fs from "node:fs";\nimport child from "node:child_process";\nexport const run = () => {${source}};\n`;
  const asked = async (allow: typeof options.allow, folder: string): Promise<unknown> => {
    const child = await openNodeChild({ folder, options: { ...options, allow }, notice: () => {} });
    onTestFinished(() => child.close());
    const [answer] = await child.execute([{ inputs: new Map([["x", tensorOf("INT32", [1, 1], [1])]]) }]);
    return answer && shown(answer);
  };
  const folder = await versionFolder(text, options);
  const denied = "ERR_ACCESS_DENIED";
  expect(await asked({}, folder)).toEqual([["true", denied, denied, denied].join()]);
  const everything = { fsRead: ["/*"], fsWrite: [join(folder, "*")], childProcess: true };
  expect(await asked(everything, folder)).toEqual(["true,true,true,true"]);
  expect(existsSync(join(folder, "new"))).toBe(true);
});

test.each([
  ["fs", 'readFileSync("/etc/hosts")', 'reads "/etc/hosts"', 'fsRead: ["/etc/hosts"]'],
  ["fs", 'writeFileSync("/etc/a \\"b", "")', 'writes "/etc/a "b"', 'fsWrite: ["/etc/a \\"b"]'],
  ["fs", 'readFileSync("../../../../../../../etc/hosts")', 'reads "/etc/hosts"', 'fsRead: ["/etc/hosts"]'],
  ["child_process", "execFileSync(process.execPath)", "starts a process", "childProcess: true"],
])("an action that is not allowed: %s.%s", async (module, action, says, option) => {
  const { ask } = await openOne(`process.getBuiltinModule("node:${module}").${action};`);
  const text = `row 0: Error: the function ${says}, which is not allowed; add \`allow: { ${option} }\` to the step`;
  expect((await ask([1])).map((answer) => String(answer).replace(/:\d+\)$/, ")"))).toEqual([
    `${text} (run.mjs:2)`,
  ]);
});

test("a function may read its folder through a link, such as /tmp on macOS", async () => {
  const text = `import { readFileSync } from "node:fs";
    export const run = () => ({ y: readFileSync(new URL("function.json", import.meta.url)).length });\n`;
  const folder = await versionFolder(text, ofOne);
  const link = `${folder} link`;
  symlinkSync(folder, link);
  onTestFinished(() => rmSync(link));
  const child = await openNodeChild({ folder: link, options: ofOne, notice: () => {} });
  onTestFinished(() => child.close());
  const [answer] = await child.execute([{ inputs: new Map([["x", tensorOf("INT32", [1, 1], [1])]]) }]);
  expect(answer && shown(answer)).toEqual([JSON.stringify(ofOne).length]);
});

test("native code is only loaded if the step allows it", async () => {
  const source = `process.dlopen({ exports: {} }, import.meta.filename);`;
  const { ask } = await openOne(source);
  expect(String(await ask([1]))).toContain("Cannot load native addon because loading addons is disabled");
  const allowed = await openOne(source, { allow: { addons: true } });
  expect(String(await allowed.ask([1]))).toContain("invalid ELF header");
});

test("the advice for a file of an npm package has no path of this machine", async () => {
  const { ask } = await openOne(
    `process.getBuiltinModule("node:fs").readFileSync("/app/node_modules/@img/sharp/lib/index.js");`,
  );
  expect(String(await ask([1]))).toContain(
    'the function reads the npm package "@img/sharp", which is not in its folder; run `npm ci` in the build\'s npm folder and copy node_modules into the version folder (run.mjs:2:',
  );
});

test("a worker thread is not allowed, and each instance is a process", async () => {
  const { ask } = await openOne(
    `new (process.getBuiltinModule("node:worker_threads").Worker)("", { eval: true });`,
  );
  expect(String(await ask([1]))).toMatch(
    /^row 0: Error: the function starts a worker thread, which is not allowed; add `instanceGroup: \[\{ kind: "cpu", count: 2 \}\]` to the step: each instance is a process \(run\.mjs:2:\d+\)$/,
  );
});

test.each(["row", "request"] as const)("values that a function keeps do not change, per %s", async (per) => {
  const two = { dtype: "FP32", dims: ["batch", 2] };
  const options = { ...ofOne, per, inputs: { x: two }, outputs: { y: two } };
  const source = `const kept = [];\nexport const run = ({ x }) => ({ y: (kept.push(x), kept[0]) });\n`;
  const folder = await versionFolder(source, options);
  const child = await openNodeChild({ folder, options, notice: () => {} });
  onTestFinished(() => child.close());
  for (const value of [1, 2, 3]) {
    const inputs = new Map([["x", tensorOf("FP32", [1, 2], [value, value])]]);
    expect((await child.execute([{ inputs }])).map(shown)).toEqual([[1, 1]]);
  }
});

test("a module that cannot be loaded is refused, with the error and its line", async () => {
  const folder = await versionFolder(`const limits = undefined;\nexport const run = limits.first;\n`, ofOne);
  const opened = openNodeChild({ folder, options: ofOne, notice: () => {} });
  await expect(opened).rejects.toThrow(
    "TypeError: Cannot read properties of undefined (reading 'first') (run.mjs:2:27)",
  );
});

test("a package that is not installed is refused, with advice", async () => {
  const folder = await versionFolder(`import "@absent/addon";\nexport const run = () => ({});\n`, ofOne);
  await expect(openNodeChild({ folder, options: ofOne, notice: () => {} })).rejects.toThrow(
    'Error: the function needs the npm package "@absent/addon", which is not installed; run `npm ci` in the build\'s npm folder and copy node_modules into the version folder',
  );
});

test("cancelled requests are not run, and a waiting request gets its answer", async () => {
  const { child } = await openOne(`return x === 7 ? new Promise(() => {}) : { y: x };`);
  const request = (x: number, signal: AbortSignal) => ({
    inputs: new Map([["x", tensorOf("INT32", [1, 1], [x])]]),
    signal,
  });
  const gone = new AbortController();
  const answers = child.execute([
    request(7, gone.signal),
    request(1, AbortSignal.abort()),
    request(2, new AbortController().signal),
  ]);
  setTimeout(() => gone.abort(), 50);
  expect((await answers).map(shown)).toEqual(["Request was cancelled", "Request was cancelled", [2]]);
});

test("every number passes through the frames unchanged, in both directions", async () => {
  const values = {
    BOOL: [true, false],
    INT8: [-128, 127],
    UINT8: [0, 255],
    INT16: [-32768, 32767],
    UINT16: [0, 65535],
    INT32: [-2147483648, 2147483647],
    UINT32: [0, 4294967295],
    INT64: [-(2n ** 63n), 2n ** 63n - 1n],
    UINT64: [0n, 2n ** 64n - 1n],
    FP16: [0.5, -65504],
    FP32: [Math.fround(0.1), Infinity],
    FP64: [0.1, -1e308],
    BYTES: ["", "naïve 😀"],
  };
  const tensors = Object.fromEntries(
    Object.keys(values).map((dtype) => [dtype.toLowerCase(), { dtype, dims: ["batch", 2, 1] }]),
  );
  const options = { ...ofOne, inputs: tensors, outputs: tensors };
  const folder = await versionFolder("export const run = (row) => row;\n", options);
  const child = await openNodeChild({ folder, options, notice: () => {} });
  onTestFinished(() => child.close());
  const inputs = new Map(
    Object.entries(values).map(([dtype, two]) => [
      dtype.toLowerCase(),
      tensorOf(dtype as "FP32", [3, 2, 1], [...two, ...two, ...two]),
    ]),
  );
  const [answer] = await child.execute([{ inputs }]);
  expect(answer).toEqual({ outputs: inputs });
});

test("no process is left when its parent is killed while the function keeps Node busy", async () => {
  const folder = await versionFolder("export const run = () => { for (;;); };\n", ofOne);
  const built = new URL("../../dist/index.js", import.meta.url).href;
  const parent = `
    import { openNodeChild } from ${JSON.stringify(built)};
    const child = await openNodeChild({ folder: process.argv[1], options: ${JSON.stringify(ofOne)}, notice() {} });
    const data = new Uint8Array(4);
    void child.execute([{ inputs: new Map([["x", { dtype: "INT32", shape: [1, 1], data }]]) }]);
    setTimeout(() => console.log("busy"), 100);
  `;
  const started = spawn(process.execPath, ["--input-type=module", "--eval", parent, folder], {
    stdio: "pipe",
  });
  await new Promise((busy) => started.stdout.once("data", busy));
  started.kill("SIGKILL");
  await expect.poll(() => processesOf(folder)).toEqual([]);
});

/** The processes with this path among their arguments. */
const processesOf = (path: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(path);
    } catch {
      return false;
    }
  });

/** A service that answers `/word` at once, `/half` with the start of a body, `/cut` with a body that breaks off, and others never. */
const openService = (): Promise<string> =>
  answerHttp(({ url }, response) => {
    if (url === "/word") response.end("word");
    if (url === "/half" || url === "/cut") response.writeHead(200, { "content-length": "9" }).write("half");
    if (url === "/cut") setTimeout(() => response.destroy(), 50);
  });

test("a request can be sent on to another address, with its method, headers and body", async () => {
  const service = await answerHttp((request, response) => {
    const { method, headers } = request;
    request.once("data", (body: Buffer) =>
      response.end(`${method} ${String(headers["x-size"])} ${String(body)}`),
    );
    if (method === "GET") response.end(method);
  });
  const { ask } = await openOne(
    `const first = new Request("http://a/", { method: "POST", headers: { "x-size": "5" }, body: "hello" });
     const load = async () => {
       const text = await (await fetch(${JSON.stringify(service)}, first)).text();
       if (text !== "POST 5 hello") throw new Error(text);
       return { y: x };
     };
     return load();`,
  );
  expect(await ask([3])).toEqual([[3]]);
});

test.each<[call: string, text: string, timeLimit?: number]>([
  ['fetch("http://127.0.0.1:9/")', "TypeError: fetch failed"],
  ["fetch(`${service}/silent`)", "Error: fetch: the request took longer than 0.3 s", 300_000],
  [
    "(await fetch(`${service}/half`)).text()",
    "Error: response.text(): the request took longer than 0.3 s",
    300_000,
  ],
  ["(await fetch(`${service}/cut`)).text()", "TypeError: terminated"],
  ["(await fetch(`${service}/word`)).json()", "SyntaxError: "],
  [
    "fetch(service, { signal: AbortSignal.timeout(50) })",
    "TimeoutError: The operation was aborted due to timeout",
  ],
  ["fetch(service, { signal: AbortSignal.abort(new Error('mine')) })", "Error: mine"],
  [
    "Promise.any([fetch('http://127.0.0.1:9/')])",
    "AggregateError: All promises were rejected; TypeError: fetch failed",
  ],
])("an error of `%s` has the author's line", async (call, text, timeLimit = ofOne.timeLimit) => {
  const { ask } = await openOne(
    `const service = ${JSON.stringify(await openService())};
     const load = async () => {
       if (x === 7) await ${call};
       return { y: x };
     };
     return load();`,
    { timeLimit },
  );
  const [failed, other] = await ask([7], [1]);
  expect(String(failed)).toMatch(
    new RegExp(`^row 0: ${text.replaceAll(/[()]/g, "\\$&")}.* \\(run.mjs:4:\\d+\\)$`),
  );
  expect(other).toEqual([1]);
});
