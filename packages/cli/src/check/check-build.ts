import { checkRepository, type Entry, type RepositoryHost } from "@tritype/check";
import type { Tree } from "@tritype/compiler";
import { type Diagnostic, decodeUtf8, encodeUtf8 } from "@tritype/core";
import type { TritonRelease } from "@tritype/triton";
import type { ReadSource } from "../render-diagnostic.ts";

/** What the rules say of a build that is not written yet. */
export interface BuildFindings {
  /** About fields that the author wrote: instance groups, parameters, batching, … */
  readonly authors: readonly Diagnostic[];
  /** Everything else that Triton would refuse: our bug. */
  readonly ours: readonly Diagnostic[];
  readonly readSource: ReadSource;
}

/** Judges the repository of a build by the rules of `pipeline check`. */
export const checkBuild = (tree: Tree, release: TritonRelease): BuildFindings => {
  const host = treeHost(tree);
  const readSource: ReadSource = (file) => {
    const bytes = host.read(file);
    return bytes && decodeUtf8(bytes);
  };
  const { diagnostics } = checkRepository(host, { release });
  const isAuthors = ({ labels }: Diagnostic): boolean =>
    labels.some(({ span: { file, line } }) => {
      const text = file.endsWith("/config.pbtxt") ? readSource(file) : undefined;
      return text !== undefined && authorsFields.has(fieldAround(text, line));
    });
  return {
    authors: diagnostics.filter(isAuthors),
    ours: diagnostics.filter((diagnostic) => diagnostic.severity === "error" && !isAuthors(diagnostic)),
    readSource,
  };
};

/** Fields of a configuration that the author's settings become, as they are; the compiler makes the others. */
const authorsFields: ReadonlySet<string> = new Set([
  "version_policy",
  "instance_group",
  "dynamic_batching",
  "sequence_batching",
  "optimization",
  "parameters",
  "model_warmup",
  "model_operations",
  "model_transaction_policy",
  "model_repository_agents",
  "response_cache",
  "model_metrics",
  "metric_tags",
  "cc_model_filenames",
  "batch_input",
  "batch_output",
  "runtime",
]);

/** The field of the configuration itself that a line of a printed text belongs to. */
const fieldAround = (text: string, line: number): string => {
  const before = text.split("\n").slice(0, line).toReversed();
  return before.flatMap((one) => /^[a-z_]+/.exec(one)?.[0] ?? [])[0] ?? "";
};

const folder = "model_repository/";

/** The model repository of a tree. */
const treeHost = (tree: Tree): RepositoryHost => {
  const files = new Map<string, Uint8Array>();
  for (const [path, file] of tree)
    if (path.startsWith(folder))
      files.set(path.slice(folder.length), file.kind === "text" ? encodeUtf8(file.text) : file.bytes);
  const folders = new Map<string, Map<string, Entry>>([["", new Map()]]);
  for (const [path, { length }] of files) {
    const names = path.split("/");
    for (const [depth, name] of names.entries()) {
      const parent = names.slice(0, depth).join("/");
      const entries = folders.get(parent) ?? new Map<string, Entry>();
      folders.set(parent, entries);
      const isFile = depth === names.length - 1;
      entries.set(name, { name, kind: isFile ? "file" : "folder", size: isFile ? length : 0 });
    }
  }
  const sorted = new Map(
    [...folders].map(([path, entries]) => [
      path,
      [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ]),
  );
  return { list: (path) => sorted.get(path), read: (path, limit) => files.get(path)?.subarray(0, limit) };
};
