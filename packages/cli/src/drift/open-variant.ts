import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { EnsembleSample, Tree } from "@tritype/compiler";
import { type NamedTensors, PipelineError } from "@tritype/core";
import { readOnnxSignature } from "@tritype/onnx";
import type { ModelMetadata } from "@tritype/runtime";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { compileProject, type CompiledProject } from "../project/compile-project.ts";
import { readLargeFile, writeLargeFile } from "../project/large-file.ts";
import { lendTreeFile } from "../project/write-tree-file.ts";
import { ProjectError } from "../project/project-error.ts";
import { lookForProject, type Project, projectIn } from "../project/project.ts";
import { createFolderMaker } from "../project/staged-files.ts";
import { readManifest } from "../project/write-build.ts";
import { serverUrl } from "../server-url.ts";

/** One of the two that are compared: it answers requests. */
export interface Variant {
  /** As messages and reports name it. */
  readonly name: string;
  /** What can be compared; undefined for a server, which has what it is asked for. */
  readonly models: readonly string[] | undefined;
  readonly samples: readonly EnsembleSample[];
  metadata(model: string): Promise<ModelMetadata>;
  /** 0: no batching. */
  maxBatchSize(model: string): Promise<number>;
  infer(model: string, inputs: NamedTensors): Promise<NamedTensors>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly cwd: string;
  readonly notice: (text: string) => void;
  /** A Python that runs what has no native twin. */
  readonly pythonCommand: string | undefined;
}

/** Files that stand in for those of models, by the name of the model. */
export type Replacements = ReadonlyMap<string, string>;

/**
 * A variant from an argument: the address of a server, an ONNX file, or a folder with a project, a build or a model repository.
 * @throws PipelineError `file/not-found`, `usage/invalid`; what the project or the models fail with.
 */
export const openVariant = async (
  text: string,
  options: OpenOptions,
  replaced: Replacements = new Map(),
): Promise<Variant> => {
  if (/^https?:\/\//.test(text)) return openServer(text);
  const path = resolve(options.cwd, text);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new PipelineError("file/not-found", `${text} does not exist`, {
      help: "name a project, a build, a model repository, an ONNX file, or the http address of a server",
    });
  if (found.isFile()) return openFile(text, path, options);
  const repository = repositoryIn(path);
  if (repository !== undefined) {
    const manifest = repository === path ? undefined : readManifest(path);
    return openRepository(
      text,
      repository,
      manifest?.ensembles.map(({ name }) => name),
      [],
      options,
    );
  }
  const project = projectIn(path).configFile === undefined ? lookForProject(path) : projectIn(path);
  if (project !== undefined && project.root === path) return openProject(text, project, options, replaced);
  return openRepository(text, path, undefined, [], options);
};

/** A folder with a build has its repository inside; a repository has models with configurations. */
const repositoryIn = (folder: string): string | undefined => {
  const inside = join(folder, "model_repository");
  return existsSync(inside) &&
    projectIn(folder).configFile === undefined &&
    !existsSync(join(folder, "pipeline.ts"))
    ? inside
    : undefined;
};

/** Compiles a project, without writing to its build folder, and serves it. @throws ProjectError when it has errors. */
const openProject = async (
  name: string,
  project: Project,
  options: OpenOptions,
  replaced: Replacements,
): Promise<Variant> => {
  const compiled = await compileProject(project, { notice: options.notice });
  return openCompiled(name, project, compiled, options, replaced);
};

/** The same of a project that is compiled already. @throws ProjectError when it has errors. */
export const openCompiled = async (
  name: string,
  { root }: Pick<Project, "root">,
  { compilation, ensembles }: Pick<CompiledProject, "compilation" | "ensembles">,
  options: OpenOptions,
  replaced: Replacements = new Map(),
): Promise<Variant> => {
  const { build, diagnostics } = compilation;
  if (build === undefined) throw new ProjectError(root, diagnostics);
  return openTree(name, withReplaced(build.tree, replaced, options.cwd), ensembles, build.samples, options);
};

/** The path of a model's newest ONNX file in a tree; undefined when it has none. */
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
      throw new PipelineError(
        "usage/invalid",
        `there is no ONNX model \`${model}\` to replace with ${file}`,
        {
          help: `the project's models are ${modelNames(tree).join(", ")}`,
        },
      );
    files.set(path, { kind: "bytes", bytes: readModelFile(resolve(cwd, file)) });
  }
  return files;
};

const modelNames = (tree: Tree): readonly string[] => [
  ...new Set([...tree.keys()].flatMap((path) => modelFile.exec(path)?.[1] ?? [])),
];

const readModelFile = (path: string): Uint8Array => {
  try {
    return readLargeFile(path);
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    throw new PipelineError("file/not-found", `the model file ${path} cannot be read`, {
      cause: error,
      help: "check the path",
    });
  }
};

/** Serves files from a temporary folder, which goes with the variant. */
const openTree = async (
  name: string,
  tree: Tree,
  models: readonly string[],
  samples: readonly EnsembleSample[],
  options: OpenOptions,
): Promise<Variant> => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-drift-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const makeFolder = createFolderMaker();
    for (const [path, file] of tree) {
      makeFolder(dirname(join(folder, path)));
      lendTreeFile(join(folder, path), file);
    }
    const variant = await openRepository(name, join(folder, "model_repository"), models, samples, options);
    return {
      ...variant,
      close: async () => {
        await variant.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
};

/** An ONNX file as a repository of one model, batched where all its tensors share their first dim. */
const openFile = async (name: string, path: string, options: OpenOptions): Promise<Variant> => {
  const bytes = readModelFile(path);
  const signature = readOnnxSignature(bytes);
  if (signature.problem !== undefined)
    throw new PipelineError("file/not-readable", `${name} is not a variant: ${signature.problem}`, {
      help: "name an ONNX file, or a folder with a project, a build or a model repository",
    });
  const folder = mkdtempSync(join(tmpdir(), "tritype-drift-"));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const version = join(folder, fileModel, "1");
    mkdirSync(version, { recursive: true });
    writeLargeFile(join(version, "model.onnx"), bytes);
    for (const file of signature.externalFiles) {
      mkdirSync(dirname(join(version, file)), { recursive: true });
      writeLargeFile(join(version, file), readModelFile(join(dirname(path), file)));
    }
    writeFileSync(join(folder, fileModel, "config.pbtxt"), printModelConfig(configOf(name, signature)));
    const variant = await openRepository(basename(path), folder, [fileModel], [], options);
    return {
      ...variant,
      name,
      close: async () => {
        await variant.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
};

/** The name that every model has which is given as a file: two files are compared whatever they are called. */
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
      throw new PipelineError(
        "file/not-readable",
        `${name}: \`${port}\` is not a tensor that a server accepts`,
        {
          help: "export the model with tensors of known rank",
        },
      );
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

/** Serves a repository on ONNX Runtime. @throws PipelineError `model/unavailable` that names the variant and the model. */
const openRepository = async (
  name: string,
  repository: string,
  models: readonly string[] | undefined,
  samples: readonly EnsembleSample[],
  { notice, pythonCommand }: OpenOptions,
): Promise<Variant> => {
  const { startRuntime } = await import("@tritype/runtime");
  const runtime = await startRuntime({ repository, device: "cpu", python: "twin", pythonCommand, notice });
  const broken = runtime
    .models()
    .toSorted((a, b) => Number(isEcho(a)) - Number(isEcho(b)))
    .find(({ state }) => state !== "READY");
  if (broken !== undefined) {
    await runtime.close();
    throw new PipelineError(
      "model/unavailable",
      `${name}: \`${broken.name}\` cannot be served: ${broken.reason ?? "reason unknown"}`,
      broken.help === undefined ? {} : { help: broken.help },
    );
  }
  const configs = new Map(
    runtime.models().map((model) => [model.name, runtime.modelConfig(model.name) as ModelConfig]),
  );
  const names = [...configs.keys()];
  const ensembles = names.filter((model) => configs.get(model)?.ensemble_scheduling !== undefined);
  return {
    name,
    models: models ?? (ensembles.length > 0 ? ensembles : names),
    samples,
    metadata: async (model) => runtime.modelMetadata(model),
    maxBatchSize: async (model) => configs.get(model)?.max_batch_size ?? 0,
    infer: async (model, inputs) => (await runtime.infer({ model, id: "", inputs })).outputs,
    close: () => runtime.close(),
  };
};

/** An ensemble that cannot be served because of a member: the member says why. */
const isEcho = ({ reason = "" }: { readonly reason?: string }): boolean => reason.startsWith("ensemble ");

/** A running server, ours or Triton. @throws PipelineError `server/unreachable` */
const openServer = async (url: string): Promise<Variant> => {
  const { httpClient } = await import("@tritype/client");
  const client = httpClient(serverUrl(url, "url").href);
  await client.serverMetadata();
  return {
    name: url,
    models: undefined,
    samples: [],
    metadata: (model) => client.modelMetadata(model),
    maxBatchSize: async (model) => ((await client.modelConfig(model)) as ModelConfig).max_batch_size ?? 0,
    infer: (model, inputs) => client.infer({ model, inputs }),
    close: async () => client.close(),
  };
};
