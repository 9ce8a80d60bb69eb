import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { showBytes, staysBelow } from "@tritype/hub";
import type { OnnxSignature } from "@tritype/onnx";
import { type Given, usage } from "../command.ts";
import { identifier } from "../identifier.ts";
import {
  fileOnDisk,
  type LockedModel,
  lockName,
  type ModelsLock,
  printLock,
  readLock,
} from "@tritype/project";
import { isSignatureModule, printSignatureModule } from "../signature-module.ts";
import type { Terminal } from "../terminal.ts";
import { writeFile } from "../write-file.ts";
import { batchingNote } from "./batching-note.ts";
import { chooseModel } from "./choose-model.ts";
import { ignoreInGit } from "./ignore-in-git.ts";
import { longestText } from "./longest-text.ts";
import type { ModelSource, SourceFile } from "./model-source.ts";
import { pastedSteps } from "./pasted-steps.ts";
import { foreignFiles, type PlacedFile, placeFile, refuseForeign } from "./place-files.ts";
import { readModelFile } from "./read-model-file.ts";
import { tokenizerFiles } from "./tokenizer-files.ts";
import { cliError } from "../errors.ts";

export interface AddOptions {
  readonly root: string;
  readonly file: string | undefined;
  readonly name: string | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
}

/**
 * Adds a model's files to the project, writes its signature module and prints its steps. Faults in the model, and files that would be
 * overwritten, are found before anything in the project is changed.
 * @throws PipelineError `usage/invalid`, `file/*`, `hub/*`
 */
export const addModel = async (
  source: ModelSource,
  options: AddOptions,
  terminal: Terminal,
): Promise<void> => {
  const { root, force } = options;
  const name = nameOf(options.name, source);
  const lock = readLock(root);
  const before = lock[name];
  if (before !== undefined && before.source !== source.written && !force)
    throw usage(
      `the project already has a model ${name}, from ${before.source}`,
      "name this one differently with --name, or replace the existing one with --force",
    );
  const { model, others } = chooseModel(source, options.file);
  terminal.note(`${source.shown}: ${model.path} (${showBytes(model.size)})${choices(others, source)}`);
  const { tokenizer, settings } = tokenizerFiles(source.files, model.path);
  const plain = [tokenizer, ...settings].flatMap((file) => file ?? []);
  if (options.dryRun) return dryRun(source, name, model, plain, terminal);

  const path = await source.fetch(model);
  const signature = readModelFile(path, model.path);
  const files = [model, ...externalFiles(source, model, signature), ...plain];
  const placed: (PlacedFile & { readonly file: SourceFile })[] = [];
  for (const file of files) {
    const from = file === model ? path : await source.fetch(file);
    const sha256 = fileOnDisk(from)?.sha256() ?? "";
    placed.push({ to: placeOf(source, name, model, file), from, sha256, file });
  }
  const [main] = placed;
  const module = `models/${name}.ts`;
  const text = await printSignatureModule({
    name: identifier(name),
    file: main?.to ?? "",
    sha256: main?.sha256 ?? "",
    signature,
  });
  if (!force)
    refuseForeign(
      [
        ...foreignFiles(root, source.inPlace === undefined ? placed : [], (to) => before?.files[to]?.sha256),
        ...foreignModule(root, module),
      ],
      "move it away, choose another --name, or overwrite it with --force",
    );
  writeAll({ source, name, module, text, placed, lock }, root, terminal);
  if (tokenizer === undefined && signature.inputs.some((input) => input.name === "input_ids"))
    terminal.note(noTokenizer(source));
  const unbatched = batchingNote(signature, "add it again");
  if (unbatched !== undefined) terminal.note(unbatched);
  terminal.note("steps that serve it, for pipeline.ts:");
  terminal.out(
    pastedSteps({
      name,
      identifier: identifier(name),
      module: `./${module}`,
      signature,
      tokenizer:
        tokenizer === undefined
          ? undefined
          : {
              from: posix.dirname(placeOf(source, name, model, tokenizer)),
              longest: longestText(
                new Map(
                  placed
                    .filter(({ file }) => settings.includes(file))
                    .map(({ file, from }) => [file.path, readFileSync(from)]),
                ),
              ),
            },
    }),
  );
};

const nameOf = (given: string | undefined, source: ModelSource): string => {
  const name = given ?? source.name.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[^A-Za-z0-9]+/g, "");
  if (isModelName(name)) return name;
  throw usage(`${source.shown} has no name that is a valid model name`, "set one: --name encoder");
};

const isModelName = (name: string): boolean => /^[A-Za-z0-9][\w.-]*$/.test(name) && !name.endsWith(".");

/** `--name`. @throws PipelineError `usage/invalid` */
export const givenModelName = (given: Given): string | undefined => {
  const name = given.text("name");
  if (name === undefined || isModelName(name)) return name;
  throw usage(
    `--name is ${name}`,
    "use letters, digits, `_`, `-` and `.`, and begin with a letter or a digit",
  );
};

const choices = (others: readonly SourceFile[], { model }: ModelSource): string =>
  others.length === 0 || model !== undefined
    ? ""
    : `; --file picks another: ${others.map(({ path, size }) => `${path} (${showBytes(size)})`).join(", ")}`;

/** Weights in separate files. */
const externalFiles = (
  source: ModelSource,
  model: SourceFile,
  { externalFiles: names }: OnnxSignature,
): readonly SourceFile[] =>
  names.map((name) => {
    const path = posix.join(posix.dirname(model.path), name);
    if (!staysBelow(name)) throw cliError("model-file/weights-outside", { path: model.path, name });
    const found = source.files.find((file) => file.path === path);
    if (found !== undefined) return found;
    throw cliError("model-file/weights-missing", { model: model.path, path, source: source.shown });
  });

/** Files that are probably the model's external weights, judging by their names, because the model has not been downloaded yet. */
const likelyWeights = (files: readonly SourceFile[], { path }: SourceFile): readonly SourceFile[] => {
  const stem = path.replace(/\.onnx$/, "");
  return files.filter(
    (file) =>
      file.path !== path &&
      (file.path.startsWith(`${path}_data`) ||
        file.path.startsWith(`${path}.data`) ||
        file.path === `${stem}.data`),
  );
};

/** The path of a file in the project, relative to the project's root. */
const placeOf = ({ inPlace }: ModelSource, name: string, model: SourceFile, file: SourceFile): string => {
  if (inPlace !== undefined) return posix.join(inPlace, file.path);
  const below = posix.relative(posix.dirname(model.path), file.path);
  return `assets/${name}/${below.startsWith("../") ? posix.basename(file.path) : below}`;
};

const dryRun = (
  source: ModelSource,
  name: string,
  model: SourceFile,
  plain: readonly SourceFile[],
  terminal: Terminal,
): void => {
  const files = [model, ...likelyWeights(source.files, model), ...plain];
  for (const file of files)
    terminal.out(`${placeOf(source, name, model, file)}  ${file.path} (${showBytes(file.size)})`);
  terminal.out(`models/${name}.ts  the model's inputs and outputs`);
  const size = showBytes(files.reduce((sum, file) => sum + file.size, 0));
  const moved = source.pin === undefined ? "copied" : "downloaded";
  terminal.note(`nothing was written${source.inPlace === undefined ? `; ${size} would be ${moved}` : ""}`);
};

const foreignModule = (root: string, module: string): readonly string[] => {
  const path = join(root, module);
  return !existsSync(path) || (statSync(path).isFile() && isSignatureModule(readFileSync(path, "utf8")))
    ? []
    : [module];
};

interface Additions {
  readonly source: ModelSource;
  readonly name: string;
  readonly module: string;
  readonly text: string;
  readonly placed: readonly (PlacedFile & { readonly file: SourceFile })[];
  readonly lock: ModelsLock;
}

/** Local files of at least this size are kept out of git, because GitHub warns about them. */
const tooLargeForGit = 50_000_000;

const writeAll = (
  { source, name, module, text, placed, lock }: Additions,
  root: string,
  terminal: Terminal,
): void => {
  const wrote = (path: string, why = ""): void =>
    terminal.note(`${terminal.colors.green("wrote")} ${path}${why}`);
  const write = (to: string, content: string): void =>
    writeFile(join(root, to), content, to, "make room, or fix the permissions of the project's folder");
  write(module, text);
  wrote(module);
  if (source.inPlace === undefined) {
    const bytes = placed.reduce((sum, { file }) => sum + file.size, 0);
    if ((source.pin !== undefined || bytes >= tooLargeForGit) && ignoreInGit(root, `assets/${name}`))
      wrote(".gitignore", `: /assets/${name}/ stays out of git`);
    const fresh = placed.filter((file) => placeFile(root, file));
    if (fresh.length > 0) wrote(fresh.map(({ to }) => to).join(", "));
    dropOld(root, lock[name], placed, terminal);
    // Downloads take minutes: another `pipeline add` may have added a model in the meantime.
    write(lockName, printLock({ ...readLock(root), [name]: locked(source, placed) }));
    const verb = source.pin === undefined ? "expects" : "downloads";
    wrote(lockName, `: \`pipeline add\` ${verb} the same bytes on another machine`);
  }
};

const locked = (source: ModelSource, placed: Additions["placed"]): LockedModel => ({
  source: source.written,
  ...source.pin,
  files: Object.fromEntries(
    placed.map(({ to, sha256, file: { path, size } }) => {
      const gitBlob = source.gitBlob(path);
      return [to, { from: path, size, sha256, ...(gitBlob === undefined ? {} : { gitBlob }) }];
    }),
  ),
});

/** Files from an earlier `pipeline add` with this name that the new model no longer has, unless the user has changed them. */
const dropOld = (
  root: string,
  before: LockedModel | undefined,
  placed: readonly PlacedFile[],
  terminal: Terminal,
): void => {
  const kept = new Set(placed.map(({ to }) => to));
  for (const [to, { sha256 }] of Object.entries(before?.files ?? {})) {
    const path = join(root, to);
    if (kept.has(to) || fileOnDisk(path)?.sha256() !== sha256) continue;
    rmSync(path);
    terminal.note(`deleted ${to}, which the model no longer has`);
  }
};

const noTokenizer = ({ shown, pin, written }: ModelSource): string => {
  const from = pin === undefined ? "…" : written.slice("hf:".length);
  return (
    `note: ${shown} has no tokenizer.json, which the tokenizer step needs; Python's transformers can create one from the other files:\n` +
    `  python -c "from transformers import AutoTokenizer as T; T.from_pretrained('${from}').save_pretrained('assets/tokenizer')"`
  );
};
