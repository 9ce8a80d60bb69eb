import { join } from "node:path";

/** Everything that the cluster keeps between runs, in `$TRITYPE_CACHE`. */
export const kept = (name: string): string => join(process.env["TRITYPE_CACHE"] ?? ".cache", "cluster", name);

/** Everything that a run writes; removed at its end. */
export const runFolder = (): string => kept("run");
