import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import type { Compilation, Tree, TreeFile } from "@tritype/compiler";
import { generalError, guessHelp, notReadable } from "@tritype/core";
import {
  type Endpoint,
  openLocal,
  openRemote,
  openTemporary,
  refuseUnserved,
  whyUnserved,
} from "@tritype/endpoint";
import { staysBelow } from "@tritype/hub";
import { readOnnxSignature } from "@tritype/onnx";
import {
  type CompiledProject,
  compileProject,
  fileOnDisk,
  lendTreeFile,
  lookForProject,
  openTree,
  type Project,
  projectIn,
  readLargeFile,
  readManifest,
  writeLargeFile,
} from "@tritype/project";
import { ProjectError } from "@tritype/project/diagnostics";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { closeAll, orClosed } from "../close-all.ts";
import { serverUrl } from "../server-url.ts";
import { cliError } from "../errors.ts";
import { builtSamples, type VariantSample } from "./built-samples.ts";

/** One of the two variants to compare. */
export interface Variant extends Endpoint {
  /** All samples of a project; of a build, those that its warmup contains. */
  readonly samples: readonly VariantSample[];
  readonly isProject: boolean;
}

export interface VariantPair {
  readonly reference: Variant;
  readonly candidate: Variant;
  close(): Promise<void>;
}

/** Opens two variants; if the second cannot be opened, the first is closed. */
export const openPair = async (
  openReference: () => Promise<Variant>,
  openCandidate: () => Promise<Variant>,
): Promise<VariantPair> => {
  const reference = await openReference();
  const candidate = await orClosed(reference, openCandidate);
  const close = (): Promise<void> => closeAll([reference.close, candidate.close]);
  return { reference, candidate, close };
};

export interface OpenOptions {
  readonly cwd: string;
  readonly notice: (text: string) => void;
  /** A Python interpreter for steps without a native twin. */
  readonly pythonCommand: string | undefined;
  /** If the variant is a server: headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Files that replace the models' own files, by model name. */
export type Replacements = ReadonlyMap<string, string>;

/**
 * A variant from an argument: the address of a server, an ONNX file, or a folder with a project, a build or a model
 * repository.
 * @throws PipelineError `file/not-found`, `usage/invalid`, and the errors of the project or the models.
 */
export const openVariant = async (
  text: string,
  options: OpenOptions,
  replaced: Replacements = new Map(),
): Promise<Variant> => {
  if (isServer(text)) return openServer(text, options);
  const path = resolve(options.cwd, text);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw generalError(
      "file/not-found",
      { path: text },
      {
        help: "name a project, a build, a model repository, an ONNX file, or the http address of a server; ensembles are named with --model",
      },
    );
  if (found.isFile()) return openFile(text, path, options);
  const repository = repositoryIn(path);
  if (repository !== undefined) {
    const manifest = readManifest(path);
    const ensembles = manifest?.ensembles.map(({ name }) => name);
    const opened = await openRepository(text, repository, ensembles, options);
    if (manifest === undefined) return opened;
    return orClosed(opened, () => ({ ...opened, samples: builtSamples(path, manifest, opened.configs) }));
  }
  const project = lookForProject(path);
  if (project?.root === path) return openProject(text, project, options, replaced);
  return openRepository(text, path, undefined, options);
};

/** Whether an argument is the address of a server. */
export const isServer = (text: string): boolean => /^https?:\/\//.test(text);

/** The repository in a build; undefined for any other folder. */
const repositoryIn = (folder: string): string | undefined => {
  const inside = join(folder, "model_repository");
  const isProject = projectIn(folder).configFile !== undefined || existsSync(join(folder, "pipeline.ts"));
  return existsSync(inside) && !isProject ? inside : undefined;
};

/** Compiles a project without writing to its build folder, and serves it. @throws ProjectError if it has errors. */
export const openProject = async (
  name: string,
  project: Project,
  options: OpenOptions,
  replaced?: Replacements,
): Promise<Variant> =>
  openCompiled(name, project, await compileProject(project, { notice: options.notice }), options, replaced);

/** Like `openProject`, for a project that is already compiled. @throws ProjectError if it has errors. */
export const openCompiled = async (
  name: string,
  { root }: Pick<Project, "root">,
  compiled: CompiledProject,
  options: OpenOptions,
  replaced: Replacements = new Map(),
): Promise<Variant> => {
  const { compilation, ensembles, settings } = compiled;
  const { build, diagnostics } = compilation;
  if (build === undefined) throw new ProjectError(root, diagnostics);
  const ofSteps = filesOfSteps(compilation, replaced, options.cwd);
  if (ofSteps.size > 0) {
    const fromRoot = (file: string): string => relative(root, file).split(sep).join("/");
    const overrides = new Map([...ofSteps].map(([step, file]) => [step, { file: fromRoot(file) }]));
    const varied = await compiled.vary({ ...settings, overrides });
    const others = new Map([...replaced].filter(([model]) => !ofSteps.has(model)));
    return openCompiled(name, { root }, varied, options, others);
  }
  const { samples, tree } = build;
  return openTree(temporary, withReplaced(tree, replaced, options.cwd), async (repository) => ({
    ...(await openRepository(name, repository, ensembles, options)),
    samples,
    isProject: true,
  }));
};

/**
 * Files that replace the file of a step whose model contains tensor math: they have the step's outputs, not the model's. The same math is
 * added to them.
 */
const filesOfSteps = ({ build, emitted }: Compilation, replaced: Replacements, cwd: string): Replacements =>
  new Map(
    [...replaced].flatMap(([model, file]) => {
      const found = build?.manifest.models.find(({ name, fused }) => name === model && fused !== undefined);
      const path = resolve(cwd, file);
      if (found === undefined || !existsSync(path)) return [];
      const signature = readOnnxSignature(readModelFile(path));
      const outputs = new Set(
        signature.problem === undefined ? signature.outputs.map((output) => output.name) : [],
      );
      const config = emitted.models.find(({ name }) => name === model)?.configs.get(undefined)?.config;
      const fits = config?.output?.every(({ name = "" }) => outputs.has(name)) === true;
      return fits ? [] : [[model, path] as const];
    }),
  );

/** Name prefix of temporary folders. */
const temporary = "tritype-drift-";

/** The path of a model's latest ONNX file in a tree; undefined if it has none. */
export const modelFileIn = (tree: Tree, model: string): string | undefined =>
  [...tree.keys()]
    .flatMap((path) => {
      const [, name, version] = modelFile.exec(path) ?? [];
      return name === model ? [{ path, version: Number(version) }] : [];
    })
    .toSorted((a, b) => b.version - a.version)[0]?.path;

const modelFile = /^model_repository\/([^/]+)\/(\d+)\/model\.onnx$/;

const withReplaced = (tree: Tree, replaced: Replacements, cwd: string): Tree => {
  const files = new Map(tree);
  for (const [model, file] of replaced) {
    const path = modelFileIn(tree, model);
    if (path === undefined)
      throw cliError("drift/no-such-model", { model, file }, { help: guessModel(model, modelNames(tree)) });
    const from = resolve(cwd, file);
    const bytes = readModelFile(from);
    files.set(path, { kind: "bytes", bytes });
    // The model's own weights often have the same name.
    for (const [name, weights] of weightsOf(from, readOnnxSignature(bytes)))
      files.set(posix.join(posix.dirname(path), name), weights);
  }
  return files;
};

const guessModel = (model: string, known: readonly string[]): string =>
  guessHelp(
    model,
    known,
    known.length === 0 ? "the project has no ONNX models" : `the project's models are ${known.join(", ")}`,
  );

const modelNames = (tree: Tree): readonly string[] => [
  ...new Set([...tree.keys()].flatMap((path) => modelFile.exec(path)?.[1] ?? [])),
];

const readModelFile = (path: string): Uint8Array => {
  try {
    return readLargeFile(path);
  } catch (error) {
    throw notReadable(`the model file ${path}`, error);
  }
};

/** The files with a model's weights, by their paths from the model's folder. @throws PipelineError `file/*` */
const weightsOf = (
  path: string,
  signature: ReturnType<typeof readOnnxSignature>,
): readonly (readonly [name: string, weights: TreeFile])[] =>
  (signature.problem === undefined ? signature.externalFiles : []).map((name) => {
    if (!staysBelow(posix.normalize(name))) throw cliError("model-file/weights-outside", { path, name });
    const from = join(dirname(path), name);
    const file = fileOnDisk(from);
    return [
      name,
      file === undefined
        ? { kind: "bytes", bytes: readModelFile(from) }
        : { kind: "large-copy", from, file, onlyRead: true },
    ];
  });

/** An ONNX file as a repository with one model, batched if all its tensors share their first dim. */
const openFile = async (name: string, path: string, options: OpenOptions): Promise<Variant> => {
  const bytes = readModelFile(path);
  const signature = readOnnxSignature(bytes);
  if (signature.problem !== undefined)
    throw cliError("drift/not-a-variant", { path: name, why: signature.problem });
  return openTemporary(temporary, async (folder) => {
    const version = join(folder, fileModel, "1");
    mkdirSync(version, { recursive: true });
    writeLargeFile(join(version, "model.onnx"), bytes);
    for (const [file, weights] of weightsOf(path, signature)) {
      mkdirSync(dirname(join(version, file)), { recursive: true });
      lendTreeFile(join(version, file), weights);
    }
    writeFileSync(join(folder, fileModel, "config.pbtxt"), printModelConfig(configOf(name, signature)));
    return { ...(await openRepository(basename(path), folder, [fileModel], options)), name };
  });
};

/** The name used for any model that is given as a file, so that two files can be compared regardless of their names. */
const fileModel = "model";

const configOf = (
  name: string,
  signature: Extract<ReturnType<typeof readOnnxSignature>, { inputs: unknown }>,
): ModelConfig => {
  const ports = [...signature.inputs, ...signature.outputs];
  const firsts = new Set(ports.map(({ dims }) => dims?.[0]));
  const [first] = firsts;
  const batched = firsts.size === 1 && (typeof first === "string" || first === -1);
  const tensor = ({ name: port, dtype, dims }: (typeof ports)[number]) => {
    if (dtype === undefined || dims === undefined)
      throw cliError("drift/no-tensor", { path: name, tensor: port });
    return {
      name: port,
      data_type: dtype === "BYTES" ? "TYPE_STRING" : `TYPE_${dtype}`,
      dims: (batched ? dims.slice(1) : dims).map((dim) => (typeof dim === "number" ? dim : -1)),
    };
  };
  return {
    name: fileModel,
    backend: "onnxruntime",
    max_batch_size: batched ? 64 : 0,
    input: signature.inputs.map(tensor),
    output: signature.outputs.map(tensor),
  } as ModelConfig;
};

interface OpenedRepository extends Variant {
  readonly configs: ReadonlyMap<string, ModelConfig>;
}

/** Serves a repository on ONNX Runtime. @throws PipelineError `model/unavailable` that names the variant and the model. */
const openRepository = async (
  name: string,
  repository: string,
  models: readonly string[] | undefined,
  { notice, pythonCommand }: OpenOptions,
): Promise<OpenedRepository> => {
  const local = await openLocal(name, { repository, device: "cpu", python: "twin", pythonCommand, notice });
  await orClosed(local, () =>
    refuseUnserved(
      local.runtime.models().toSorted((a, b) => Number(isEcho(a)) - Number(isEcho(b))),
      (broken) => `${name}: ${whyUnserved(broken)}`,
    ),
  );
  const configs = new Map(
    local.models.map((model) => [model, local.runtime.modelConfig(model) as ModelConfig]),
  );
  const ensembles = local.models.filter((model) => configs.get(model)?.ensemble_scheduling !== undefined);
  const chosen = models ?? (ensembles.length > 0 ? ensembles : local.models);
  return { ...local, models: chosen, samples: [], isProject: false, configs };
};

/** If an ensemble cannot be served because of a member, the reason is reported for the member. */
const isEcho = ({ reason = "" }: { readonly reason?: string }): boolean => reason.startsWith("ensemble ");

/** A running server: Tritype's or Triton's. @throws PipelineError `server/unreachable` */
const openServer = async (url: string, { headers }: OpenOptions): Promise<Variant> => {
  const remote = await openRemote(url, { http: serverUrl(url, "url").href }, { headers });
  await remote.client.serverMetadata();
  return { ...remote, samples: [], isProject: false };
};
