import { spawnSync } from "node:child_process";

/** Runs Node to its end. @throws Error with its output when it fails. @returns milliseconds, and what it printed. */
export const runNode = (args, { cwd, env, codes = [0] } = {}) => {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  const took = performance.now() - start;
  if (!codes.includes(status))
    throw new Error(`node ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return { took, stdout };
};
