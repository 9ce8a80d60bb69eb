import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { PipelineError } from "@tritype/core";
import { readOnnxSignature } from "@tritype/onnx";
import type { ExitCode, Given } from "../command.ts";
import { projectOf } from "../project/project.ts";
import { printSignatureModule } from "../signature-module.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline types <model.onnx> [-o file.ts]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const [model, ...others] = given.positionals;
  if (model === undefined || others.length > 0)
    throw new PipelineError("usage/invalid", "which ONNX file?", {
      help: "pipeline types model.onnx -o models/encoder.ts",
    });
  const path = resolve(terminal.cwd, model);
  if (!existsSync(path))
    throw new PipelineError("file/not-found", `there is no file ${model}`, { help: "check the path" });
  const bytes = readFileSync(path);
  const signature = readOnnxSignature(bytes);
  if (signature.problem !== undefined)
    throw new PipelineError("request/invalid", `${model} is not an ONNX model: ${signature.problem}`, {
      help: "export the model again",
    });
  const { root } = projectOf(given, terminal);
  const text = await printSignatureModule({
    name: given.text("name") ?? identifier(basename(path, ".onnx")),
    file: relative(root, path).split(sep).join("/"),
    sha256: createHash("sha256").update(bytes).digest("hex"),
    signature,
  });
  const out = given.text("out");
  if (out === undefined) {
    terminal.out(text.trimEnd());
    return 0;
  }
  mkdirSync(dirname(resolve(terminal.cwd, out)), { recursive: true });
  writeFileSync(resolve(terminal.cwd, out), text);
  terminal.note(`${terminal.colors.green("wrote")} ${out}`);
  return 0;
};

const identifier = (name: string): string => {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const camel = words
    .map((word, i) => (i === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`))
    .join("");
  return /^[A-Za-z_]/.test(camel) ? camel : `model${camel}`;
};
