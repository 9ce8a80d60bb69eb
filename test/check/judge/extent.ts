const long = process.env["TRITYPE_JUDGE"] === "long";

/** How much is judged; `TRITYPE_JUDGE=long` for everything. */
export interface Extent {
  readonly long: boolean;
  /** Number of cases for one side of a fault whose cases are cheap or costly for the server, and for all other tests. */
  readonly runs: {
    readonly cheap: number;
    readonly costly: number;
    readonly legal: number;
    readonly backends: number;
    readonly twice: number;
  };
  /** Minimum number of distinct repositories on each side of each rule. */
  readonly needed: number;
  readonly fewestCases: number;
  /** `TRITYPE_SEED`: selects other cases. */
  readonly seed: number;
  /** Time limit of one test in milliseconds. */
  readonly limit: number;
}

export const extents: Readonly<Record<"short" | "long", Pick<Extent, "runs" | "needed" | "fewestCases">>> = {
  short: {
    runs: { cheap: 2, costly: 2, legal: 16, backends: 20, twice: 40 },
    needed: 2,
    fewestCases: 900,
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
