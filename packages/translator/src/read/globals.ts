import type { RefusalCode } from "../refusals/refusals.ts";

/** JavaScript globals that the table has rows for. */
export const translatedGlobals: ReadonlySet<string> = new Set(
  "Math Number String Boolean BigInt Object Array JSON Map Set Error RangeError TypeError SyntaxError parseInt parseFloat isNaN isFinite NaN Infinity Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array encodeURIComponent decodeURIComponent TextEncoder TextDecoder atob btoa structuredClone".split(
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
/** `new Date(text)`, which does not read the current time. */
export const dateOfText: RefusedGlobal = {
  code: "function/built-in",
  why: "engines parse dates differently, and in the time zone of the machine",
  instead: "a regular expression for the parts, or a `python` step with `datetime`",
};
const async: RefusedGlobal = { code: "function/async", why: "a step must compute its result synchronously" };

const untranslated = (instead: string): RefusedGlobal => ({
  code: "function/built-in",
  why: "not translated",
  instead,
});

/** Globals that are refused in every use. */
export const refusedGlobals: Readonly<Record<string, RefusedGlobal | undefined>> = {
  Date: clock,
  performance: clock,
  setTimeout: clock,
  setInterval: clock,
  crypto: { code: "function/randomness", why: "a row's result would change from call to call" },
  Intl: {
    code: "function/locale",
    why: "results depend on the machine's locale data",
    instead: "`toFixed(digits)` for numbers, `(a, b) => (a < b ? -1 : a > b ? 1 : 0)` to order strings",
  },
  Promise: async,
  queueMicrotask: async,
  console: {
    ...inputOutput("what it prints would be lost in Triton"),
    instead: "another output; to see values, call the function from a test",
  },
  process: inputOutput("a step has no access to its process"),
  fetch: inputOutput("a step can only read its inputs"),
  require: inputOutput("a step can only read its inputs"),
  globalThis: inputOutput("a step has no access to its process"),
  WebSocket: inputOutput("a step can only read its inputs"),
  Buffer: {
    ...inputOutput("bytes of Node"),
    instead: "`new TextEncoder().encode(text)` for bytes, `btoa(text)` for base64, or a `python` step",
  },
  URL: untranslated("a regular expression for the parts, or a `python` step with `urllib.parse`"),
  URLSearchParams: untranslated("`split` and `decodeURIComponent`, or a `python` step with `urllib.parse`"),
  encodeURI: untranslated("`encodeURIComponent` of each part"),
  decodeURI: untranslated("`decodeURIComponent` of each part"),
  Symbol: { code: "function/built-in", why: "symbols" },
  Proxy: { code: "function/built-in", why: "objects that intercept operations on other objects" },
  Reflect: { code: "function/built-in", why: "reflection" },
  eval: { code: "function/built-in", why: "code that is generated at run time" },
  WeakMap: { code: "function/built-in", why: "weak references" },
  WeakSet: { code: "function/built-in", why: "weak references" },
  RegExp: {
    code: "function/regexp",
    why: "a pattern built at run time",
    instead: "a literal, `words.some((word) => text.includes(word))`, or a `python` step",
  },
};
