import { defaultRelease } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { CheckedModel, RepositoryContext } from "../model-context.ts";
import { readModel } from "../read/read-model.ts";
import { appliesTo, type Rule } from "../rule.ts";
import { memoryHost } from "./memory-host.fixture.ts";

/** A repository, and what some rules say of it: `<code> <line>: <message>`, in their order. */
export interface RepositoryCase {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly says: readonly string[];
}

/** What rules say of a repository in memory; models are completed as the core does it. */
export const findings = (
  files: RepositoryCase["files"],
  rules: readonly Rule[],
  options: Partial<CheckOptions> = {},
): readonly string[] => {
  const all: CheckOptions = { release: defaultRelease, strict: true, ...options };
  const current = rules.filter(({ entry }) => appliesTo(entry, all.release.container));
  const host = memoryHost(files);
  const models = new Map<string, CheckedModel>();
  const unreadable = new Set<string>();
  const found: string[] = [];
  const tell = (diagnostics: ReturnType<Rule["check"]>): void => {
    for (const { code, message, labels } of diagnostics)
      found.push(`${code} ${labels[0]?.span.file}:${labels[0]?.span.line}: ${message}`);
  };
  for (const { name, kind } of host.list("") ?? []) {
    if (kind !== "folder") continue;
    const read = readModel({ host, prefix: "" }, name, all);
    if (!("model" in read)) {
      unreadable.add(name);
      continue;
    }
    const { model } = read;
    const own = current.flatMap((rule) =>
      rule.scope === "model" ? [{ rule, diagnostics: rule.check(model) }] : [],
    );
    for (const { diagnostics } of own) tell(diagnostics);
    const refused = own.some(
      ({ rule: { entry }, diagnostics }) =>
        entry.severity === "error" && entry.judged !== "ours" && diagnostics.length > 0,
    );
    models.set(name, { model, refused, completed: refused ? undefined : model.config });
  }
  const context: RepositoryContext = { models, unreadable, options: all };
  for (const rule of current) if (rule.scope === "repository") tell(rule.check(context));
  return found;
};
