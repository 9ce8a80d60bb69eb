import type { Diagnostic, Label } from "@tritype/core";
import type { CollateTwinOptions } from "@tritype/manifest";
import { definedAt } from "../check/check-declaration.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnoseCollate } from "./collate-diagnostics.ts";
import { readCollate } from "./collate-kind.ts";
import type { SplitEnsemble } from "./split-ensembles.ts";

/** An ensemble that batches by length. A build proves that padding does not change its results. */
export interface CollatedEnsemble {
  readonly ensemble: string;
  /** Name of the model in front of the ensemble. */
  readonly collate: string;
  readonly options: CollateTwinOptions;
  /** Largest |a - b| / max(1, |b|) that padding may cause. */
  readonly tolerance: number;
  /** The ensemble's position in the user's code. */
  readonly labels: readonly Label[];
}

export const collatedEnsembles = (
  split: readonly SplitEnsemble[],
  host: CompilerHost,
): readonly CollatedEnsemble[] =>
  split.flatMap(({ ensemble, collate, batchBy }) => {
    const { value } = readCollate(collate, host);
    return value === undefined
      ? []
      : [
          {
            ensemble: ensemble.name,
            collate: collate.name,
            options: value.twin,
            tolerance: batchBy.tolerance,
            labels: definedAt(ensemble),
          },
        ];
  });

/** The finding if results change with padding. @param difference The difference in the output that changes most. */
export const paddingChangesAnswers = (
  { ensemble, tolerance, labels }: CollatedEnsemble,
  output: string,
  difference: number,
): Diagnostic =>
  diagnoseCollate("collate/padding-changes-answers", {
    with: { ensemble, output, tolerance, difference: difference.toPrecision(2) },
    labels,
    notes: ["measured with the texts in its samples: alone, padded, and batched with longer ones"],
  });
