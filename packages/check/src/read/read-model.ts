import type { Diagnostic, Label } from "@tritype/core";
import { newerFields } from "@tritype/triton";
import { misnamedConfigs } from "../advice-rules/misnamed-config-rule.ts";
import type { CheckOptions } from "../check-options.ts";
import type { ModelContext } from "../model-context.ts";
import type { Entry } from "../repository-host.ts";
import { textLimit } from "./limits.ts";
import { inTermsOf } from "../in-terms.ts";
import { makeContext } from "../model/make-context.ts";
import type { MountedRepository } from "./mounted-repository.ts";
import { fieldsTooNew, readConfigBytes } from "./read-text.ts";
import { diagnoseReading } from "./reading-entries.ts";
import { resolvePath } from "../model/resolve-path.ts";

export type ReadModel = { readonly model: ModelContext } | { readonly diagnostics: readonly Diagnostic[] };

/** Reads one folder of a repository as Triton polls it. Source: core `model_repository_manager.cc`, InitializeModelInfo. */
export const readModel = (
  { host, prefix, configs }: MountedRepository,
  name: string,
  options: CheckOptions,
): ReadModel => {
  const folder = `${prefix}${name}`;
  const refuse = (diagnostics: readonly Diagnostic[]): ReadModel => ({ diagnostics });
  const at = (path: string) => resolvePath(name, path, (parent) => host.list(parent) !== undefined);
  const list = (inner: string) => {
    const path = at(inner);
    return path === undefined ? undefined : host.list(path);
  };
  const read = (file: string, limit?: number) => {
    const path = at(file);
    return path === undefined ? undefined : host.read(path, limit);
  };
  const realPath: ModelContext["realPath"] =
    host.realPath &&
    ((path) => {
      const full = at(path);
      return full === undefined ? undefined : host.realPath?.(full);
    });
  const readAt: ModelContext["readAt"] =
    host.readAt &&
    ((file, offset, length) => {
      const path = at(file);
      return path === undefined ? undefined : host.readAt?.(path, offset, length);
    });
  const entries = list("");
  if (entries === undefined) return refuse([unreadable(folder)]);
  if (options.configsOnly !== true) {
    const first = entries.find(({ kind }) => kind === "folder");
    if (first && list(first.name) === undefined) return refuse([unreadable(`${folder}/${first.name}`)]);
    const broken = brokenLinks(entries, folder);
    if (broken.length > 0) return refuse(broken);
  }
  const config = configFile(entries, list, options);
  const file = config === undefined ? folder : `${folder}/${config.path}`;
  if (config === undefined) {
    if (options.strict === true)
      return refuse([
        diagnoseReading("config/missing", {
          with: { name },
          labels: [top(folder, "its folder")],
          notes: misnamedConfigs(list).map((one) => `\`${one}\` is not read`),
        }),
      ]);
    return {
      model: makeContext({ name, file, text: undefined, written: {}, list, read, readAt, realPath }, options),
    };
  }
  const known = configs?.get(name);
  if (known !== undefined) {
    const { config: written, at } = known;
    const release = options.release.container;
    const tooNew = fieldsTooNew(newerFields(written, release), at, release);
    if (tooNew.length > 0) return refuse(tooNew.map((one) => inTermsOf(options, one)));
    return {
      model: makeContext({ name, file, text: "", written, at, list, read, readAt, realPath }, options),
    };
  }
  const bytes = config.kind === "file" ? read(config.path, textLimit + 1) : undefined;
  if (bytes === undefined)
    return refuse([diagnoseReading("config/unreadable", { with: { name }, labels: [top(file, "this")] })]);
  const text = readConfigBytes(bytes, file, options);
  if ("diagnostics" in text) return text;
  return {
    model: makeContext(
      { name, file, text: text.text, written: text.config, list, read, readAt, realPath },
      options,
    ),
  };
};

export const top = (file: string, text: string): Label => ({ span: { file, line: 1, column: 1 }, text });

export const unreadable = (folder: string): Diagnostic =>
  diagnoseReading("repository/unreadable", {
    with: { folder: `\`${folder}\`` },
    labels: [top(folder, "this folder")],
  });

/** Links that Triton cannot follow when it reads the whole folder. */
export const brokenLinks = (entries: readonly Entry[], folder: string): readonly Diagnostic[] =>
  entries
    .filter(({ kind }) => kind === "other")
    .map(({ name, deadLink }) =>
      diagnoseReading("repository/broken-link", {
        with: { name, folder: folder === "" ? "the repository" : `\`${folder}\`` },
        notes: deadLink === undefined ? [] : [`it is a link to \`${deadLink}\`, which is broken`],
        labels: [top(folder === "" ? name : `${folder}/${name}`, "this")],
      }),
    );

/** `configs/<name>.pbtxt` if a model has it, otherwise `config.pbtxt`. */
const configFile = (
  entries: readonly Entry[],
  list: (folder: string) => readonly Entry[] | undefined,
  { configName }: CheckOptions,
): { readonly path: string; readonly kind: Entry["kind"] } | undefined => {
  const custom =
    configName === undefined
      ? undefined
      : list("configs")?.find(({ name }) => name === `${configName}.pbtxt`);
  if (custom) return { path: `configs/${custom.name}`, kind: custom.kind };
  const usual = entries.find(({ name }) => name === "config.pbtxt");
  return usual && { path: usual.name, kind: usual.kind };
};
