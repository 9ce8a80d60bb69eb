import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type CompiledBuild, textFile } from "@tritype/compiler";
import { attempt, printRawData } from "@tritype/core";
import type { DriftReport } from "@tritype/drift";
import type { DriftGate } from "@tritype/dsl";
import type { ManifestDriftFigures, ManifestDriftProof } from "@tritype/manifest";
import { readOnnxSignature } from "@tritype/onnx";
import type { CompiledProject } from "../compile-project.ts";
import { hashLargeFile, readLargeFile } from "../files/large-file.ts";
import type { Project } from "../find-project.ts";
import { lastManifest } from "../files/write-build.ts";
import { projectError } from "../errors.ts";

/** A gate in the configuration, and the last build's proof for it, if that is still valid. */
export interface GateState {
  readonly ensemble: string;
  readonly gate: DriftGate;
  readonly key: string;
  readonly proof: ManifestDriftProof | undefined;
}

/** The gates of a compiled project. @throws PipelineError `file/not-found` for a reference or dataset that cannot be read. */
export const gateStates = (
  { root }: Pick<Project, "root">,
  { settings, compilation, ensembles }: CompiledProject,
): readonly GateState[] => {
  const { build } = compilation;
  const gates = Object.entries(settings.drift).filter(([ensemble]) => ensembles.includes(ensemble));
  if (build === undefined || gates.length === 0) return [];
  const known = lastManifest(settings.output)?.drift ?? [];
  return gates.map(([ensemble, gate]) => {
    const key = gateKey(root, build, ensemble, gate);
    return {
      ensemble,
      gate,
      key,
      proof: known.find((proof) => proof.ensemble === ensemble && proof.key === key),
    };
  });
};

/** The proof from a report. */
export const proofOf = ({ ensemble, gate, key }: GateState, report: DriftReport): ManifestDriftProof => {
  const [model] = report.models;
  return {
    ensemble,
    key,
    reference:
      typeof gate.reference === "string"
        ? gate.reference
        : Object.entries(gate.reference.models)
            .map(([name, file]) => `${file} in ${name}`)
            .join(", "),
    dataset: report.dataset,
    rows: model?.rows ?? 0,
    outputs: Object.fromEntries((model?.tensors ?? []).map((tensor) => [tensor.name, figuresOf(tensor)])),
  };
};

/** The build with proofs in its manifest. */
export const withProofs = (build: CompiledBuild, proofs: readonly ManifestDriftProof[]): CompiledBuild => {
  if (proofs.length === 0) return build;
  const { files, ...rest } = build.manifest;
  const manifest = { ...rest, drift: proofs, files };
  const tree = new Map(build.tree);
  tree.set("manifest.json", textFile(`${JSON.stringify(manifest, null, 2)}\n`));
  return { ...build, tree, manifest };
};

const figuresOf = ({
  elements,
  equalElements,
  equalExceptNumbers: like,
  absolute,
  relative,
  cosine,
  top1,
  batchDependence: { candidate },
}: DriftReport["models"][number]["tensors"][number]): ManifestDriftFigures => ({
  exact: elements === 0 ? 1 : rounded(equalElements / elements),
  ...(like === null ? {} : { exactExceptNumbers: elements === 0 ? 1 : rounded(like / elements) }),
  ...(absolute === null ? {} : { maxAbsolute: rounded(absolute.max), meanAbsolute: rounded(absolute.mean) }),
  ...(relative === null ? {} : { maxRelative: rounded(relative.max) }),
  ...(cosine === null ? {} : { cosine: rounded(cosine.min) }),
  ...(top1 === null ? {} : { top1: rounded(top1.agreed / top1.positions) }),
  ...(candidate === null
    ? {}
    : { batchDependence: rounded(Math.max(candidate.rowByRow, candidate.permuted)) }),
});

/** Rounds to four digits, or for a number just below 1, to four digits of its distance from 1. */
const rounded = (value: number): number =>
  value > 0.9 && value < 1
    ? Number((1 - Number((1 - value).toPrecision(4))).toPrecision(12))
    : Number(value.toPrecision(4));

/** SHA-256 of everything that determines the results: the models of both variants, the requests and the limits. */
const gateKey = (root: string, build: CompiledBuild, ensemble: string, gate: DriftGate): string => {
  const hash = createHash("sha256").update(JSON.stringify([2, ensemble, gate]));
  for (const [path, sha256] of Object.entries(build.manifest.files))
    if (path.startsWith("model_repository/")) hash.update(JSON.stringify([path, sha256]));
  if (typeof gate.reference === "string") hashPath(hash, resolve(root, gate.reference), "", gate.reference);
  else for (const file of Object.values(gate.reference.models)) hashModel(hash, root, file);
  if (gate.dataset === undefined) {
    for (const { ensemble: of, name, inputs } of build.samples) {
      if (of !== ensemble) continue;
      hash.update(JSON.stringify(name));
      for (const [input, { dtype, shape, ...tensor }] of inputs)
        hash
          .update(JSON.stringify([input, dtype, shape]))
          .update(printRawData({ dtype, shape, ...tensor } as Parameters<typeof printRawData>[0]));
    }
  } else hashPath(hash, resolve(root, gate.dataset), "", gate.dataset);
  return hash.digest("hex");
};

/** An ONNX file and the files with its weights: if only the weights change, the file itself may stay the same. */
const hashModel = (hash: Hash, root: string, file: string): void => {
  hashPath(hash, resolve(root, file), "", file);
  const bytes = attempt(() => readLargeFile(resolve(root, file)));
  const signature = bytes && readOnnxSignature(bytes);
  for (const name of signature?.problem === undefined ? (signature?.externalFiles ?? []) : []) {
    const weights = join(dirname(file), name);
    hashPath(hash, resolve(root, weights), "", weights);
  }
};

/** Folders that do not affect the results of a project or build. */
const passedOver: ReadonlySet<string> = new Set(["node_modules", ".git", ".cache"]);

type Hash = ReturnType<typeof createHash>;

const hashPath = (hash: Hash, path: string, inside: string, named: string): void => {
  const found = statSync(join(path, inside), { throwIfNoEntry: false });
  if (found === undefined) throw projectError("drift/file-missing", { path: named });
  if (!found.isDirectory()) {
    hash.update(JSON.stringify(inside)).update(hashLargeFile(join(path, inside)));
    return;
  }
  for (const name of readdirSync(join(path, inside)).toSorted())
    if (!passedOver.has(name)) hashPath(hash, path, join(inside, name), named);
};
