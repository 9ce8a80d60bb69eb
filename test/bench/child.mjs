import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs Node until it exits. @throws Error with its output if it fails. @returns milliseconds, and what it printed. */
export const runNode = (args, { cwd, env, codes = [0] } = {}) => {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  const took = performance.now() - start;
  if (!codes.includes(status))
    throw new Error(`node ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return { took, stdout };
};

const timer = fileURLToPath(new URL("processor-time.py", import.meta.url));

/** Runs Node until it exits. @returns in milliseconds: `clock`, how long it took, and `processor`, the time of its threads. */
export const timeNode = (args, { cwd }) => {
  const python = process.env.TRITYPE_PYTHON ?? "python3";
  const printed = execFileSync(python, [timer, process.execPath, ...args], { cwd, encoding: "utf8" });
  const [clock, processor] = printed.split(" ").map((seconds) => 1000 * Number(seconds));
  return { clock, processor };
};
