import { type ModelConfig, type ModelInput, type ModelOutput, printModelConfig } from "@tritype/triton";
import type { CaseFiles } from "./case-files.ts";

/** A model before it is written: generators create it, and faults change it. */
export interface ModelDraft {
  readonly name: string;
  readonly config: ModelConfig;
  /** Files next to the configuration, relative to the model's folder; a path that ends in "/" is an empty folder. */
  readonly files: CaseFiles;
  /** Transforms the printed text; undefined text means no file. */
  readonly rewrite?: (text: string) => string | Uint8Array | undefined;
}

/** Models in load order; faults change the last one. */
export type Draft = readonly ModelDraft[];
export type Edit = (draft: Draft) => Draft;

export const draftFiles = (draft: Draft): CaseFiles =>
  Object.fromEntries(
    draft.flatMap(({ name, config, files, rewrite = (text) => text }) => {
      const text = rewrite(printModelConfig(config));
      const own = Object.entries(files).map(([path, contents]) => [`${name}/${path}`, contents] as const);
      return text === undefined ? own : [[`${name}/config.pbtxt`, text] as const, ...own];
    }),
  );

const last = (draft: Draft): ModelDraft => {
  const model = draft.at(-1);
  if (model === undefined) throw new Error("A draft has a model");
  return model;
};

export const changeModel =
  (change: (model: ModelDraft) => ModelDraft): Edit =>
  (draft) => [...draft.slice(0, -1), change(last(draft))];

export const changeConfig = (change: (config: ModelConfig, model: ModelDraft) => ModelConfig): Edit =>
  changeModel((model) => ({ ...model, config: change(model.config, model) }));

export const set = (fields: Fields<ModelConfig>): Edit => changeConfig((config) => patched(config, fields));

export const clear = (...names: readonly (keyof ModelConfig)[]): Edit =>
  changeConfig(
    (config) =>
      Object.fromEntries(
        Object.entries(config).filter(([name]) => !names.includes(name as keyof ModelConfig)),
      ) as ModelConfig,
  );

export const all =
  (...edits: readonly Edit[]): Edit =>
  (draft) =>
    edits.reduce((changed, edit) => edit(changed), draft);

export const nothing: Edit = (draft) => draft;

/** Fields to set, or a function of the previous value. */
export type Fields<T> = T | ((before: T) => T);

export const patched = <T extends object>(before: T, fields: Fields<T>): T => ({
  ...before,
  ...(typeof fields === "function" ? fields(before) : fields),
});

export const setInput = (fields: Fields<ModelInput>): Edit =>
  changeConfig((config) => ({ ...config, input: patchFirst(config.input, fields) }));

export const setOutput = (fields: Fields<ModelOutput>): Edit =>
  changeConfig((config) => ({ ...config, output: patchFirst(config.output, fields) }));

const patchFirst = <T extends object>(
  items: readonly T[] | undefined = [],
  fields: Fields<T>,
): readonly T[] => {
  const [first = {} as T, ...rest] = items;
  return [patched(first, fields), ...rest];
};

/** Removes some fields of the first input or output. */
export const omitIn = (side: "input" | "output", ...names: readonly string[]): Edit =>
  changeConfig((config) => {
    const [first = {}, ...rest] = config[side] ?? [];
    const kept = Object.fromEntries(Object.entries(first).filter(([name]) => !names.includes(name)));
    return { ...config, [side]: [kept, ...rest] };
  });

export const rewrite = (change: (text: string) => string | Uint8Array | undefined): Edit =>
  changeModel((model) => ({ ...model, rewrite: change }));

export const append = (text: string): Edit => rewrite((printed) => `${printed}\n${text}\n`);

export const addFiles = (files: CaseFiles): Edit =>
  changeModel((model) => ({ ...model, files: { ...model.files, ...files } }));

/** Replaces the version folders. */
export const setVersions = (...folders: readonly string[]): Edit =>
  changeModel((model) => ({
    ...model,
    files: {
      ...Object.fromEntries(Object.entries(model.files).filter(([path]) => !/^\d/.test(path))),
      ...Object.fromEntries(folders.map((folder) => [folder.endsWith("/") ? folder : `${folder}/`, ""])),
    },
  }));

/** A list whose values keep their own types. */
export const each = <const T>(...values: readonly T[]): readonly T[] => values;
