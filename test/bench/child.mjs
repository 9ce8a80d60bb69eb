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

/** Runs Node until it exits. @returns milliseconds of processor time that it and its threads took. */
export const processorTime = (args, { cwd }) =>
  1000 *
  Number(
    execFileSync(process.env.TRITYPE_PYTHON ?? "python3", [timer, process.execPath, ...args], {
      cwd,
      encoding: "utf8",
    }),
  );
