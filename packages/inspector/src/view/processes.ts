import type { Live, ProcessView } from "../api.ts";

/** A process, and the part of a processor that it uses: 1 for one processor that is always busy. */
export interface ProcessRow extends ProcessView {
  /** undefined if it is unknown, for example just after the start. */
  readonly load?: number;
}

/**
 * The processes at the last reading, by model and instance.
 * @param looks The readings for which the load is averaged, in order.
 */
export const processRows = (looks: readonly Live[]): readonly ProcessRow[] => {
  const last = looks.at(-1);
  const rows = (last?.processes ?? []).map((process): ProcessRow => {
    const before = looks.find(({ processes }) => find(processes, process) !== undefined);
    const [from, to] = [find(before?.processes, process)?.cpu, process.cpu];
    const passed = (last?.at ?? 0) - (before?.at ?? 0);
    return passed <= 0 || from === undefined || to === undefined
      ? process
      : { ...process, load: Math.max(0, to - from) / passed };
  });
  return rows.toSorted((a, b) => compare(a.model, b.model) || compare(a.instance, b.instance));
};

/** The same process in another reading. */
const find = (
  processes: readonly ProcessView[] | undefined,
  { pid, instance }: ProcessView,
): ProcessView | undefined =>
  pid === undefined ? undefined : processes?.find((one) => one.pid === pid && one.instance === instance);

/** Numbers in names are compared as numbers: `m_0_2` is before `m_0_10`. */
const compare = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });
