import { servedVersions as selectVersions } from "@tritype/triton";
import type { ModelContext } from "../model-context.ts";

/**
 * The versions that the version policy selects, smallest first; each is the name of the folder that the backend opens.
 * Source: core `model_lifecycle.cc` (folder names are read with `stoll`: `3.5` is version 3).
 */
export const servedVersions = (model: ModelContext): readonly string[] => {
  const found = new Set<bigint>();
  for (const { name, kind } of model.list("") ?? []) {
    const number = kind === "folder" ? versionOf(name) : undefined;
    if (number !== undefined) found.add(number);
  }
  const all = [...found].toSorted((a, b) => (a < b ? -1 : 1));
  return selectVersions(all, model.config.version_policy).map((version) =>
    String(BigInt.asUintN(64, version)),
  );
};

const versionOf = (folder: string): bigint | undefined => {
  if (folder.length > 1 && folder.startsWith("0")) return undefined;
  const [, digits] = /^\s*\+?(-?\d+)/.exec(folder) ?? [];
  if (digits === undefined) return undefined;
  const version = BigInt(digits);
  return BigInt.asIntN(64, version) === version ? version : undefined;
};
