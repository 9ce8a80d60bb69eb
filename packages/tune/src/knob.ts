/** One value of a knob. */
export interface Choice {
  /** "no delay", "2 instances × 1 thread" */
  readonly label: string;
  /** The value to set; undefined leaves the setting unchanged. */
  readonly value: unknown;
}

/** Knobs of the same kind affect each other: if one changes, the others are worth another try. */
export type KnobKind = "clients" | "instances" | "batching" | "shape" | "cache";

/** One setting that the search may change. */
export interface Knob {
  /** "encoder.delay" */
  readonly id: string;
  /** The step or ensemble that it belongs to; "" for the load. */
  readonly model: string;
  readonly kind: KnobKind;
  /** Neighbours are similar if `ordered`. */
  readonly choices: readonly Choice[];
  readonly ordered: boolean;
  /** Index of the current setting. */
  readonly start: number;
  /** Index of the usual setting. Default: the current one. */
  readonly guess?: number;
  /** Why it is tried, as text for the user. Default: where the requests spend their time. */
  readonly why?: string;
}

/** Knob → index of the choice. Missing knobs keep their current setting. */
export type Point = Readonly<Record<string, number>>;

export const choiceAt = (knob: Knob, point: Point): number => point[knob.id] ?? knob.start;

/** The same settings give the same text, with one setting per line: "encoder.delay: no delay". */
export const pointKey = (knobs: readonly Knob[], point: Point): string =>
  knobs.map((knob) => settingAt(knob, point)).join("\n");

const settingAt = (knob: Knob, point: Point): string =>
  `${knob.id}: ${knob.choices[choiceAt(knob, point)]?.label ?? ""}`;

/** The settings of a point that another point does not have, both given as strings. */
export const otherSettings = (key: string, before: string): string => {
  const known = new Set(before.split("\n"));
  return key
    .split("\n")
    .filter((setting) => !known.has(setting))
    .join("; ");
};

/** The settings in which a point differs from another one: "encoder.delay: no delay". */
export const changesOf = (knobs: readonly Knob[], point: Point, from: Point = {}): readonly string[] =>
  knobs.flatMap((knob) => (choiceAt(knob, point) === choiceAt(knob, from) ? [] : [settingAt(knob, point)]));
