import type { ModelConfig } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import { coreConfigRules } from "../config-rules/core-config-rules.ts";
import type { Entry } from "../repository-host.ts";
import { appliesTo, type Rule } from "../rule.ts";
import { sequenceRules } from "../sequence-rules/sequence-rules.ts";
import { makeContext } from "./make-context.ts";

/** A configuration that a server is about to load. */
export interface PolledConfig {
  /** Name of the model's folder. */
  readonly name: string;
  readonly written: ModelConfig;
  /** File names in its first version folder. */
  readonly versionFiles: readonly string[];
}

/** Why Triton does not load a configuration. */
export interface ConfigRefusal {
  readonly code: string;
  /** Triton's words, or where the rule does not know them its own. */
  readonly reason: string;
  readonly help: string | undefined;
}

/**
 * The first reason of Triton's core against a configuration; undefined when it has none. Looks at the configuration alone, not at files.
 * @param allowed Codes that the server does without.
 */
export const firstRefusal = (
  { name, written, versionFiles }: PolledConfig,
  options: Omit<CheckOptions, "configsOnly">,
  allowed: ReadonlySet<string>,
): ConfigRefusal | undefined => {
  const files = versionFiles.map((file): Entry => ({ name: file, kind: "file", size: 0 }));
  const folders = new Map<string, readonly Entry[]>([
    ["", [{ name: "1", kind: "folder", size: 0 }]],
    ["1", files],
  ]);
  const model = makeContext(
    {
      name,
      file: name,
      text: "",
      written,
      list: (folder) => folders.get(folder),
      read: () => undefined,
    },
    { ...options, configsOnly: true },
  );
  for (const rule of coreRules) {
    if (allowed.has(rule.entry.code) || !appliesTo(rule.entry, options.release.container)) continue;
    const [found] = rule.check(model);
    if (found !== undefined)
      return { code: found.code, reason: found.words ?? found.message, help: found.help };
  }
  return undefined;
};

/** What the core looks at before a backend sees the model. */
const coreRules: readonly (Rule & { readonly scope: "model" })[] = [
  ...coreConfigRules,
  ...sequenceRules,
].filter(
  (rule): rule is Rule & { readonly scope: "model" } =>
    rule.scope === "model" && rule.entry.severity === "error" && rule.entry.judged !== "ours",
);
