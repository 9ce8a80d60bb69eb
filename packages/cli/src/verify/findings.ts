import { groupBy, present } from "@tritype/core";
import type { Colors } from "picocolors/types.js";
import type { TensorComparison } from "@tritype/inspector/view";
import { inColumns } from "../in-columns.ts";

/** The comparison of one tensor of one request in one check. */
export interface Finding {
  readonly model: string;
  /** The run that is compared with the local native run, or the way in which the rows were sent. */
  readonly check: string;
  /** Number of the request, from 1. */
  readonly request: number;
  readonly tensor: TensorComparison;
}

/**
 * One line per model, check and tensor, with the largest errors over all requests.
 * @param proven Whether every ensemble answered a request; equal errors prove little.
 */
export const printFindings = (
  findings: readonly Finding[],
  tolerance: number,
  colors: Colors,
  proven: boolean,
): string => {
  const groups = groupBy(
    findings.map((finding) => [`${finding.model} ${finding.tensor.name} ${finding.check}`, finding] as const),
  );
  const rows = [...groups.values()].map((group) => summarize(group));
  const columns = inColumns(rows.map(({ cells }) => cells));
  const lines = rows.map(({ ok, problem }, row) =>
    present(columns[row], ok ? colors.green("ok") : colors.red("DIFFERS"), problem).join("  "),
  );
  const failed = rows.filter(({ ok }) => !ok).length;
  if (rows.length === 0) return colors.red("nothing was compared");
  const verdict =
    failed === 0
      ? proven
        ? colors.green(`all ${rows.length} comparisons agree`)
        : colors.red("no comparison differs, but not every ensemble answered a request")
      : colors.red(`${failed} of ${rows.length} comparisons differ`);
  return [...lines, "", `${verdict} (tolerance ${tolerance})`].join("\n");
};

interface Row {
  readonly cells: readonly string[];
  readonly ok: boolean;
  readonly problem: string | undefined;
}

const summarize = (group: readonly Finding[]): Row => {
  const first = group[0];
  const failed = group.find(({ tensor }) => !tensor.ok);
  const largest = (of: (tensor: TensorComparison) => number): string =>
    Math.max(...group.map(({ tensor }) => of(tensor))).toExponential(1);
  return {
    cells: [
      first?.model ?? "",
      first?.tensor.name ?? "",
      first?.check ?? "",
      `max abs ${largest(({ maxAbsolute }) => maxAbsolute)}`,
      `max rel ${largest(({ maxRelative }) => maxRelative)}`,
    ],
    ok: failed === undefined,
    problem:
      failed === undefined
        ? undefined
        : `request ${failed.request}${failed.tensor.problem === undefined ? "" : `: ${failed.tensor.problem}`}`,
  };
};
