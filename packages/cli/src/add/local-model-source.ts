import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { generalError, notReadable, shellWord } from "@tritype/core";
import { pathInside } from "@tritype/project/find";
import { exportCommand } from "./export-command.ts";
import type { ModelSource, SourceFile } from "./model-source.ts";
import { cliError } from "../errors.ts";

/** Maximum depth of the subfolders that are searched for models. */
const deepest = 4;

/**
 * A folder on this machine, or a single ONNX file with the files next to it.
 * @throws PipelineError `file/not-found`, `file/not-readable`
 */
export const localModelSource = (given: string, cwd: string, root: string): ModelSource => {
  const path = resolve(cwd, given);
  const written = relative(root, path).split(sep).join("/") || ".";
  const isFile = kindOf(path, given, written) === "file";
  const folder = isFile ? dirname(path) : path;
  const stem = basename(path).replace(/\.onnx$/, "");
  const files = filesIn(folder, isFile ? 0 : deepest, given);
  return {
    shown: given,
    written,
    // A model repository has the file in the folder of a version.
    name:
      isFile && stem === "model" ? basename(/^\d+$/.test(basename(folder)) ? dirname(folder) : folder) : stem,
    files,
    model: isFile ? basename(path) : undefined,
    pin: undefined,
    inPlace: pathInside(root, folder),
    exportHelp:
      stepHelp(
        files.map((file) => posix.join(written, file.path)).find((file) => inVersion.test(file)) ?? "",
        stem,
      ) ??
      `export one (pip install "optimum-onnx[onnxruntime]"), then add it:\n    ${exportCommand(given, undefined, `exports/${stem}`)}\n    pipeline add ${shellWord(`exports/${stem}`)}`,
    fetch: async (file) => join(folder, ...file.path.split("/")),
    gitBlob: () => undefined,
  };
};

/** Extensions of Triton's model files for other backends → the steps that serve them. */
const otherSteps = new Map(
  Object.entries({ py: "python", pt: "torchscript", plan: "tensorrt", xml: "openvino" }),
);

/** A model file in its version's folder, with the name of the model's folder. */
const inVersion = /(?:^|([^/]+)\/)\d+\/model\.(?:py|pt|plan|xml)$/;

/** How to serve the file of another backend. @param file Its path in the project. @param name The model's, if its folder has none. */
const stepHelp = (file: string, name: string): string | undefined => {
  const step = otherSteps.get(posix.extname(file).slice(1));
  if (step === undefined) return undefined;
  const model = inVersion.exec(file);
  const isFolder = step === "python" && model !== null;
  const place = isFolder ? `folder: "${posix.dirname(file)}"` : `file: "${file}"`;
  const shown = model === null ? posix.basename(file) : file.split("/").slice(-2).join("/");
  return `serve its ${shown} with a step: ${step}({ name: "${model?.[1] ?? name}", ${place}, inputs: { … }, outputs: { … } })`;
};

const kindOf = (path: string, given: string, written: string): "file" | "folder" => {
  let found;
  try {
    found = statSync(path);
  } catch (error) {
    const repository = /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(given);
    throw generalError(
      "file/not-found",
      { path: given },
      {
        cause: error,
        help: repository ? `for a repository of the Hugging Face Hub, write hf:${given}` : "check the path",
      },
    );
  }
  if (found.isDirectory()) return "folder";
  if (found.isFile() && path.endsWith(".onnx")) return "file";
  throw cliError(
    "model-file/not-onnx",
    { path: given },
    { help: stepHelp(written, posix.parse(written).name) },
  );
};

const filesIn = (folder: string, depth: number, given: string, below = ""): readonly SourceFile[] => {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw notReadable(given, error, "check its permissions");
  }
  return entries
    .flatMap((entry): readonly SourceFile[] => {
      const path = `${below}${entry.name}`;
      if (entry.isDirectory())
        return depth === 0 || /^(?:\.|node_modules$)/.test(entry.name)
          ? []
          : filesIn(join(folder, entry.name), depth - 1, given, `${path}/`);
      const found = statSync(join(folder, entry.name), { throwIfNoEntry: false });
      return found?.isFile() === true ? [{ path, size: found.size }] : [];
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
};
