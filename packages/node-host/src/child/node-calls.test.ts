import { tensorOf, valuesOf } from "@tritype/core";
import type { NodeTwinOptions } from "@tritype/manifest";
import { expect, onTestFinished, test } from "vitest";
import { ofOne, shown, versionFolder } from "../fixtures/version-folder.ts";
import { type NodeCall, type NodeCallAnswer, openNodeChild } from "./node-child.ts";

const int = { dtype: "INT32", dims: ["batch", 1] };
const options: NodeTwinOptions = {
  ...ofOne,
  calls: {
    double: { model: "double", inputs: { x: int }, outputs: { y: int } },
    scores: {
      model: "scores",
      version: 2,
      inputs: { text: { dtype: "BYTES", dims: ["batch", 1], json: true }, top: { ...int, optional: true } },
      outputs: { scores: { dtype: "FP32", dims: ["batch", "n"] }, all: { dtype: "FP32", dims: [2] } },
    },
  },
};

const texts = (...rows: readonly string[]) => tensorOf("BYTES", [rows.length, 1], rows);

const double = ({ inputs }: NodeCall): NodeCallAnswer => {
  const [x] = [...inputs.values()].map((tensor) => Number(valuesOf(tensor)[0]));
  return x === 13
    ? { text: "no 13" }
    : x === -14
      ? { text: "double: row 0: RangeError: no 14" }
      : { outputs: new Map([["y", tensorOf("INT32", [1, 1], [2 * (x ?? 0)])]]) };
};

/** A flow with one INT32 per row; `body` is the code of `run({ x }, { double, scores })`. */
const openFlow = async (
  body: string,
  call: (given: NodeCall) => NodeCallAnswer | Promise<NodeCallAnswer>,
  own: Partial<NodeTwinOptions> = {},
  lines: string[] = [],
) => {
  const all = { ...options, ...own };
  const folder = await versionFolder(
    `export const run = async ({ x }, { double, scores }) => {\n${body}\n};\n`,
    all,
  );
  const child = await openNodeChild({
    folder,
    options: all,
    notice: (line) => void lines.push(line),
    call: async (given) => call(given),
  });
  onTestFinished(() => child.close());
  return async (...rows: readonly number[]) =>
    (
      await child.execute(rows.map((row) => ({ inputs: new Map([["x", tensorOf("INT32", [1, 1], [row])]]) })))
    ).map(shown);
};

test("calls from one request or from several run at the same time, and every answer reaches its caller", async () => {
  let now = 0;
  let most = 0;
  const ask = await openFlow(
    `const made = await Promise.all([1, 2, 3].map((n) => double({ x: x * n })));
     return { y: made.reduce((sum, { y }) => sum + y, 0) };`,
    async (given) => {
      most = Math.max(most, ++now);
      await expect.poll(() => most, { timeout: 10_000 }).toBe(6);
      now--;
      return double(given);
    },
  );
  expect(await ask(1, 10)).toEqual([[12], [120]]);
  expect(most).toBe(6);
});

test("values are passed as the callee declares them: JSON, optional inputs, rows and whole tensors", async () => {
  const given: NodeCall[] = [];
  const ask = await openFlow(
    `const { scores: list, all } = await scores({ text: { x } });
     if (!(list instanceof Float32Array) || list.length !== 3) throw new Error("no list");
     if (all.shape.join() !== "2") throw new Error("not whole");
     return { y: list[2] + all.data[1] };`,
    (call) => {
      given.push(call);
      return {
        outputs: new Map([
          ["scores", tensorOf("FP32", [1, 3], [1, 2, 3])],
          ["all", tensorOf("FP32", [2], [10, 20])],
        ]),
      };
    },
  );
  expect(await ask(7)).toEqual([[23]]);
  const [{ callee, inputs, left } = {}] = given;
  expect([callee?.model, callee?.version]).toEqual(["scores", 2]);
  expect(left).toBeGreaterThan(50_000_000);
  expect([...(inputs ?? [])].map(([name, tensor]) => [name, valuesOf(tensor)])).toEqual([
    ["text", ['{"x":7}']],
  ]);
});

test("a callee of a flow with a limit of hours gets the most time that a frame can say", async () => {
  const left: (number | undefined)[] = [];
  const ask = await openFlow(
    "return double({ x });",
    (call) => {
      left.push(call.left);
      return double(call);
    },
    { timeLimit: 2 ** 32 + 5_000_000 },
  );
  expect(await ask(2)).toEqual([[4]]);
  expect(left).toEqual([2 ** 32 - 1]);
});

test.each([
  ["double({ x: 13 })", "CallError: double: no 13"],
  ["double({ x: -14 })", "CallError: double: row 0: RangeError: no 14"],
  ["double({})", "CallError: input x of double is missing"],
  ["double()", "CallError: input x of double is missing"],
  ["double(null)", "CallError: input x of double is missing"],
  ["double({ x: 1, z: 2 })", "CallError: input z of double is not declared"],
  [
    "double({ x: 1.5 })",
    "CallError: input x of double has a value that is not a whole number from -2147483648 to 2147483647",
  ],
  ["scores({ text: 1, top: 'all' })", "CallError: input top of scores has a value that is not a number"],
  ["double({ x: double({ x: 1 }) })", "CallError: input x of double is a Promise: await it"],
  [
    "scores({ text: [Promise.resolve()] })",
    "CallError: input text of scores is not JSON: [0] is a Promise; await it, or use Promise.all for a list",
  ],
  ["scores({ text: 1 })", "CallError: output scores of scores is missing"],
])("%s fails the call, with an error at the author's line", async (call, text) => {
  const ask = await openFlow(`if (x === 1) await ${call};\nreturn { y: x };`, double);
  const [failed, neighbour] = await ask(1, 2);
  expect(String(failed).replace(/:\d+\)$/, ")")).toBe(`row 0: ${text} (run.mjs:2)`);
  expect(neighbour).toEqual([2]);
});

test.each([
  [tensorOf("INT64", [1, 1], [1n]), "double: output y is INT64, wanted INT32"],
  [tensorOf("INT32", [1, 2], [1, 2]), "output y of double has shape [1, 2], wanted [1, 1]"],
])("an answer that the callee's declaration does not allow fails the call", async (y, text) => {
  const ask = await openFlow(
    `return double({ x }).catch((error) => { throw new Error(error.code + " " + error.model + ": " + error.message); });`,
    () => ({ outputs: new Map([["y", y]]) }),
  );
  expect(await ask(1)).toEqual([expect.stringContaining(`Error: call/answer double: ${text}`)]);
});

test("a function that changes what a stack is can still make calls", async () => {
  const ask = await openFlow(
    `Error.prepareStackTrace = (_, sites) => sites;
     return double({ x });`,
    double,
  );
  expect(await ask(3, 13)).toEqual([[6], "row 0: CallError: double: no 13"]);
});

test("a call that is never answered ends with its request, and the callee is cancelled", async () => {
  const signals: AbortSignal[] = [];
  const ask = await openFlow(
    `return double({ x });`,
    (call) => {
      signals.push(call.signal);
      return valuesOf(call.inputs.get("x") ?? tensorOf("INT32", [0], []))[0] === 7
        ? new Promise(() => {})
        : double(call);
    },
    { timeLimit: 300_000 },
  );
  expect(await ask(7, 2)).toEqual([
    expect.stringMatching(/^row 0: CallError: double: the request took longer than 0.3 s \(run.mjs:2:\d+\)$/),
    [4],
  ]);
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test("calls that are still running when their request is answered end with it and free their slots", async () => {
  const signals: AbortSignal[] = [];
  const ask = await openFlow(
    `const late = new Promise((resolve) => void (x === 7 && setTimeout(resolve, 20, { y: -1 })));
     const { y } = await Promise.race([double({ x }), late]);
     return { y };`,
    (call) => {
      signals.push(call.signal);
      return valuesOf(call.inputs.get("x") ?? tensorOf("INT32", [0], []))[0] === 7
        ? new Promise(() => {})
        : double(call);
    },
  );
  const left = await ask(...Array<number>(300).fill(7));
  expect(new Set(left.flat())).toEqual(new Set([-1]));
  expect(await ask(2)).toEqual([[4]]);
  expect(signals.slice(0, 256).every(({ aborted }) => aborted)).toBe(true);
});

test("a call after the answer is an error, which reaches the log", async () => {
  const lines: string[] = [];
  const asked: number[] = [];
  const ask = await openFlow(
    `setTimeout(() => void double({ x }), 20);\nreturn { y: x };`,
    (call) => {
      asked.push(1);
      return double(call);
    },
    {},
    lines,
  );
  expect(await ask(1)).toEqual([[1]]);
  await expect.poll(() => lines.join("\n")).toContain("CallError: double: the request has already");
  expect(asked).toEqual([]);
});

test("ten thousand simultaneous calls are answered, at most 256 at a time", async () => {
  let now = 0;
  let most = 0;
  const ask = await openFlow(
    `const made = await Promise.all(Array.from({ length: 10_000 }, (_, n) => double({ x: n })));
     return { y: made.filter(({ y }, n) => y === 2 * n || n === 13).length };`.replaceAll(
      "double({ x: n })",
      "double({ x: n === 13 ? 0 : n })",
    ),
    async (given) => {
      most = Math.max(most, ++now);
      await new Promise((later) => setImmediate(later));
      now--;
      return double(given);
    },
  );
  expect(await ask(0)).toEqual([[10_000]]);
  expect(most).toBeLessThanOrEqual(256);
  expect(most).toBeGreaterThan(8);
});

test("a call that waits for its turn sends its original arguments, even if the function has changed the arrays since", async () => {
  const list = { dtype: "FP32", dims: ["batch", 2] };
  const calls = { double: { model: "double", inputs: { x: list }, outputs: { y: int } } };
  const body = (row: string): string =>
    `const row = ${row};
     const made = [];
     for (let n = 0; n < 300; n++) made.push(double({ x: (row[0] = n + 20, row) }));
     row.length = 0;
     return { y: (await Promise.all(made)).filter(({ y }, n) => y === 2 * (n + 20)).length };`;
  const ofList = await openFlow(body("[0, 0]"), double, { calls });
  expect(await ofList(1)).toEqual([[300]]);
  const ofTypedArray = await openFlow(body("new Float32Array(2)").replace("row.length = 0", ""), double, {
    calls,
  });
  expect(await ofTypedArray(1)).toEqual([[300]]);
});

test("when a process exits, its calls end too, and requests that had not started are run", async () => {
  const signals: AbortSignal[] = [];
  const ask = await openFlow(
    `if (x === 8) process.kill(process.pid, "SIGKILL");\nreturn double({ x });`,
    (call) => {
      signals.push(call.signal);
      return signals.length === 1 ? new Promise(() => {}) : double(call);
    },
  );
  const ended = "Node was killed by SIGKILL while it ran this request";
  expect(await ask(7, 8, 2)).toEqual([ended, ended, [4]]);
  expect(signals[0]?.aborted).toBe(true);
});

test.each([
  ["{ y: double({ x }) }", "output y is a Promise: await it"],
  ["{ y: undefined }", "output y is missing"],
  ["{ y: 5n }", "output y has a value that is not a number"],
  ["5n", "run returned a bigint, not an object with the outputs"],
  ["undefined", "run returned undefined, not an object with the outputs"],
  ["null", "run returned null, not an object with the outputs"],
  ["[x]", "output y is missing"],
])("`return %s` is an error at the position of `run`", async (result, text) => {
  const ask = await openFlow(`return ${result};`, double, { writtenAt: "pipeline.ts:7:3" });
  expect(await ask(1)).toEqual([`row 0: ${text} (pipeline.ts:7:3)`]);
});

const list = "convert it to a list with [...]";
const plain = "use a plain object, or give its class a toJSON() method";

test.each([
  ["const y = { x }; y.self = y;", ".self is an object that contains it; leave it out"],
  ["const y = { x: 1n };", ".x is a bigint; convert it with Number() or String()"],
  ["const y = [1, 2].map(async (n) => n);", "[0] is a Promise; await it, or use Promise.all for a list"],
  ["const y = Promise.resolve({ x });", "it is a Promise; await it, or use Promise.all for a list"],
  ["const y = { seen: new Map([[x, x]]) };", ".seen is a Map; convert it with Object.fromEntries()"],
  ["const y = [[new Set([x])]];", `[0][0] is a Set; ${list}`],
  ["const y = { keys: new Map().keys() };", `.keys is a Map Iterator; ${list}`],
  ['const y = { "a b": Math.max };', '["a b"] is a function; leave it out'],
  ["const y = Symbol();", "it is a symbol; leave it out"],
  ["const y = { at: new Date('') };", ".at is an invalid Date; use a valid one or null"],
  ["const y = { why: new RangeError('no') };", ".why is an Error; use its message"],
  ["const y = { v: new Float32Array(2) };", `.v is a Float32Array; ${list}`],
  ["const y = { v: new (class Box { #x = 1 })() };", `.v is a Box; ${plain}`],
])("`%s` is not a JSON output", async (code, text) => {
  const y = { dtype: "BYTES", dims: ["batch", 1], json: true } as const;
  const ask = await openFlow(`${code}\nreturn { y };`, double, {
    outputs: { y },
    writtenAt: "pipeline.ts:7:3",
  });
  expect(await ask(1)).toEqual([`row 0: output y is not JSON: ${text} (pipeline.ts:7:3)`]);
});

test("an element of a whole JSON output that JSON cannot represent is named", async () => {
  const y = { dtype: "BYTES", dims: ["batch", 1], json: true } as const;
  const ask = await openFlow(
    `const some = x.data[0] === 1 ? undefined : { n: [1n] };\nreturn { y: { data: [some], shape: [1, 1] } };`,
    double,
    { per: "request", outputs: { y } },
  );
  expect(await ask(1, 2)).toEqual([
    "output y is not JSON: data[0] is undefined; use null",
    "output y is not JSON: data[0].n[0] is a bigint; convert it with Number() or String()",
  ]);
});

test("dates, boxed values, lists with undefined or NaN, and objects without a prototype are JSON", async () => {
  const y = { dtype: "BYTES", dims: ["batch", 1], json: true } as const;
  const ask = await openFlow(
    `const bare = Object.assign(Object.create(null), { x });
     return { y: { at: new Date(0), n: Object(1), bare, list: [undefined, NaN, -1 / 0], gone: undefined, point: new (class { x = 1 })() } };`,
    double,
    { outputs: { y } },
  );
  expect(await ask(1)).toEqual([
    ['{"at":"1970-01-01T00:00:00.000Z","n":1,"bare":{"x":1},"list":[null,null,null],"point":{"x":1}}'],
  ]);
});

test("empty objects are JSON, and a value is printed once", async () => {
  const y = { dtype: "BYTES", dims: ["batch", 1], json: true } as const;
  const ask = await openFlow(
    `globalThis.printed ??= 0;
     const b = { parts: [Promise.resolve()], toJSON: () => \`{} \${++printed}\` };
     let read = 0;
     return { y: { a: {}, b, get c() { return ++read; } } };`,
    double,
    { outputs: { y } },
  );
  expect(await ask(1, 2)).toEqual([['{"a":{},"b":"{} 1","c":1}'], ['{"a":{},"b":"{} 2","c":1}']]);
});

test("a thrown value that is not an error has the position of `run`", async () => {
  const ask = await openFlow(`throw "no luck";`, double, { writtenAt: "pipeline.ts:7:3" });
  expect(await ask(1)).toEqual(['row 0: "no luck" was thrown (pipeline.ts:7:3)']);
});

test("the causes of an error go to the log, and its message is the answer", async () => {
  const lines: string[] = [];
  const ask = await openFlow(
    `try {
       await double({ x: 13 });
     } catch (cause) {
       throw new Error("cannot double", { cause: new TypeError("no luck", { cause }) });
     }`,
    double,
    {},
    lines,
  );
  expect(await ask(1)).toEqual([expect.stringMatching(/^row 0: Error: cannot double \(run.mjs:5:\d+\)$/)]);
  const log = expect.poll(() => lines.join("\n"));
  await log.toMatch(
    /^Error: cannot double\n[^]*\[cause\]: TypeError: no luck\n[^]*\[cause\]: CallError: double: no 13\n/,
  );
});

test("the log shows the author's frames of a call that a failing flow never awaited, and no others", async () => {
  const lines: string[] = [];
  const ask = await openFlow(
    `const count = () => double({ x });\nvoid count();\nthrow new RangeError("no luck");`,
    () => new Promise(() => {}),
    {},
    lines,
  );
  expect(await ask(1)).toEqual([expect.stringContaining("RangeError: no luck")]);
  await expect.poll(() => lines.at(-1)).toBe("}");
  expect(lines.map((line) => line.replace(/file:.*\//, ""))).toEqual([
    "CallError: double: the request has already been answered",
    "    at count (run.mjs:2:21)",
    "    at Object.run (run.mjs:3:6) {",
    "  model: 'double',",
    "  code: 'call/late'",
    "}",
  ]);
});

test("the errors that Promise.any has collected have the author's line, and no frames of Node in the log", async () => {
  const lines: string[] = [];
  const ask = await openFlow(
    `return Promise.any([
       import("node:fs/promises").then(({ readFile }) => readFile("/absent")),
       double({ x: 13 }),
     ]);`,
    double,
    {},
    lines,
  );
  expect(await ask(1)).toEqual([
    expect.stringMatching(
      /^row 0: AggregateError: All promises were rejected; .*CallError.* \(run.mjs:\d+:\d+\)$/,
    ),
  ]);
  await expect.poll(() => lines.at(-1)).toBe("}");
  expect(lines.filter((line) => /^ +at /.test(line)).join("\n")).not.toMatch(/node:|host\.mjs/);
});

test("an answer whose JSON cannot be read names the output", async () => {
  const y = { dtype: "BYTES", dims: ["batch", 1], json: true } as const;
  const ask = await openFlow(
    "return scores({ text: 1 });",
    () => ({ outputs: new Map([["y", texts("{")]]) }),
    {
      calls: { scores: { model: "scores", inputs: { text: y }, outputs: { y } } },
      outputs: { y },
    },
  );
  expect(await ask(1)).toEqual([
    expect.stringMatching(/^row 0: CallError: output y of scores: the text is not JSON \(run.mjs:2:\d+\)$/),
  ]);
});

test("a rejected call that fails its request is not logged", async () => {
  const lines: string[] = [];
  const ask = await openFlow(`console.warn("begins");\nreturn double({ x: "a" });`, double, {}, lines);
  expect(await ask(1)).toEqual([expect.stringContaining("input x of double has a value")]);
  await expect.poll(() => lines).toEqual(["begins"]);
});
