import { completeModelConfig, type ModelConfig } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { ModelContext } from "../model-context.ts";
import type { Entry } from "../repository-host.ts";
import { locateIn } from "./locate-in.ts";

export interface ModelSource {
  readonly name: string;
  readonly file: string;
  /** What the configuration's text is; undefined when there is none. */
  readonly text: string | undefined;
  readonly written: ModelConfig;
  readonly list: (folder: string) => readonly Entry[] | undefined;
  readonly read: (file: string, limit?: number) => Uint8Array | undefined;
}

/** A model as rules see it, completed as the core does it before it validates. */
export const makeContext = (source: ModelSource, options: CheckOptions): ModelContext => {
  const { name, file, text, written, list, read } = source;
  return {
    name,
    file,
    written,
    hasConfig: text !== undefined,
    config: completeModelConfig(written, {
      folder: name,
      versionFiles: firstVersionFiles(list, options),
      gpus: options.gpus ?? [],
    }),
    options,
    at: locateIn(text ?? "", file),
    list,
    read,
  };
};

/** Names in the first folder of a model, whatever it is: there the core looks for files that it knows. */
const firstVersionFiles = (list: ModelSource["list"], { release }: CheckOptions): readonly string[] => {
  const first = list("")?.find(({ kind }) => kind === "folder");
  const names = first ? (list(first.name) ?? []).map(({ name }) => name) : [];
  return release.container < torchAotiSince ? names.filter((name) => name !== "model.pt2") : names;
};

/** The first release whose core knows `model.pt2` and the platform `torch_aoti`. Source: core's release branches. */
export const torchAotiSince = "26.03";
