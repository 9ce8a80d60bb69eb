import { builtins, properties } from "@tritype/translator";

type Lower = (...args: readonly unknown[]) => unknown;

/** Counts how often each row of the translator's tables is used from now on, by name. */
export const seenRows = (): ReadonlyMap<string, number> => {
  const seen = new Map([...Object.keys(builtins), ...Object.keys(properties)].map((name) => [name, 0]));
  for (const table of [builtins, properties] as readonly Record<string, object>[])
    for (const [name, row] of Object.entries(table))
      table[name] = watched(row, () => void seen.set(name, (seen.get(name) ?? 0) + 1));
  return seen;
};

/** A row that calls `use` each time it translates or refuses something. */
const watched = (row: object, use: () => void): object =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(row).map(([key, value]: readonly [string, unknown]): [string, PropertyDescriptor] => {
        const told = { enumerable: true };
        if (key === "refuse") return [key, { ...told, get: () => (use(), value) }];
        if (key !== "lower" && key !== "statement") return [key, { ...told, value }];
        return [key, { ...told, value: (...args: readonly unknown[]) => (use(), (value as Lower)(...args)) }];
      }),
    ),
  );
