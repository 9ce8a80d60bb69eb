/**
 * Loaded before the command. At the n-th call of a function of node:fs on a path in the build's staging folder, the
 * process gets a signal or the call fails. TRITYPE_TEST_FAULT is `<function>:<n>:<signal or error code>`. If n is the end
 * of a path, every call that would create a file there fails, as if write permission were missing.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [name, nth, what] = process.env.TRITYPE_TEST_FAULT.split(":");
const real = fs[name];
let calls = 0;
fs[name] = (...args) => {
  if (String(args[1]).endsWith(nth) && nth.includes("/") && !String(args[1]).includes(".staging-"))
    throw Object.assign(new Error(`${what}: injected`), { code: what, path: args[0], dest: args[1] });
  if (args.some((arg) => String(arg).includes(".staging-")) && ++calls === Number(nth)) {
    if (what.startsWith("SIG")) process.kill(process.pid, what);
    else throw Object.assign(new Error(`${what}: injected, ${name} '${args[0]}'`), { code: what });
  }
  return real(...args);
};
syncBuiltinESMExports();
