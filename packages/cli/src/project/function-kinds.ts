import { resolve } from "node:path";
import { functionKind, type StepKind } from "@tritype/compiler";
import type { StepRecord } from "@tritype/dsl";
import type { BuildInputs } from "./build-inputs.ts";

/**
 * The kind of `step` and `batchStep`, with the translator behind it: TypeScript's checker is loaded only where a pipeline has such a
 * step.
 * @param inputs Gets the files that the functions are made of.
 */
export const functionKinds = async (
  root: string,
  records: readonly StepRecord[],
  inputs?: BuildInputs,
): Promise<readonly StepKind[]> => {
  if (!callsFunction(records)) return [];
  const { openSources, translateRun } = await import("@tritype/translator");
  const sources = openSources(root);
  return [
    functionKind((at, options) => {
      const translation = translateRun(sources, at, options);
      for (const file of translation.translated?.files ?? []) inputs?.add(resolve(root, file));
      return translation;
    }),
  ];
};

const callsFunction = (records: readonly StepRecord[]): boolean => {
  const seen = new Set<StepRecord>();
  const visit = (record: StepRecord): boolean => {
    if (seen.has(record)) return false;
    seen.add(record);
    if (record.kind === "function") return true;
    return (record.trace?.nodes ?? []).some((node) => node.kind === "step" && visit(node.step));
  };
  return records.some(visit);
};
