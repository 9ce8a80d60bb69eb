import type { RefusalCode } from "../refusals/refusals.ts";

/** Globals of JavaScript that rows of the table speak of. */
export const translatedGlobals: ReadonlySet<string> = new Set(
  "Math Number String Boolean BigInt Object Array JSON Map Set Error RangeError TypeError SyntaxError parseInt parseFloat isNaN isFinite NaN Infinity Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array".split(
    " ",
  ),
);

interface RefusedGlobal {
  readonly code: RefusalCode;
  readonly why: string;
  readonly instead?: string;
}
const inputOutput = (why: string): RefusedGlobal => ({ code: "function/input-output", why });
const clock: RefusedGlobal = {
  code: "function/clock",
  why: "a row's result would depend on when it is computed",
};
const async: RefusedGlobal = { code: "function/async", why: "a step computes its result at once" };

/** Globals that are refused for what they are. */
export const refusedGlobals: Readonly<Record<string, RefusedGlobal | undefined>> = {
  Date: clock,
  performance: clock,
  setTimeout: clock,
  setInterval: clock,
  crypto: { code: "function/randomness", why: "a row's result would differ from call to call" },
  Intl: { code: "function/locale", why: "results depend on the machine's locale data" },
  Promise: async,
  queueMicrotask: async,
  console: {
    ...inputOutput("what it prints would be lost in Triton"),
    instead: "another output; to look inside, call the function from a test",
  },
  process: inputOutput("a step sees nothing of its process"),
  fetch: inputOutput("a step reads nothing but its inputs"),
  require: inputOutput("a step reads nothing but its inputs"),
  globalThis: inputOutput("a step sees nothing of its process"),
  WebSocket: inputOutput("a step reads nothing but its inputs"),
  Buffer: inputOutput("bytes of Node"),
  structuredClone: {
    code: "function/built-in",
    why: "copies of anything",
    instead: "`{ ...record }`, `[...list]`, `list.map((item) => ({ ...item }))`",
  },
  Symbol: { code: "function/built-in", why: "symbols" },
  Proxy: { code: "function/built-in", why: "objects that answer for others" },
  Reflect: { code: "function/built-in", why: "reflection" },
  eval: { code: "function/built-in", why: "code that is made at run time" },
  WeakMap: { code: "function/built-in", why: "weak references" },
  WeakSet: { code: "function/built-in", why: "weak references" },
  RegExp: { code: "function/regexp", why: "a pattern made at run time" },
};
