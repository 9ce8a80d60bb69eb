import { completeModelConfig, type ModelConfig } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { ModelContext } from "../model-context.ts";
import type { Entry } from "../repository-host.ts";
import { locateIn } from "./locate-in.ts";

export interface ModelSource {
  readonly name: string;
  /** Default: the name. */
  readonly path?: string;
  readonly file: string;
  /** The parsed text of the configuration; undefined if there is no text. */
  readonly text: string | undefined;
  readonly written: ModelConfig;
  /** Positions of the configuration's fields. Default: in the text. */
  readonly at?: ModelContext["at"];
  readonly list: (folder: string) => readonly Entry[] | undefined;
  readonly read: (file: string, limit?: number) => Uint8Array | undefined;
  readonly readAt?: ModelContext["readAt"];
  readonly realPath?: ModelContext["realPath"];
}

/** A model as rules see it, completed the way the core does it before validation. */
export const makeContext = (source: ModelSource, options: CheckOptions): ModelContext => {
  const { name, path = name, file, text, written, list, read, readAt, realPath } = source;
  const config = completeModelConfig(written, {
    folder: name,
    versionFiles: firstVersionFiles(list, options),
    gpus: options.gpus ?? [],
  });
  return {
    name,
    path,
    file,
    written,
    hasConfig: text !== undefined,
    config,
    options,
    at: source.at ?? (text === undefined ? locateIn("", fileInstead(source, config)) : locateIn(text, file)),
    list,
    read,
    readAt,
    realPath,
  };
};

/** The file to name if there is no configuration: the file from which the core infers the backend, else the folder. */
const fileInstead = ({ file, list }: ModelSource, { default_model_filename: known }: ModelConfig): string => {
  const first = list("")?.find(({ kind }) => kind === "folder")?.name ?? "";
  const isFile = list(first)?.some(({ name, kind }) => name === known && kind === "file");
  return isFile ? `${file}/${first}/${known}` : file;
};

/** Names in a model's first subfolder, where the core looks for known files even if it is not a version folder. */
export const firstVersionFiles = (
  list: ModelSource["list"],
  { release }: CheckOptions,
): readonly string[] => {
  const first = list("")?.find(({ kind }) => kind === "folder");
  const entries = (first && list(first.name)) ?? [];
  return entries.flatMap(({ name, kind }) =>
    kind === (usualKinds.get(name) ?? kind) && (name !== "model.pt2" || release.container >= torchAotiSince)
      ? [name]
      : [],
  );
};

/** The kind of entry that the core expects for each known file; other entries may be of either kind. */
const usualKinds: ReadonlyMap<string, Entry["kind"]> = new Map([
  ["model.savedmodel", "folder"],
  ["model.graphdef", "file"],
  ["model.plan", "file"],
  ["model.pt", "file"],
  ["model.pt2", "file"],
]);

/** The first release whose core knows `model.pt2` and the platform `torch_aoti`. Source: core's release branches. */
export const torchAotiSince = "26.03";
