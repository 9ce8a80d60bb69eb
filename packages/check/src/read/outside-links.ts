import { decodeUtf8, type Diagnostic } from "@tritype/core";
import { ensembleSteps } from "../model/ensemble-graph.ts";
import type { ModelContext, RepositoryContext } from "../model-context.ts";
import { entries } from "../registry.ts";
import type { RepositoryHost } from "../repository-host.ts";
import type { MountedRepository } from "./mounted-repository.ts";

/** Tracks content that rules read from outside a repository through its links. */
export interface OutsideReads {
  /** The repository; it records what is read. */
  readonly repository: MountedRepository;
  /** Folder of a model → the first path in it that led out of the repository. */
  readonly models: ReadonlyMap<string, string>;
}

/**
 * Records which models have files outside the repository. Findings about an `.onnx` file only show names and shapes of tensors, so
 * links to a model cache do not count.
 */
export const watchOutsideReads = (given: MountedRepository): OutsideReads => {
  const { host } = given;
  const models = new Map<string, string>();
  const note = (path: string): void => {
    const [model = ""] = path.split("/");
    if (path !== "" && !models.has(model) && host.leaves?.(path) === true) models.set(model, path);
  };
  const { readAt } = host;
  const watched: RepositoryHost = {
    ...host,
    list: (folder) => {
      note(folder);
      return host.list(folder);
    },
    read: (file, limit) => {
      // A single byte is only read to check whether a file is readable.
      if (limit !== 1 && !file.endsWith(".onnx")) note(file);
      return host.read(file, limit);
    },
    ...(readAt && {
      readAt: (file: string, offset: number, length: number) => {
        if (!file.endsWith(".onnx")) note(file);
        return readAt(file, offset, length);
      },
    }),
  };
  return { repository: { ...given, host: watched }, models };
};

/** The findings, without quotations from files outside the repository. */
export const hideOutside = (
  diagnostics: readonly Diagnostic[],
  reads: readonly OutsideReads[],
  { models }: Pick<RepositoryContext, "models">,
): readonly Diagnostic[] => {
  const known = new Map<string, string>();
  for (const { repository, models: left } of reads)
    for (const [name, path] of left) known.set(name, `${repository.prefix}${path}`);
  if (known.size === 0 || diagnostics.length === 0) return diagnostics;
  for (let before = -1; before !== known.size; ) {
    before = known.size;
    for (const [name, { model }] of models) {
      if (known.has(name)) continue;
      const from = usedModels(model, known);
      if (from !== undefined) known.set(name, from);
    }
  }
  return diagnostics.map((one) => {
    for (const { span } of one.labels)
      for (const { repository } of reads) {
        const path = span.file.startsWith(repository.prefix) ? span.file.slice(repository.prefix.length) : "";
        const from = known.get(path.split("/")[0] ?? "");
        if (from !== undefined) return withoutContent(one, from);
      }
    return one;
  });
};

/** The link target of the first known model that an ensemble uses as a step, or that a model.py may call by name. */
const usedModels = (model: ModelContext, known: ReadonlyMap<string, string>): string | undefined => {
  for (const { model_name: name = "" } of ensembleSteps(model.config) ?? []) {
    const from = known.get(name);
    if (from !== undefined) return from;
  }
  if (model.config.backend !== "python") return undefined;
  for (const { name, kind } of model.list("") ?? []) {
    const text = kind === "folder" ? model.read(`${name}/model.py`, 2 ** 23) : undefined;
    if (text === undefined) continue;
    for (const quoted of decodeUtf8(text).split(/["']/)) {
      const from = known.get(quoted);
      if (from !== undefined) return from;
    }
  }
  return undefined;
};

/** A finding with only the rule's text and its line. */
export const withoutContent = (one: Diagnostic, link: string): Diagnostic => {
  const entry = entries.find(({ code }) => code === one.code);
  const blank = (sentence: string): string => sentence.replaceAll(/`?\{(\w+)\}`?/g, "<$1>");
  return {
    ...one,
    message: blank(entry?.message ?? one.code),
    labels: one.labels.map(({ span }) => ({ span: { ...span, column: 1 }, text: "" })),
    notes: [
      `\`${link}\` is outside the repository, behind a link, so names and values are not shown; to see them, check the files at their own location`,
    ],
    help: entry?.help === undefined ? undefined : blank(entry.help),
  };
};
