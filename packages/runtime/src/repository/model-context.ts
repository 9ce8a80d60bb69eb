import { makeContext, type ModelContext } from "@tritype/check/refusals";
import { defaultRelease, type ModelConfig } from "@tritype/triton";
import { createRepositoryHost } from "../host/repository-host.ts";

export interface ModelPlace {
  /** Name of the model. */
  readonly name: string;
  /** Absolute path of its folder. */
  readonly folder: string;
  /** The only version to check. Default: all that its version policy selects. */
  readonly version?: string;
}

/**
 * A model's configuration and folder in the form that Triton's rules need. The runtime refuses models by these
 * rules.
 */
export const modelContext = ({ name, folder, version }: ModelPlace, written: ModelConfig): ModelContext => {
  const { list, read, readAt } = createRepositoryHost(folder);
  return makeContext(
    {
      name,
      path: folder,
      file: name,
      text: "",
      written: version === undefined ? written : { ...written, version_policy: { all: {} } },
      list: (path) =>
        version === undefined || path !== ""
          ? list(path)
          : list(path)?.filter(({ name: entry }) => entry === version || !/^\d+$/.test(entry)),
      read,
      readAt,
    },
    { release: defaultRelease },
  );
};
