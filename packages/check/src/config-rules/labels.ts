import type { ModelContext } from "../model-context.ts";
import { entryAt, insteadOf } from "../model/onnx-file.ts";
import { inRepository, resolvePath } from "../model/resolve-path.ts";
import { modelRule, type Rule } from "../rule.ts";

const missing = modelRule(
  {
    code: "tensor/missing-labels",
    triton: ["55"],
    atLoad: true,
    reason: "When Triton loads the model, it reads labels from the model's folder, not from a version's.",
    message: "labels `{file}` of output `{name}` are not in the folder of `{model}`",
    help: "put the file into the model's folder, or remove `label_filename`",
  },
  (model, report) => {
    for (const { name, file, i } of labelFiles(model))
      if ((entryAt(model, file)?.kind ?? "other") === "other" && !refusedOutside(model, file))
        report(model.at(["output", i, "label_filename"], "no such file"), {
          file,
          name,
          notes: insteadOf(model, file),
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
    message: "the label file `{file}` of output `{name}` is a folder, which crashes the server",
    help: "name a text file with one label per line",
  },
  (model, report) => {
    for (const { name, file, i } of labelFiles(model))
      if (entryAt(model, file)?.kind === "folder")
        report(model.at(["output", i, "label_filename"], "a folder"), { file, name });
  },
);

const twice = modelRule(
  {
    code: "tensor/labels-twice",
    triton: ["55"],
    atLoad: true,
    status: "Internal",
    reason: "Triton keeps one list of labels for each name of an output.",
    words: "multiple label files for '{tensor}'",
    message: "two outputs of `{model}` with the name `{tensor}` have labels",
    help: "give every output a different name",
  },
  ({ config, at }, report) => {
    const labelled = new Map<string, number>();
    for (const [i, { name = "", label_filename: file = "" }] of (config.output ?? []).entries()) {
      if (file === "") continue;
      const first = labelled.get(name);
      if (first === undefined) labelled.set(name, i);
      else
        report(
          [
            at(["output", i, "label_filename"], "again"),
            at(["output", first, "label_filename"], "the first"),
          ],
          { tensor: name },
        );
    }
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
    help: "put the file into the model's folder",
  },
  ({ config, at }, report) => {
    for (const [i, { name = "", label_filename: file = "" }] of (config.output ?? []).entries())
      if (leadsOut(file)) report(at(["output", i, "label_filename"], "outside"), { file, tensor: name });
  },
);

const leadsOut = (file: string): boolean => resolvePath("", file) === undefined;

const refusedOutside = ({ options }: ModelContext, file: string): boolean =>
  leadsOut(file) && options.release.container >= outsideSince;

/** Labels within the repository. */
export const labelFiles = (
  model: ModelContext,
): readonly { readonly name: string; readonly file: string; readonly i: number }[] =>
  model.options.configsOnly === true
    ? []
    : (model.config.output ?? []).flatMap(({ name = "", label_filename: file = "" }, i) =>
        file !== "" && inRepository(file) ? [{ name, file, i }] : [],
      );

/** Label files, relative to the model's folder. */
export const labelPaths = (model: ModelContext): readonly string[] =>
  labelFiles(model).map(({ file }) => file);

export const labelRules: readonly Rule[] = [missing, folder, outside, twice];
