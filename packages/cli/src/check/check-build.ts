import { checkRepository, configNames, type Entry, type RepositoryHost } from "@tritype/check";
import {
  type DockerOptions,
  fileBytes,
  fileSize,
  textFile,
  type Tree,
  type TreeFile,
} from "@tritype/compiler";
import { type Diagnostic, decodeUtf8, hasErrors } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import type { TritonRelease } from "@tritype/triton";
import { joinProfiles } from "./join-profiles.ts";
import type { ReadSource } from "../render-diagnostic.ts";

/** What the rules say of a build that is not written yet. */
export interface BuildFindings {
  /** About what the author wrote: fields such as instance groups, parameters, batching; and his Python, at its place in the project. */
  readonly authors: readonly Diagnostic[];
  /** Everything else that Triton would refuse: our bug, unless a `raw` fragment wrote it. */
  readonly ours: readonly Diagnostic[];
  readonly readSource: ReadSource;
}

/**
 * Judges the repository of a build by the rules of `pipeline check`.
 * @param docker What the container is made of; in an image of the author's own nobody knows which Python packages there are.
 */
export const checkBuild = (
  tree: Tree,
  release: TritonRelease,
  docker: DockerOptions | false = false,
): BuildFindings => {
  const host = treeHost(tree);
  const ourImage = docker !== false && docker.baseImage === undefined;
  const options = { release, ...(ourImage ? { pythonPackages: manifestIn(tree).requirements } : {}) };
  const python = authorsPython(tree);
  const sources = new Map([...python.values()].map(({ from, bytes }) => [from, bytes]));
  const readSource: ReadSource = (file) => {
    const bytes = host.read(file) ?? sources.get(file);
    return bytes && decodeUtf8(bytes);
  };
  const atSource = (one: Diagnostic): Diagnostic => ({
    ...one,
    labels: one.labels.map(({ span, text }) => ({
      span: { ...span, file: python.get(span.file)?.from ?? span.file },
      text,
    })),
  });
  const found = [undefined, ...configNames(host)].map((profile) => ({
    profile,
    diagnostics: checkRepository(
      host,
      profile === undefined ? options : { ...options, configName: profile },
    ).diagnostics.map(atSource),
  }));
  const diagnostics = joinProfiles(found, (file) => sources.has(file)).filter(
    ({ code }) => !saidByCompiler.has(code),
  );
  const isAuthors = ({ labels }: Diagnostic): boolean =>
    labels.some(({ span: { file, line } }) => {
      if (sources.has(file)) return true;
      const text = isConfig(file) ? readSource(file) : undefined;
      return text !== undefined && !compiledFields.has(fieldAround(text, line));
    });
  const authors = diagnostics.filter(isAuthors);
  const others = diagnostics.filter((diagnostic) => !isAuthors(diagnostic));
  // What the author's errors lead to, such as an ensemble of a refused model, goes with them.
  return { authors, ours: hasErrors(authors) ? [] : others.filter(isError), readSource };
};

/** Path in the repository → the author's Python file that was copied there. */
const authorsPython = (
  tree: Tree,
): ReadonlyMap<string, { readonly from: string; readonly bytes: Uint8Array }> =>
  new Map(
    [...tree].flatMap(([path, file]) =>
      "from" in file && path.startsWith(folder) && path.endsWith(".py")
        ? [[path.slice(folder.length), { from: file.from, bytes: fileBytes(file) }] as const]
        : [],
    ),
  );

/** What the compiler has said already, at the line of the step. */
const saidByCompiler: ReadonlySet<string> = new Set(["version/missing"]);

/** Fields that the compiler makes; all others are the author's settings as they are. */
const compiledFields: ReadonlySet<string> = new Set([
  "name",
  "backend",
  "platform",
  "default_model_filename",
  "max_batch_size",
  "input",
  "output",
  "ensemble_scheduling",
]);

const isConfig = (file: string): boolean => /\/config\.pbtxt$|\/configs\/[^/]+\.pbtxt$/.test(file);

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** The field of the configuration itself that a line of a printed text belongs to. */
const fieldAround = (text: string, line: number): string => {
  const before = text.split("\n").slice(0, line).toReversed();
  return before.flatMap((one) => /^[a-z_]+/.exec(one)?.[0] ?? [])[0] ?? "";
};

const folder = "model_repository/";

/** Files that the build's `prepare.sh` will make; the rules take them as there. */
const preparedIn = (tree: Tree): readonly string[] =>
  (manifestIn(tree).models ?? []).flatMap(({ name, versions = [] }) =>
    versions.flatMap(({ version, prepared = [] }) => prepared.map((path) => `${name}/${version}/${path}`)),
  );

const manifestIn = (tree: Tree): Partial<Manifest> => {
  const manifest = tree.get("manifest.json");
  return JSON.parse(manifest === undefined ? "{}" : decodeUtf8(fileBytes(manifest))) as Partial<Manifest>;
};

/** The model repository of a tree. */
const treeHost = (tree: Tree): RepositoryHost => {
  const files = new Map<string, TreeFile>();
  for (const [path, file] of tree) if (path.startsWith(folder)) files.set(path.slice(folder.length), file);
  for (const path of preparedIn(tree)) files.set(path, textFile(""));
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
