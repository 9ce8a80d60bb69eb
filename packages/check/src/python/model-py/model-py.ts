import { decodeUtf8, type Label, remembered } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { servedVersions } from "../../model/served-versions.ts";
import { findModelClass, type ModelClass } from "./model-class.ts";
import { type PythonFile, readPython } from "../parse/read-python.ts";
import type { PythonModule } from "../syntax.ts";

/** A `model.py` that the server loads. */
export interface ModelPy {
  /** Relative to the model's folder: `1/model.py`. */
  readonly path: string;
  readonly text: string;
  /** Read on demand. */
  readonly file: PythonFile;
  /** A position in the file. */
  at(from: number, says: string): Label;
}

/** A readable `model.py`. */
export interface ReadModelPy extends ModelPy {
  readonly module: PythonModule;
  readonly model: ModelClass | "missing" | "elsewhere";
}

/** A `model.py` with its class. */
export interface ClassModelPy extends ReadModelPy {
  readonly model: ModelClass;
}

/** The Python files of the served versions of a model of the Python backend, except those that are too large. */
export const modelPys = (model: ModelContext): readonly ModelPy[] => found(model).files;

/** Paths of files larger than 8 MiB, which are not checked. */
export const tooLargeModelPys = (model: ModelContext): readonly string[] => found(model).tooLarge;

interface Found {
  readonly files: readonly ModelPy[];
  readonly tooLarge: readonly string[];
}

const found = remembered((model: ModelContext): Found => findFiles(model));

/** The files that can be read. */
export const readModelPys = (model: ModelContext): readonly ReadModelPy[] =>
  modelPys(model).flatMap((file) => readModelPy(file) ?? []);

const readModelPy = remembered((file: ModelPy): ReadModelPy | undefined => {
  if (file.file.kind !== "module") return undefined;
  const { module } = file.file;
  return { ...file, module, model: findModelClass(module) };
});

/** The files that define the model's class. */
export const classModelPys = (model: ModelContext): readonly ClassModelPy[] =>
  readModelPys(model).filter((file): file is ClassModelPy => typeof file.model === "object");

const sizeLimit = 8 * 2 ** 20;

/** The most recently read files, oldest first: a build checks the same files before its warmup and at its end. */
const recent = new Map<string, PythonFile>();
const [mostRecent, longestRecent] = [32, 2 ** 18];

const readRecent = (text: string): PythonFile => {
  const file = recent.get(text) ?? readPython(text);
  recent.delete(text);
  if (text.length <= longestRecent) recent.set(text, file);
  for (const oldest of [...recent.keys()].slice(0, -mostRecent)) recent.delete(oldest);
  return file;
};

const findFiles = (model: ModelContext): Found => {
  if (model.config.backend !== "python" || model.options.configsOnly === true)
    return { files: [], tooLarge: [] };
  const files: ModelPy[] = [];
  const tooLarge: string[] = [];
  for (const version of servedVersions(model)) {
    const path = `${version}/${model.config.default_model_filename || "model.py"}`;
    if (path.split("/").includes("..")) continue;
    const bytes = model.read(path, sizeLimit + 1);
    if (bytes === undefined) continue;
    if (bytes.length > sizeLimit) tooLarge.push(path);
    else files.push(modelPy(`${folderOf(model)}/${path}`, path, decodeUtf8(bytes)));
  }
  return { files, tooLarge };
};

const modelPy = (file: string, path: string, text: string): ModelPy => {
  let read: PythonFile | undefined;
  return {
    path,
    text,
    get file() {
      return (read ??= readRecent(text));
    },
    at: (from, says) => {
      const before = text.slice(0, from);
      const line = before.split("\n").length;
      return { span: { file, line, column: from - before.lastIndexOf("\n") }, text: says };
    },
  };
};

/** The model's folder as shown in messages. */
export const folderOf = ({ file, hasConfig }: ModelContext): string =>
  hasConfig ? file.replace(/\/(?:config|configs\/[^/]*)\.pbtxt$/, "") : file;
