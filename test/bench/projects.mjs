import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folderOf = (path) => fileURLToPath(new URL(path, import.meta.url));
/** The folder is inside the workspace, so that `tritype` resolves as it does in a user's project. */
const parent = folderOf("../.projects/");
const example = folderOf("../../examples/sentence-embedding/");

/** Starts the command as a user's shell does. */
export const pipelineBin = folderOf("../../packages/tritype/bin/pipeline.js");

/** A separate project folder with these files; `remove` deletes it. */
export const makeProject = (files = {}) => {
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, "bench-"));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
};

/** The folder of the example's full encoder, for `ENCODER=minilm`. */
export const minilm = join(example, ".cache", "minilm");

/** Throws an error that says how to create the full encoder if it is missing. */
export const demandMinilm = () => {
  if (!existsSync(join(minilm, "model.onnx")))
    throw new Error("create the encoder first: node examples/sentence-embedding/scripts/make-minilm.mjs");
};

/** A copy of the example; `edit` changes the text of its pipeline. */
export const copyExample = (edit = (text) => text) => {
  const project = makeProject();
  for (const path of ["pipeline.config.ts", "retrieval.ts", "tensorrt.ts", "models", "assets", "drift"])
    cpSync(join(example, path), join(project.root, path), { recursive: true });
  symlinkSync(join(example, ".cache"), join(project.root, ".cache"));
  writeFileSync(join(project.root, "pipeline.ts"), edit(readFileSync(join(example, "pipeline.ts"), "utf8")));
  return project;
};
