import { type Diagnostic, encodeUtf8, sortDiagnostics } from "@tritype/core";
import { defaultRelease } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { CheckedModel, ModelContext, RepositoryContext } from "../model-context.ts";
import { completeByBackend } from "../completion/complete-by-backend.ts";
import { readModel } from "../read/read-model.ts";
import type { Entry, RepositoryHost } from "../repository-host.ts";
import { adviceRules } from "./advice-rules.ts";

/** Files by path in the repository; a path that ends in "/" is an empty folder. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A repository in memory. */
const memoryHost = (files: Files): RepositoryHost => {
  const paths = Object.keys(files);
  return {
    list: (folder) => {
      const prefix = folder === "" ? "" : `${folder}/`;
      const inside = paths.filter((path) => path.startsWith(prefix) && path !== prefix);
      if (inside.length === 0 && !paths.includes(prefix)) return undefined;
      const names = [
        ...new Set(inside.map((path) => path.slice(prefix.length).split("/")[0] ?? "")),
      ].toSorted();
      return names.map((name): Entry => {
        const content = files[`${prefix}${name}`];
        return content === undefined
          ? { name, kind: "folder", size: 0 }
          : { name, kind: "file", size: bytesOf(content).length };
      });
    },
    read: (file, limit) => {
      const content = files[file];
      return content === undefined ? undefined : bytesOf(content).subarray(0, limit);
    },
  };
};

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? encodeUtf8(content) : content;

/** A repository as the rules get it. */
export const repositoryOf = (files: Files, options: Partial<CheckOptions> = {}): RepositoryContext => {
  const host = memoryHost(files);
  const given: CheckOptions = { release: defaultRelease, ...options };
  const models = new Map<string, CheckedModel>();
  for (const { name } of host.list("") ?? []) {
    const read = readModel({ host, prefix: "" }, name, given);
    if ("diagnostics" in read) throw new Error(JSON.stringify(read.diagnostics));
    models.set(name, checked(read.model));
  }
  return { models, unreadable: new Set<string>(), options: given };
};

/** The findings of only the advice rules for a repository. */
export const adviceOn = (files: Files, options: Partial<CheckOptions> = {}): readonly Diagnostic[] => {
  const repository = repositoryOf(files, options);
  return sortDiagnostics(
    adviceRules.flatMap((rule) =>
      rule.scope === "model"
        ? [...repository.models.values()].flatMap(({ model }) => rule.check(model))
        : rule.check(repository),
    ),
  );
};

const checked = (model: ModelContext): CheckedModel => {
  const completed = completeByBackend(model);
  return "refused" in completed
    ? { model, refused: "load", completed: undefined, assumed: undefined }
    : { model, refused: undefined, completed: completed.config, assumed: completed.config };
};

/** `file:line:column code message`, one per line. */
export const showAdvice = (files: Files, options: Partial<CheckOptions> = {}): string =>
  adviceOn(files, options)
    .map(({ code, message, labels }) => {
      const span = labels[0]?.span;
      return `${span?.file}:${span?.line}:${span?.column} ${code}: ${message}`;
    })
    .join("\n");
