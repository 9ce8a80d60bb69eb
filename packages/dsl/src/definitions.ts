import type { StepRecord } from "./trace.ts";

/** Lists that are currently being filled. They are stored on `globalThis`, so that all copies of this package in a process share them. */
const key = Symbol.for("tritype.definitions");
const open = (): Set<StepRecord[]> => {
  const known = Reflect.get(globalThis, key) as Set<StepRecord[]> | undefined;
  if (known !== undefined) return known;
  const made = new Set<StepRecord[]>();
  Reflect.set(globalThis, key, made);
  return made;
};

/** Everything defined while `load` runs, exported or not, in the order of the calls. */
export const collectDefinitions = async <T>(
  load: () => Promise<T>,
): Promise<{ readonly loaded: T; readonly definitions: readonly StepRecord[] }> => {
  const definitions: StepRecord[] = [];
  open().add(definitions);
  try {
    return { loaded: await load(), definitions };
  } finally {
    open().delete(definitions);
  }
};

export const noteDefinition = (record: StepRecord): void => {
  for (const list of open()) list.push(record);
};
