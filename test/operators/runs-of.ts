/** The number of random calls of an operator: a quarter of `all` by default, `all` with `TRITYPE_OPERATORS=long`. */
export const runsOf = (all: number): number =>
  process.env["TRITYPE_OPERATORS"] === "long" ? all : Math.ceil(all / 4);
