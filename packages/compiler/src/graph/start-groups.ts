/** A step of an ensemble by the tensors that it reads and produces. */
export interface Wired {
  /** Model's input → ensemble tensor. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Model's output → ensemble tensor. */
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * Groups of steps that Triton may start at the same time, each in the given order: steps that read only the ensemble's
 * inputs, and steps for which the response of the same step may arrive last. A single step is not a group.
 */
export const startGroups = <T extends Wired>(calls: readonly T[]): readonly (readonly T[])[] => {
  const makerOf = new Map(
    calls.flatMap((call) => Object.values(call.outputs).map((tensor) => [tensor, call] as const)),
  );
  const makersOf = (call: T): ReadonlySet<T> =>
    new Set(Object.values(call.inputs).flatMap((tensor) => makerOf.get(tensor) ?? []));
  const started = new Map<T | "request", T[]>();
  for (const call of calls) {
    const makers = makersOf(call);
    for (const after of makers.size === 0 ? (["request"] as const) : lastOf(makers, makersOf))
      started.set(after, [...(started.get(after) ?? []), call]);
  }
  return [...started.values()].filter(({ length }) => length > 1);
};

/** The producers that no other producer waits for; each of them may respond last. */
const lastOf = <T>(makers: ReadonlySet<T>, makersOf: (call: T) => ReadonlySet<T>): readonly T[] => {
  if (makers.size === 1) return [...makers];
  const before = new Set([...makers].flatMap((maker) => [...makersOf(maker)]));
  // Iterating a set also visits elements added during the iteration.
  for (const call of before) for (const maker of makersOf(call)) before.add(maker);
  return [...makers].filter((maker) => !before.has(maker));
};
