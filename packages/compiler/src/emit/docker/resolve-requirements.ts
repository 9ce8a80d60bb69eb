import type { Diagnostic } from "@tritype/core";
import { definedAt } from "../../check/check-declaration.ts";
import { diagnose } from "../../diagnostics.ts";
import type { EmittedModel } from "../emitted-model.ts";

/** The Python packages of a build, one version each. */
export interface ResolvedRequirements {
  /** As pip reads them, `numpy==1.26.4`, by name. */
  readonly pins: readonly string[];
  /** Whether the pins need nothing else: none of the packages imports what it names as its dependencies. */
  readonly complete: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Packages that emitted code imports, each with the version it gets where a step names none. numpy 1 has wheels for Python 3.9 to
 * 3.12 and is what Triton's python backend is built with; tokenizers is the Rust core of the native twin, and reaches for
 * huggingface-hub only to download.
 */
const known: ReadonlyMap<string, string> = new Map([
  ["numpy", "1.26.4"],
  ["tokenizers", "0.23.2"],
]);

interface Requirement {
  readonly name: string;
  readonly extras: readonly string[];
  readonly version: string | undefined;
  readonly text: string;
  readonly model: EmittedModel;
}

/** All models of a server share one Python: one version of each package. The python backend imports numpy itself. */
export const resolveRequirements = (models: readonly EmittedModel[]): ResolvedRequirements => {
  const diagnostics: Diagnostic[] = [];
  const byName = new Map<string, Requirement[]>();
  for (const model of models)
    for (const text of [...(model.config.backend === "python" ? ["numpy"] : []), ...model.requirements]) {
      const requirement = parseRequirement(text, model);
      if (requirement === undefined) diagnostics.push(notPinned(text, model));
      else byName.set(requirement.name, [...(byName.get(requirement.name) ?? []), requirement]);
    }
  const pins: string[] = [];
  for (const [name, all] of [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [first, ...others] = all.filter(({ version }) => version !== undefined);
    for (const other of others)
      if (first !== undefined && canonical(other.version) !== canonical(first.version))
        diagnostics.push(conflict(first, other));
    const version = first?.version ?? known.get(name);
    const [unpinned] = all;
    if (version === undefined && unpinned !== undefined)
      diagnostics.push(notPinned(unpinned.text, unpinned.model));
    const extras = [...new Set(all.flatMap((requirement) => requirement.extras))].toSorted();
    pins.push(`${name}${extras.length > 0 ? `[${extras.join(",")}]` : ""}==${version ?? ""}`);
  }
  const complete = [...byName.keys()].every((name) => known.has(name));
  return { pins, complete, diagnostics };
};

/** `name`, `name[extra]`, `name==version`; undefined for ranges, links and what pip cannot read. Source: PEP 508. */
const parseRequirement = (text: string, model: EmittedModel): Requirement | undefined => {
  const found = /^([a-z\d](?:[\w.-]*[a-z\d])?)\s*(?:\[([\w.,\s-]*)\])?\s*(?:==\s*v?(\d[\w.+!-]*))?$/i.exec(
    text.trim(),
  );
  if (found === null) return undefined;
  const [, name = "", extras = "", version] = found;
  return {
    name: normal(name),
    extras: extras
      .split(",")
      .map((extra) => normal(extra.trim()))
      .filter((extra) => extra !== ""),
    version,
    text,
    model,
  };
};

/** One spelling of a name. Source: PEP 503. */
const normal = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, "-");

/** 1.0 and 1.0.0 are one version. Source: PEP 440. */
const canonical = (version: string | undefined): string | undefined =>
  version?.toLowerCase().replace(/(?:\.0+)+$/, "");

const notPinned = (requirement: string, model: EmittedModel): Diagnostic => {
  const name = /^\s*([\w.-]+)/.exec(requirement)?.[1] ?? "name";
  const own = known.get(normal(name));
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
