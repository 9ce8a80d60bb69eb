const long = process.env["TRITYPE_JUDGE"] === "long";

/** How much is judged; `TRITYPE_JUDGE=long` for all of it. */
export interface Extent {
  readonly long: boolean;
  /** Cases of one side of a fault, by what a case costs the server, and of the rest. */
  readonly runs: {
    readonly cheap: number;
    readonly costly: number;
    readonly legal: number;
    readonly backends: number;
    readonly twice: number;
  };
  /** Repositories that each side of each rule has at least, all different. */
  readonly needed: number;
  readonly fewestCases: number;
  /** `TRITYPE_SEED`: other cases. */
  readonly seed: number;
  /** Milliseconds that one test may take. */
  readonly limit: number;
}

export const extents: Readonly<Record<"short" | "long", Pick<Extent, "runs" | "needed" | "fewestCases">>> = {
  short: {
    runs: { cheap: 5, costly: 3, legal: 80, backends: 80, twice: 460 },
    needed: 3,
    fewestCases: 2000,
  },
  long: {
    runs: { cheap: 85, costly: 20, legal: 1000, backends: 850, twice: 6000 },
    needed: 20,
    fewestCases: 20_000,
  },
};

export const extent: Extent = {
  ...extents[long ? "long" : "short"],
  long,
  seed: Number(process.env["TRITYPE_SEED"] ?? 20_261_121),
  limit: long ? 3_600_000 : 600_000,
};
