import { entryWithoutEnsemble, parseSite, unexportedEnsemble, unusedStep } from "@tritype/compiler";
import type { Diagnostic, Label } from "@tritype/core";
import { isCalledByClients, recordOf, type StepRecord } from "@tritype/dsl";
import { reachable } from "./analyse/analyse-sources.ts";
import type { LoadedEntries } from "./load/bundle-entries.ts";
import { projectFile } from "./node-host.ts";

/**
 * Definitions of the project that are not in any build: steps that an entry exports and nothing calls, ensembles and
 * flows that no entry exports and nothing calls, and entries that add nothing to the build. Unused outputs are not
 * included, because models may have outputs that a pipeline does not need.
 */
export const unusedDefinitions = (
  root: string,
  entries: readonly string[],
  { modules, definitions, mapStack }: LoadedEntries,
  built: readonly StepRecord[],
): readonly Diagnostic[] => {
  const isProjectFile = projectFile(root);
  const definedAt = ({ site }: StepRecord): readonly Label[] =>
    parseSite(site.stack === undefined ? undefined : mapStack(site.stack), isProjectFile)
      .slice(0, 1)
      .map((span) => ({ span, text: "defined here" }));
  const used = new Set(reachable(built));
  const exported = new Map(
    modules.flatMap((module) =>
      Object.entries(module).flatMap(([name, value]) => {
        const record = recordOf(value);
        return record === undefined ? [] : [[record, name] as const];
      }),
    ),
  );
  const unused = [...new Set([...exported.keys(), ...definitions])].filter((record) => !used.has(record));
  return [
    ...unused.flatMap((record): readonly Diagnostic[] => {
      const labels = definedAt(record);
      // Whether the definition comes from a package's own code, or does not come from a file.
      if (labels.length === 0) return [];
      if (isCalledByClients(record)) return [unexportedEnsemble(record, labels)];
      const name = exported.get(record);
      return name === undefined ? [] : [unusedStep(name, record.name, labels)];
    }),
    ...entries.flatMap((entry, index): readonly Diagnostic[] => {
      const values = Object.values(modules[index] ?? {});
      const isBuilt = (record: StepRecord | undefined) => record !== undefined && used.has(record);
      if (values.some((value) => isBuilt(recordOf(value)))) return [];
      const what = values.length === 0 ? "exports nothing" : "exports no ensemble or flow";
      return [entryWithoutEnsemble(entry, what)];
    }),
  ];
};
