import { checkRepositories, type Entry, type KnownConfig, type RepositoryHost, rules } from "@tritype/check";
import {
  type ConfiguredModel,
  type DockerOptions,
  type EmittedRepository,
  fileBytes,
  fileSize,
  textFile,
  type Tree,
  type TreeFile,
} from "@tritype/compiler";
import { type Diagnostic, hasErrors, type Label, type Span, ownValue } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { inOptionTerms, stepModels, type TritonRelease } from "@tritype/triton";
import { joinProfiles } from "./join-profiles.ts";
import { openSoundChecks } from "./sound-models.ts";

/** The findings of `pipeline check` in a build before it is written; all positions are in the user's files. */
export interface BuildFindings {
  /** Findings about the user's settings, such as instance groups and batching, and about the steps' Python code. */
  readonly authors: readonly Diagnostic[];
  /** Errors in the compiler's output: bugs in the compiler. */
  readonly ours: readonly Diagnostic[];
}

export interface CheckBuildOptions {
  readonly release: TritonRelease;
  /** How the container is built; the Python packages in a custom image are unknown. Default: no container. */
  readonly docker?: DockerOptions | false | undefined;
  /** Profile → number of processors of the servers that it is for. Default: unknown. */
  readonly cores?: Readonly<Record<string, number>>;
  /** The project's root, where models without findings are cached. Default: all models are checked. */
  readonly rememberedIn?: string | undefined;
}

/** Checks the repository of a compilation with the rules of `pipeline check`; unless it is a complete build, each model alone. */
export const checkBuild = (
  { tree, models, manifest, comparedTokens }: EmittedRepository,
  { release, docker = false, cores = {}, rememberedIn }: CheckBuildOptions,
): BuildFindings => {
  const prepared = preparedIn(manifest?.models ?? []);
  const host = treeHost(tree, prepared);
  const ourImage = docker !== false && docker.baseImage === undefined;
  /** Positions of fields that the author wrote in Triton's terms. */
  const inTritonsTerms = new Set<string>();
  const options = {
    release,
    anyServer: true,
    inTerms: (
      sentence: string,
      names: ReadonlySet<unknown>,
      [first]: readonly Pick<Label, "span">[],
    ): string =>
      inTritonsTerms.has(JSON.stringify(first?.span)) ? sentence : inOptionTerms(sentence, names),
    comparedTokens,
    ...(ourImage ? { pythonPackages: manifest?.requirements } : {}),
  };
  const copied = copiedFiles(tree);
  const atSource = (one: Diagnostic): Diagnostic => ({
    ...one,
    labels: one.labels.map(({ span, text }) => ({
      span: { ...span, file: copied.get(span.file) ?? span.file },
      text,
    })),
  });
  const checks = rememberedIn === undefined ? undefined : openSoundChecks(rememberedIn, tree, folder);
  const found = profilesOf(models).map((profile) => {
    const configs = knownConfigs(models, profile, inTritonsTerms);
    const judgedFor = {
      ...options,
      ...(profile === undefined ? {} : { configName: profile, cores: ownValue(cores, profile) }),
    };
    const sound = checks?.models((name) => [judgedFor, configs.get(name)?.config, prepared]);
    const { diagnostics } = checkRepositories([{ host, prefix: "", configs }], { ...judgedFor, sound });
    return { profile, diagnostics: diagnostics.map(atSource) };
  });
  checks?.keep();
  const places = placesIn(tree, models);
  const diagnostics = joinProfiles(found, (span) => places.isAuthors(span))
    .filter(({ code }) => manifest !== undefined || !aboutRepository.has(code))
    .map(places.blameRaw);
  const isAuthors = ({ labels }: Diagnostic): boolean => labels.some(({ span }) => places.isAuthors(span));
  const authors = diagnostics
    .filter((one) => isAuthors(one) && !saidByCompiler.has(one.code))
    .map(places.resolve)
    .map(asContract);
  const others = diagnostics.filter((diagnostic) => !isAuthors(diagnostic)).map(places.resolve);
  // Removes findings that follow from the user's errors, such as an ensemble with an invalid model.
  return { authors, ours: hasErrors(authors) || manifest === undefined ? [] : others.filter(isError) };
};

/** undefined, which means without a profile, comes first. */
const profilesOf = (models: readonly ConfiguredModel[]): readonly (string | undefined)[] => [
  ...new Set([undefined, ...models.flatMap(({ configs }) => [...configs.keys()])]),
];

/**
 * Prefix of the positions of fields that the compiler wrote, and of those without a position. The model's name follows,
 * and possibly the real file.
 */
const unplaced = { author: "\0author/", compiler: "\0compiler/" };

const knownConfigs = (
  models: readonly ConfiguredModel[],
  profile: string | undefined,
  inTritonsTerms: Set<string>,
): ReadonlyMap<string, KnownConfig> =>
  new Map(
    models.flatMap(({ name, configs }) => {
      const known = configs.get(profile) ?? configs.get(undefined);
      if (known === undefined) return [];
      const at = (path: Parameters<KnownConfig["at"]>[0], text: string): Label => {
        const { authors, raw, span } = known.placeOf(path);
        if (raw === true) inTritonsTerms.add(JSON.stringify(span));
        if (authors && span !== undefined) return { span, text };
        const { file = "", line = 1, column = 1 } = span ?? {};
        return {
          span: { file: `${authors ? unplaced.author : unplaced.compiler}${name}/${file}`, line, column },
          text,
        };
      };
      return [[name, { config: known.config, at }] as const];
    }),
  );

/**
 * The findings about the user's files, and positions for the other findings: the source of the field, or otherwise the
 * definition of the model.
 */
const placesIn = (tree: Tree, models: readonly ConfiguredModel[]) => {
  const defined = new Map(models.map(({ name, definedAt }) => [name, definedAt]));
  const markOf = ({ file }: Span): string | undefined =>
    Object.values(unplaced).find((mark) => file.startsWith(mark)) ??
    (tree.has(`${folder}${file}`) ? "" : undefined);
  const isAuthors = (span: Span): boolean => [undefined, unplaced.author].includes(markOf(span));
  const partsOf = ({ file }: Span, mark: string): readonly string[] => file.slice(mark.length).split("/");
  const placeOf = (span: Span): Span | undefined => {
    const mark = markOf(span);
    if (mark === undefined) return span;
    const [model = "", ...file] = partsOf(span, mark);
    const known = mark === "" ? "" : file.join("/");
    return known === "" ? defined.get(model) : { ...span, file: known };
  };
  const fragments = new Map(
    models.flatMap(({ name, rawAt }) => (rawAt === undefined ? [] : [[name, rawAt]])),
  );
  const members = new Map(
    models.map(({ name, configs }) => [
      name,
      [...configs.values()].flatMap(({ config }) => stepModels(config)),
    ]),
  );
  /** Adds the position of a `raw` fragment to an error in what the compiler wrote for its model, or for an ensemble of that model. */
  const blameRaw = (diagnostic: Diagnostic): Diagnostic => {
    const { labels } = diagnostic;
    if (!isError(diagnostic) || labels.some(({ span }) => isAuthors(span))) return diagnostic;
    const named = labels.flatMap(({ span }) => partsOf(span, markOf(span) ?? "").slice(0, 1));
    const model = [...named, ...named.flatMap((name) => members.get(name) ?? [])].find((name) =>
      fragments.has(name),
    );
    const span = model === undefined ? undefined : fragments.get(model);
    if (span === undefined) return diagnostic;
    return { ...diagnostic, labels: [{ span, text: `replaces fields of \`${model}\`` }, ...labels] };
  };
  const resolve = (diagnostic: Diagnostic): Diagnostic => {
    const labels = new Map<string, Label>();
    for (const { span, text } of diagnostic.labels) {
      const place = placeOf(span);
      const key = JSON.stringify(place);
      if (place !== undefined && !labels.has(key)) labels.set(key, { span: place, text });
    }
    return { ...diagnostic, labels: [...labels.values()] };
  };
  return { isAuthors, resolve, blameRaw };
};

/** Path in the repository → the project file that was copied there. */
const copiedFiles = (tree: Tree): ReadonlyMap<string, string> =>
  new Map(
    [...tree].flatMap(([path, file]) =>
      "from" in file && path.startsWith(folder) ? [[path.slice(folder.length), file.from] as const] : [],
    ),
  );

/** Findings that the compiler already reported on the step's line. */
const saidByCompiler: ReadonlySet<string> = new Set([
  "version/empty-policy",
  "version/missing",
  "version/none-available",
]);

/**
 * Findings in models that Triton would serve. In a build, the declaration is a contract that the Python code or the
 * backend certainly breaks.
 */
const broken: ReadonlySet<string> = new Set([
  "accelerator/cuda-unknown-parameter",
  "accelerator/parameter-without-effect",
  "accelerator/tensorrt-profile",
  "backend/misspelt-parameter",
  "python/missing-output",
  "python/wrong-dtype",
  "sequence/state-not-kept",
]);

const asContract = (one: Diagnostic): Diagnostic =>
  broken.has(one.code) ? { ...one, severity: "error" } : one;

/** Whether Triton would report the error; otherwise only tritype does. */
export const isRefusal = ({ code, severity }: Diagnostic): boolean =>
  severity === "error" && !broken.has(code);

const aboutRepository: ReadonlySet<string> = new Set(
  rules.flatMap(({ scope, entry }) => (scope === "repository" ? [entry.code] : [])),
);

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

const folder = "model_repository/";

/** Files that the build's `prepare.sh` will create; the rules treat them as present. */
const preparedIn = (models: Manifest["models"]): readonly string[] =>
  models.flatMap(({ name, versions = [] }) =>
    versions.flatMap(({ version, prepared = [] }) => prepared.map((path) => `${name}/${version}/${path}`)),
  );

/** The model repository of a tree, with files that are written later. */
const treeHost = (tree: Tree, prepared: readonly string[]): RepositoryHost => {
  const files = new Map<string, TreeFile>();
  for (const [path, file] of tree) if (path.startsWith(folder)) files.set(path.slice(folder.length), file);
  for (const path of prepared) files.set(path, textFile(""));
  const folders = new Map<string, Map<string, Entry>>([["", new Map()]]);
  for (const [path, file] of files) {
    const names = path.split("/");
    for (const [depth, name] of names.entries()) {
      const parent = names.slice(0, depth).join("/");
      const entries = folders.get(parent) ?? new Map<string, Entry>();
      folders.set(parent, entries);
      const isFile = depth === names.length - 1;
      entries.set(name, { name, kind: isFile ? "file" : "folder", size: isFile ? fileSize(file) : 0 });
    }
  }
  const sorted = new Map(
    [...folders].map(([path, entries]) => [
      path,
      [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ]),
  );
  return {
    list: (path) => sorted.get(path),
    read: (path, limit) => bytesAt(files.get(path), 0, limit),
    readAt: (path, offset, length) => bytesAt(files.get(path), offset, length),
  };
};

const bytesAt = (
  file: TreeFile | undefined,
  offset: number,
  length: number | undefined,
): Uint8Array | undefined => {
  if (file === undefined) return undefined;
  if (file.kind === "large-copy" && length !== undefined) return file.file.readAt(offset, length);
  return fileBytes(file).subarray(offset, length === undefined ? undefined : offset + length);
};
