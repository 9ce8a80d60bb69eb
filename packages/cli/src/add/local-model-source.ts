import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { generalError, notReadable, shellWord } from "@tritype/core";
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
  const isFile = kindOf(path, given) === "file";
  const folder = isFile ? dirname(path) : path;
  const written = relative(root, path).split(sep).join("/") || ".";
  const stem = basename(path).replace(/\.onnx$/, "");
  const files = filesIn(folder, isFile ? 0 : deepest, given);
  return {
    shown: given,
    written,
    name: isFile && stem === "model" ? basename(folder) : stem,
    files,
    model: isFile ? basename(path) : undefined,
    pin: undefined,
    inPlace:
      written.startsWith("../") || written === ".." ? undefined : relative(root, folder).split(sep).join("/"),
    exportHelp:
      stepHelp(files, stem, written) ??
      `export one (pip install "optimum-onnx[onnxruntime]"), then add it:\n    ${exportCommand(given, undefined, `exports/${stem}`)}\n    pipeline add ${shellWord(`exports/${stem}`)}`,
    fetch: async (file) => join(folder, ...file.path.split("/")),
    gitBlob: () => undefined,
  };
};

/** Extensions of Triton's model files for other backends → the steps that serve them. */
const otherSteps = new Map(
  Object.entries({ py: "python", pt: "torchscript", plan: "tensorrt", xml: "openvino" }),
);

const stepHelp = (files: readonly SourceFile[], name: string, folder: string): string | undefined => {
  for (const { path } of files) {
    const full = posix.join(folder, path);
    const step = otherSteps.get(/(?:^|\/)\d+\/model\.(\w+)$/.exec(full)?.[1] ?? "");
    if (step === undefined) continue;
    const place = step === "python" ? `folder: "${posix.dirname(full)}"` : `file: "${full}"`;
    return `serve its ${path} with a step: ${step}({ name: "${name}", ${place}, inputs: { … }, outputs: { … } })`;
  }
  return undefined;
};

const kindOf = (path: string, given: string): "file" | "folder" => {
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
  throw cliError("model-file/not-onnx", { path: given });
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
