import type { Runtime } from "@tritype/runtime";

/** One line of `/v2/repository/index`. */
export interface IndexEntry {
  readonly name: string;
  readonly version?: string;
  readonly state?: string;
  readonly reason?: string;
}

/** The repository index, as in Triton. @param onlyReady Leaves out models that are not ready. */
export const repositoryIndex = async (runtime: Runtime, onlyReady: boolean): Promise<readonly IndexEntry[]> =>
  (await runtime.index())
    .filter(({ state }) => !onlyReady || state === "READY")
    .map(({ name, version, state, reason }) => ({
      name,
      ...(version === undefined ? {} : { version, state }),
      ...(reason === undefined || version === undefined ? {} : { reason }),
    }));
