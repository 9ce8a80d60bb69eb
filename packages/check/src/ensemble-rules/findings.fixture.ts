import type { Diagnostic } from "@tritype/core";
import { defaultRelease } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { CheckedModel, RepositoryContext } from "../model-context.ts";
import { readModel } from "../read/read-model.ts";
import { appliesTo, refusedAt, type Rule } from "../rule.ts";
import { memoryHost } from "./memory-host.fixture.ts";

/** A repository and the findings of some rules for it, in order: `<code> <line>: <message>`. */
export interface RepositoryCase {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly says: readonly string[];
}

/** A repository in memory as repository rules see it; models are completed as the core completes them. */
export const repository = (
  files: RepositoryCase["files"],
  { rules = [], options = {}, tell }: JudgeOptions = {},
): RepositoryContext => {
  const all: CheckOptions = { release: defaultRelease, strict: true, ...options };
  const host = memoryHost(files);
  const models = new Map<string, CheckedModel>();
  const unreadable = new Set<string>();
  for (const { name, kind } of host.list("") ?? []) {
    if (kind !== "folder") continue;
    const read = readModel({ host, prefix: "" }, name, all);
    if (!("model" in read)) {
      unreadable.add(name);
      continue;
    }
    const { model } = read;
    let refused: CheckedModel["refused"];
    for (const rule of rules) {
      if (rule.scope !== "model") continue;
      const found = rule.check(model);
      tell?.(found);
      if (found.length > 0) refused = refusedAt(rule.entry, all.strict) ?? refused;
    }
    models.set(name, {
      model,
      refused,
      completed: refused === undefined ? model.config : undefined,
      assumed: model.config,
    });
  }
  return { models, unreadable, options: all };
};

interface JudgeOptions {
  readonly rules?: readonly Rule[];
  readonly options?: Partial<CheckOptions>;
  readonly tell?: (found: readonly Diagnostic[]) => void;
}

/** The findings of rules for a repository in memory. */
export const findings = (
  files: RepositoryCase["files"],
  rules: readonly Rule[],
  options: Partial<CheckOptions> = {},
): readonly string[] => {
  const { container } = options.release ?? defaultRelease;
  const current = rules.filter(({ entry }) => appliesTo(entry, container));
  const found: string[] = [];
  const tell = (diagnostics: readonly Diagnostic[]): void => {
    for (const { code, message, labels } of diagnostics)
      found.push(`${code} ${labels[0]?.span.file}:${labels[0]?.span.line}: ${message}`);
  };
  const context = repository(files, { rules: current, options, tell });
  for (const rule of current) if (rule.scope === "repository") tell(rule.check(context));
  return found;
};
