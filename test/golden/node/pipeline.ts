import { batchStep, bytes, defineEnsemble, fp32, json, optional, step } from "tritype";
import colors from "picocolors";
import { Counter } from "./units.ts";

const day = new Intl.DateTimeFormat("de", { dateStyle: "long", timeZone: "UTC" });

/** Runs on Node because of the project's `functions`. It uses a class, a date, a package, and files that it may read. */
const counted = batchStep({
  name: "counted",
  allow: { fsRead: ["/data/*"] },
  inputs: { text: bytes("batch", 1), hours: optional(fp32("batch", 1)) },
  outputs: { days: json<Record<string, number>>() },
  run({ text: { data, shape }, hours }) {
    const counter = new Counter();
    const days = data.map((text, row) => {
      const time = Date.parse(text) + (hours?.data[row] ?? 0) * 3_600_000;
      const name = colors.isColorSupported ? day.format(time) : new Date(time).toISOString();
      return { [name]: counter.add(name) };
    });
    return { days: { data: days, shape } };
  },
  timeLimit: "500ms",
});

/** Translated to Python, although the project's default is Node. */
const short = step({
  name: "short",
  engine: "python",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ text: text.slice(0, 10) }),
});

export const read = defineEnsemble({
  name: "read",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ days: counted({ text: short({ text }).text }).days }),
});
