import type { ModelContext } from "../model-context.ts";
import { insteadOf } from "../model/onnx-file.ts";
import type { Entry } from "../repository-host.ts";
import { modelRule, type Rule } from "../rule.ts";

const missing = modelRule(
  {
    code: "tensor/missing-labels",
    triton: ["55"],
    atLoad: true,
    reason: "When Triton loads the model, it reads labels from the model's folder, not from a version's.",
    message: "labels `{file}` of output `{name}` are not in the folder of `{model}`",
    help: "put the file next to config.pbtxt, or remove `label_filename`",
  },
  (model, report) => {
    for (const { name, file, i } of labelFiles(model))
      if ((entryOf(model, file)?.kind ?? "other") === "other" && !refusedOutside(model, file))
        report(model.at(["output", i, "label_filename"], "no such file"), {
          file,
          name,
          notes: insteadOf(model, segments(file)?.join("/") ?? file),
        });
  },
);

const folder = modelRule(
  {
    code: "tensor/labels-folder",
    triton: ["55"],
    atLoad: true,
    reason:
      "Triton asks for the size of the file and gets a meaningless number for a folder, which crashes the whole server.",
    message: "labels `{file}` of output `{name}` are a folder, which crashes the server",
    help: "name a text file with one label per line",
  },
  (model, report) => {
    for (const { name, file, i } of labelFiles(model))
      if (entryOf(model, file)?.kind === "folder")
        report(model.at(["output", i, "label_filename"], "a folder"), { file, name });
  },
);

/** The first release that only reads labels from inside the model's folder. */
const outsideSince = "26.02";

const outside = modelRule(
  {
    code: "tensor/labels-outside",
    triton: ["56"],
    atLoad: true,
    since: outsideSince,
    reason: "As of 26.02, Triton only reads labels from inside the model's folder.",
    words: "label file path '{file}' for output '{tensor}' in model '{model}' is outside model directory",
    message: "labels `{file}` of output `{tensor}` are outside the folder of `{model}`",
    help: "put the file next to config.pbtxt",
  },
  ({ config, at }, report) => {
    for (const [i, { name = "", label_filename: file = "" }] of (config.output ?? []).entries())
      if (leadsOut(file)) report(at(["output", i, "label_filename"], "outside"), { file, tensor: name });
  },
);

const leadsOut = (file: string): boolean => segments(file)?.[0] === ".." || segments(file) === undefined;

const refusedOutside = ({ options }: ModelContext, file: string): boolean =>
  leadsOut(file) && options.release.container >= outsideSince;

/** Labels within the repository. */
const labelFiles = (model: ModelContext) =>
  model.options.configsOnly === true
    ? []
    : (model.config.output ?? []).flatMap(({ name = "", label_filename: file = "" }, i) =>
        file !== "" && segments(file) !== undefined ? [{ name, file, i }] : [],
      );

/**
 * The parts of a path, starting from the model's folder. The first part is ".." if the path leads to another model;
 * there are no parts if it leads out of the repository. A leading "/" is not the root: Triton joins paths.
 */
const segments = (file: string): readonly string[] | undefined => {
  const found: string[] = [];
  for (const part of file.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") found.push(part);
    else if (found[0] === ".." && found.length === 1) return undefined;
    else if (found.pop() === undefined) found.push("..");
  }
  return found;
};

/** Label files, relative to the model's folder. */
export const labelPaths = (model: ModelContext): readonly string[] =>
  labelFiles(model).flatMap(({ file }) => segments(file)?.join("/") || []);

/** The model's own folder is `.`. */
const entryOf = (model: ModelContext, file: string): Entry | undefined => {
  const parts = segments(file) ?? [];
  const name = parts.at(-1);
  if (name === undefined || name === "..") return { name: ".", kind: "folder", size: 0 };
  return model.list(parts.slice(0, -1).join("/"))?.find((entry) => entry.name === name);
};

export const labelRules: readonly Rule[] = [missing, folder, outside];
