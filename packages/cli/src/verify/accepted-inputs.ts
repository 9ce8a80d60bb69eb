import { dirname } from "node:path";
import { mapDefined } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { readManifest } from "@tritype/project";
import type { AcceptedInputs } from "./sample-requests.ts";

/** The elements that an ensemble's inputs accept, from the manifest of its build. */
export const acceptedInputsOf = (repository: string, ensemble: string): AcceptedInputs =>
  acceptedBy(readManifest(dirname(repository)), ensemble);

export const acceptedBy = (manifest: Manifest | undefined, ensemble: string): AcceptedInputs => {
  const inputs = manifest?.ensembles.find(({ name }) => name === ensemble)?.inputs;
  return mapDefined(Object.keys(inputs ?? {}), (name) => inputs?.[name]?.accepts);
};
