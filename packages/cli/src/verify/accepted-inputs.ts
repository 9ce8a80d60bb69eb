import { dirname } from "node:path";
import { readManifest } from "@tritype/project";
import type { AcceptedInputs } from "./sample-requests.ts";

/** What the inputs of an ensemble accept, as the manifest of its build says. */
export const acceptedInputsOf = (repository: string, ensemble: string): AcceptedInputs => {
  const inputs = readManifest(dirname(repository))?.ensembles.find(({ name }) => name === ensemble)?.inputs;
  return new Map(
    Object.entries(inputs ?? {}).flatMap(([name, { accepts }]) =>
      accepts === undefined ? [] : [[name, accepts] as const],
    ),
  );
};
