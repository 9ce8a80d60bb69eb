import { dirname } from "node:path";
import { type DeclaredTypes, type LocalEndpoint, openLocal } from "@tritype/endpoint";
import { readManifest } from "@tritype/project";
import type { Given } from "../command.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { acceptedBy } from "../verify/accepted-inputs.ts";
import type { AcceptedInputs } from "../verify/sample-requests.ts";
import { deviceOf } from "./device.ts";
import { profiledRepositoryOf } from "./repository-of.ts";

export interface BuiltEndpoint extends LocalEndpoint {
  /** The elements that a model's inputs accept. */
  readonly accepted: (model: string) => AcceptedInputs;
  /** The types of an ensemble or a flow of the project. */
  readonly declared: (model: string) => DeclaredTypes | undefined;
}

/**
 * The project's build, or the repository in `folder`, in the local runtime. `check` gets the names of the project's ensembles before
 * models are loaded, which takes most of the time.
 * @returns undefined if the build fails, after printing the reason; its `models` are the project's ensembles, or all models of `folder`.
 */
export const openBuilt = async (
  folder: string | undefined,
  given: Given,
  terminal: Terminal,
  check: (ensembles: readonly string[]) => void = () => {},
): Promise<BuiltEndpoint | undefined> => {
  const device = deviceOf(given, "cpu");
  const built = await profiledRepositoryOf(folder, given, terminal);
  if (built === undefined) return undefined;
  const { repository, ensembles, configName } = built;
  if (folder === undefined) check(ensembles);
  const python = given.flag("python") ? "always" : "twin";
  const notice = noticeOf(terminal);
  const local = await openLocal("the project", { repository, device, configName, python, notice });
  let read: { readonly manifest: ReturnType<typeof readManifest> } | undefined;
  const manifest = () => (read ??= { manifest: readManifest(dirname(repository)) }).manifest;
  const accepted = (model: string) => acceptedBy(manifest(), model);
  const declared = (model: string) => manifest()?.ensembles.find(({ name }) => name === model);
  return { ...local, accepted, declared, models: folder === undefined ? ensembles : local.models };
};
