import type { RepositoryEntry } from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";

/** The repository index, as in Triton. @param onlyReady Leaves out models that are not ready. */
export const repositoryIndex = async (
  runtime: Runtime,
  onlyReady: boolean,
): Promise<readonly RepositoryEntry[]> =>
  (await runtime.index())
    .filter(({ state }) => !onlyReady || state === "READY")
    .map(({ name, version, state, reason }) => ({
      name,
      ...(version === undefined ? {} : { version, state }),
      ...(reason === undefined || version === undefined ? {} : { reason }),
    }));
