/** One value of a knob. */
export interface Choice {
  /** "no delay", "2 instances × 1 thread" */
  readonly label: string;
  /** The value that is set; undefined: none, the setting stays as it is. */
  readonly value: unknown;
}

/** Which knobs affect each other: a change of one makes others of the same kind worth another try. */
export type KnobKind = "clients" | "instances" | "batching" | "shape";

/** One setting that the search may change. */
export interface Knob {
  /** "encoder.delay" */
  readonly id: string;
  /** The step or ensemble that it belongs to; "" for the load. */
  readonly model: string;
  readonly kind: KnobKind;
  /** Neighbours are alike if `ordered`. */
  readonly choices: readonly Choice[];
  readonly ordered: boolean;
  /** Index of the setting as it is. */
  readonly start: number;
  /** Index of the usual settings. Default: as it is. */
  readonly guess?: number;
}

/** Knob → index of the choice. Knobs that are missing are as they are. */
export type Point = Readonly<Record<string, number>>;

export const choiceAt = (knob: Knob, point: Point): number => point[knob.id] ?? knob.start;

/** The same settings give the same text. */
export const pointKey = (knobs: readonly Knob[], point: Point): string =>
  knobs.map((knob) => `${knob.id}=${knob.choices[choiceAt(knob, point)]?.label ?? ""}`).join(", ");

/** The settings in the text of a point that the text of another one does not have. */
export const otherSettings = (key: string, before: string): string => {
  const known = new Set(before.split(", "));
  return key
    .split(", ")
    .filter((setting) => !known.has(setting))
    .join("; ");
};

/** The settings in which a point differs from another one: "encoder.delay: no delay". */
export const changesOf = (knobs: readonly Knob[], point: Point, from: Point = {}): readonly string[] =>
  knobs.flatMap((knob) => {
    const index = choiceAt(knob, point);
    return index === choiceAt(knob, from) ? [] : [`${knob.id}: ${knob.choices[index]?.label ?? ""}`];
  });
