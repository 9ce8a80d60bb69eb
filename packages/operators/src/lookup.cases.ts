import { dimsOf } from "./layouts.fixture.ts";
import { mapped } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  lookup: {
    types: [["INT64[batch, 1]", { labels: ["no", "yes"] }, "BYTES[batch, 1]"]],
    problems: [
      ["UINT8[2]", { labels: ["a"] }, "dtype/mismatch: UINT8[2] contains no indices: .cast(int64) first"],
      ["INT64[2]", { labels: [] }, "shape/bad-constant: lookup takes a list of one or more strings, got []"],
    ],
    nodes: [["INT64[batch]", { labels: ["no", "yes"] }, ["Gather(BYTES{no yes}, x0) axis=0", "→ %1"]]],
    layout: dimsOf(0, 3).map((dims) => ({
      operands: [{ dims, dtypes: ["INT64", "INT32"] as const, below: 3 }],
      attributes: { labels: ["negative", "", "größer"] },
    })),
    reference: ([x], { labels }) => mapped(x, (i) => (labels as string[])[Number(i)] ?? ""),
    odd: [],
    example: ({ ids }, { lookup }) => lookup(ids, ["negative", "neutral", "positive"]),
  },
};
