import type { Label } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { folderOf } from "../../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { entryAt, insteadOf, onnxFiles, weightsPlace } from "../../model/onnx-file.ts";
import { weightsOutsideRules } from "./weights-outside.ts";

const missing = modelRule(
  {
    code: "onnx-model/missing-file",
    triton: ["165"],
    judged: "recorded",
    message: "`{model}` has no file `{file}`",
    help: "put the model there, or name the existing file in `default_model_filename`",
    reason:
      "Every version that the version policy selects is loaded from its own folder; if one file is missing, the other versions fail too.",
  },
  (model, report) => {
    for (const { path, found } of onnxFiles(model)) {
      if (found.kind !== "missing") continue;
      const place = model.at(["default_model_filename"], `\`${path}\` is expected`);
      report(place, { file: path, notes: insteadOf(model, path) });
    }
  },
);

const broken = modelRule(
  {
    code: "onnx-model/broken-file",
    triton: ["165"],
    judged: "recorded",
    message: "`{file}` of `{model}` is not an ONNX model: {problem}",
    help: "export the model again; an incomplete download or an HTML page saved in its place gives the same error",
    reason: "ONNX Runtime parses the whole file before it serves anything.",
  },
  (model, report) => {
    for (const { path, found } of onnxFiles(model))
      if (found.kind === "broken")
        report(inFile(model, path), {
          file: path,
          problem: found.problem.replace(/^the file is not an ONNX model: /, ""),
          help: found.gitLfs ? "run `git lfs pull`" : undefined,
        });
  },
);

const opset = modelRule(
  {
    code: "onnx-model/opset-too-new",
    judged: "recorded",
    message: "`{file}` of `{model}` needs opset {opset} of {domain}; Triton {release} reads up to {most}",
    help: "export the model with opset {most} or lower, or target a newer release",
    reason: "Each release ships one version of ONNX Runtime, which refuses unknown operator sets.",
  },
  (model, report) => {
    const { container, maxOpset, maxMlOpset } = model.options.release;
    const limits = [
      ["", "ai.onnx", maxOpset],
      ["ai.onnx.ml", "ai.onnx.ml", maxMlOpset],
    ] as const;
    for (const { path, found } of onnxFiles(model)) {
      if (found.kind !== "graph") continue;
      for (const [key, domain, most] of limits) {
        const needed = found.graph.signature.opsets[key] ?? 0;
        if (needed <= most) continue;
        report(inFile(model, path), { file: path, opset: needed, domain, release: container, most });
      }
    }
  },
);

const irVersion = modelRule(
  {
    code: "onnx-model/ir-version-too-new",
    judged: "recorded",
    message: "`{file}` of `{model}` has IR version {version}; Triton {release} reads up to {most}",
    help: "set `model.ir_version = {most}` when exporting, or target a newer release",
    reason:
      "New exporters write files with an IR version that older versions of ONNX Runtime refuse, regardless of the opset.",
  },
  (model, report) => {
    const { container, maxIrVersion } = model.options.release;
    for (const { path, found } of onnxFiles(model)) {
      if (found.kind !== "graph" || found.graph.signature.irVersion <= maxIrVersion) continue;
      const { irVersion: version } = found.graph.signature;
      report(inFile(model, path), { file: path, version, release: container, most: maxIrVersion });
    }
  },
);

const externalData = modelRule(
  {
    code: "onnx-model/missing-external-data",
    judged: "live",
    atLoad: true,
    message: "the weights of `{file}` of `{model}` are in `{data}`, which does not exist",
    help: "put the external data file next to the model, under the name that the model uses",
    reason:
      "Models above 2 GB keep their weights in separate files, and a copy of the .onnx file alone does not load.",
  },
  (model, report) => {
    for (const { path, found } of onnxFiles(model)) {
      if (found.kind !== "graph") continue;
      for (const data of found.graph.signature.externalFiles) {
        const place = weightsPlace(path, data);
        if (place === undefined || entryAt(model, place)?.kind === "file") continue;
        report(inFile(model, path), { file: path, data, notes: insteadOf(model, place) });
      }
    }
  },
);

/** The position of a model file, for a label. */
export const inFile = (model: ModelContext, path: string): Label => ({
  span: { file: `${folderOf(model)}/${path}`, line: 1, column: 1 },
  text: "is loaded",
});

/** Faults in the model files themselves. */
export const modelFileRules: readonly Rule[] = [
  missing,
  broken,
  opset,
  irVersion,
  externalData,
  ...weightsOutsideRules,
];
