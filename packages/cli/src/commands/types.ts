import { hash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { basename, relative, resolve, sep } from "node:path";
import { generalError } from "@tritype/core";
import { readOnnxSignature } from "@tritype/onnx";
import { lookForProject } from "@tritype/project/find";
import { batchingNote } from "../add/batching-note.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { identifier, isIdentifier } from "../identifier.ts";
import { projectOf } from "../project/project-of.ts";
import { readGivenBytes } from "../request-file.ts";
import { isSignatureModule, printSignatureModule } from "../signature-module.ts";
import type { Terminal } from "../terminal.ts";
import { writeFile } from "../write-file.ts";
import { cliError } from "../errors.ts";

/** `pipeline types <model.onnx> [-o file.ts]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const [model] = given.positionals;
  if (model === undefined)
    throw usage(
      "`pipeline types` needs an ONNX file",
      "name it: pipeline types model.onnx -o models/encoder.ts",
    );
  const name = given.text("name") ?? identifier(basename(model, ".onnx"));
  if (!isIdentifier(name)) throw usage(`--name is ${name}`, "use a valid TypeScript variable name");
  const path = resolve(terminal.cwd, model);
  const bytes = readGivenBytes(path, model, "name an ONNX file");
  const signature = readOnnxSignature(bytes);
  if (signature.problem !== undefined)
    throw generalError(
      "file/not-readable",
      { path: model, why: signature.problem },
      { help: "check that the download is complete, or export the model again" },
    );
  const root =
    given.text("project") === undefined
      ? (lookForProject(terminal.cwd)?.root ?? terminal.cwd)
      : projectOf(given, terminal).root;
  const text = await printSignatureModule({
    name,
    file: relative(root, path).split(sep).join("/"),
    sha256: hash("sha256", bytes),
    signature,
  });
  const unbatched = batchingNote(signature, "run this command again");
  const out = given.text("out");
  if (out === undefined) terminal.out(text.trimEnd());
  else {
    refuseForeign(resolve(terminal.cwd, out), out);
    writeFile(resolve(terminal.cwd, out), text, out, "choose another file with --out");
    terminal.note(`${terminal.colors.green("wrote")} ${out}`);
  }
  if (unbatched !== undefined) terminal.note(unbatched);
  return 0;
};

/** Overwrites only files that this command wrote. @throws PipelineError `file/foreign` */
const refuseForeign = (path: string, shown: string): void => {
  if (!existsSync(path) || statSync(path).isDirectory()) return;
  if (isSignatureModule(readGivenBytes(path, shown, "choose another file with --out").toString())) return;
  throw cliError("signature/would-overwrite", { path: shown });
};
