import { normalPackageName, type Diagnostic } from "@tritype/core";
import { definedAt } from "../../check/check-declaration.ts";
import { diagnose } from "../../diagnostics.ts";
import type { EmittedModel } from "../emitted-model.ts";
import { knownVersion, knownVersions } from "./known-packages.ts";

/** The Python packages for a build, with one version of each. */
export interface ResolvedRequirements {
  /** In pip's notation, by name: `numpy==1.26.4`, followed by the hashes of its wheels if every package has some. */
  readonly pins: readonly string[];
  /** Whether the pins are complete, because none of the packages imports its declared dependencies. */
  readonly complete: boolean;
  /** Names of packages without hashes. If there are any, `pins` has no hashes, because pip checks all or none. */
  readonly unhashed: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

interface Requirement {
  readonly name: string;
  readonly extras: readonly string[];
  readonly version: string | undefined;
  /** SHA-256 hashes given by the author. */
  readonly hashes: readonly string[];
  readonly text: string;
  readonly model: EmittedModel;
}

/** All models on a server share one Python installation, with one version of each package. The python backend itself imports numpy. */
export const resolveRequirements = (models: readonly EmittedModel[]): ResolvedRequirements => {
  const diagnostics: Diagnostic[] = [];
  const byName = new Map<string, Requirement[]>();
  for (const model of models)
    for (const text of [...(model.config.backend === "python" ? ["numpy"] : []), ...model.requirements]) {
      const requirement = parseRequirement(text, model);
      if (requirement === undefined) diagnostics.push(notPinned(text, model));
      else byName.set(requirement.name, [...(byName.get(requirement.name) ?? []), requirement]);
    }
  const pins: Pin[] = [];
  for (const [name, all] of [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [first, ...others] = all.filter(({ version }) => version !== undefined);
    for (const other of others)
      if (first !== undefined && canonical(other.version) !== canonical(first.version))
        diagnostics.push(conflict(first, other));
    const version = first?.version ?? knownVersion(name);
    const [unpinned] = all;
    if (version === undefined && unpinned !== undefined)
      diagnostics.push(notPinned(unpinned.text, unpinned.model));
    const extras = [...new Set(all.flatMap((requirement) => requirement.extras))].toSorted();
    const pin = `${name}${extras.length > 0 ? `[${extras.join(",")}]` : ""}==${version ?? ""}`;
    pins.push({ name, pin, hashes: hashesOf(name, version, all) });
  }
  const complete = [...byName.keys()].every((name) => knownVersions(name) !== undefined);
  const unhashed = pins.filter(({ hashes }) => hashes.length === 0).map(({ name }) => name);
  return {
    pins: pins.map(({ pin, hashes }) => (unhashed.length > 0 ? pin : withHashes(pin, hashes))),
    complete,
    unhashed,
    diagnostics,
  };
};

/** A requirement without its hashes: `scipy==1.13.1 --hash=sha256:…` is `scipy==1.13.1`. */
export const withoutHashes = (requirement: string): string => requirement.replaceAll(hashOption, "");

interface Pin {
  readonly name: string;
  readonly pin: string;
  readonly hashes: readonly string[];
}

/** The author's hashes; if there are none, ours, if we know the version. */
const hashesOf = (
  name: string,
  version: string | undefined,
  all: readonly Requirement[],
): readonly string[] => {
  const own = Object.entries(knownVersions(name) ?? {});
  const given = [...new Set(all.flatMap(({ hashes }) => hashes))].toSorted();
  if (given.length > 0) return given;
  return own.find(([known]) => canonical(known) === canonical(version))?.[1] ?? [];
};

const withHashes = (pin: string, hashes: readonly string[]): string =>
  [pin, ...hashes.map((hash) => `    --hash=sha256:${hash}`)].join(" \\\n");

const hashOption = /\s+--hash=sha256:([\da-f]{64})(?=\s|$)/gi;

/**
 * `name`, `name[extra]`, `name==version`, each optionally followed by `--hash=sha256:…`; undefined for ranges, links
 * and anything else.
 * Source: PEP 508; pip's requirements file format.
 */
const parseRequirement = (text: string, model: EmittedModel): Requirement | undefined => {
  const found = /^([a-z\d](?:[\w.-]*[a-z\d])?)\s*(?:\[([\w.,\s-]*)\])?\s*(?:==\s*v?(\d[\w.+!-]*))?$/i.exec(
    withoutHashes(text).trim(),
  );
  if (found === null) return undefined;
  const [, name = "", extras = "", version] = found;
  return {
    name: normalPackageName(name),
    extras: extras
      .split(",")
      .map((extra) => normalPackageName(extra.trim()))
      .filter((extra) => extra !== ""),
    version,
    hashes: [...text.matchAll(hashOption)].map(([, hash = ""]) => hash.toLowerCase()),
    text,
    model,
  };
};

/** 1.0 and 1.0.0 are equal versions. Source: PEP 440. */
const canonical = (version: string | undefined): string | undefined =>
  version?.toLowerCase().replace(/(?:\.0+)+$/, "");

const notPinned = (requirement: string, model: EmittedModel): Diagnostic => {
  const name = /^\s*([\w.-]+)/.exec(requirement)?.[1] ?? "name";
  const own = knownVersion(normalPackageName(name));
  return diagnose("python/requirement-not-pinned", {
    with: { requirement: JSON.stringify(requirement), step: model.name, name },
    labels: labelsOf(model, "needs it"),
    ...(own === undefined ? {} : { help: `write "${name}", which gets ${own}, or "${name}==<version>"` }),
  });
};

const conflict = (first: Requirement, other: Requirement): Diagnostic =>
  diagnose("python/requirement-conflict", {
    with: { step: other.model.name, got: other.text, first: first.model.name, wanted: first.text },
    labels: [...labelsOf(other.model, other.text), ...labelsOf(first.model, first.text)],
  });

const labelsOf = ({ definition }: EmittedModel, text: string): Diagnostic["labels"] =>
  definition === undefined ? [] : definedAt(definition, text);
