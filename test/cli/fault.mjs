/**
 * At the n-th call of a function of node:fs on a path in the build's staging folder, the process gets a signal, the call
 * fails, or it takes some time. A fault is `<function>:<n>:<signal, error code or milliseconds>`. If n is the end of a path, every call that would create a
 * file there fails, as if write permission were missing. Loading this file injects the fault in TRITYPE_TEST_FAULT.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** @returns A function that removes the fault. */
export const inject = (fault) => {
  const [name, nth, what] = fault.split(":");
  const real = fs[name];
  let calls = 0;
  fs[name] = (...args) => {
    if (String(args[1]).endsWith(nth) && nth.includes("/") && !String(args[1]).includes(".staging-"))
      throw Object.assign(new Error(`${what}: injected`), { code: what, path: args[0], dest: args[1] });
    if (args.some((arg) => String(arg).includes(".staging-")) && ++calls === Number(nth)) {
      if (what.startsWith("SIG")) process.kill(process.pid, what);
      else if (Number(what) > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(what));
      else throw Object.assign(new Error(`${what}: injected, ${name} '${args[0]}'`), { code: what });
    }
    return real(...args);
  };
  syncBuiltinESMExports();
  return () => {
    fs[name] = real;
    syncBuiltinESMExports();
  };
};

const { TRITYPE_TEST_FAULT } = process.env;
if (TRITYPE_TEST_FAULT !== undefined) inject(TRITYPE_TEST_FAULT);
