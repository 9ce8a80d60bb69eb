import { entries } from "@tritype/check";
import { type ModelConfig, parseModelConfig } from "@tritype/triton";
import { afterAll, expect, test } from "vitest";
import { checkVerdict } from "./check-verdict.ts";
import { namesOf, namesTheSame } from "./named-tensors.ts";
import { readVerdicts, type Verdict } from "./verdict.ts";

/** Refusals of models that Triton loads but that fail afterwards. */
const ours = new Set(entries.flatMap(({ code, judged }) => (judged === "ours" ? [code] : [])));

const counts = { refusals: 0, reasonsWithNames: 0, stricter: 0 };

/** Differences between checker and server; empty if they agree. */
const differences = (verdict: Verdict): readonly string[] => {
  const { diagnostics, models } = checkVerdict(verdict);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const refusals = errors.filter(({ code }) => !ours.has(code));
  if (verdict.ready) {
    if (errors.length > refusals.length) counts.stricter++;
    return refusals.length > 0
      ? refusals.map(({ message }) => message)
      : completion(verdict, models.get("m")?.completed);
  }
  counts.refusals++;
  if (refusals.length === 0) return [`loads here, but Triton says: ${verdict.reason}`];
  const names = namesOf(verdict);
  if (names.length === 0) return [];
  counts.reasonsWithNames++;
  return namesTheSame(refusals, names) ? [] : [`no message names ${names.join(" and ")}: ${verdict.reason}`];
};

const recordedFields = [
  "max_batch_size",
  "input",
  "output",
  "dynamic_batching",
  "instance_group",
  "backend",
  "platform",
  "default_model_filename",
] as const;

const completion = (verdict: Verdict, actual: ModelConfig | undefined): readonly string[] => {
  if (verdict.completed === undefined) return [];
  const given = parseModelConfig(verdict.config ?? "");
  const expected = { ...("config" in given ? given.config : {}), ...verdict.completed };
  return recordedFields.flatMap((field) => {
    const [wanted, found] = [expected[field], actual?.[field]].map((value) => normal(field, value));
    return wanted === found ? [] : [`${field}: ${wanted} in Triton, ${found} here`];
  });
};

/** Leaves out values that are defaults of the proto, and puts keys and tensors into a fixed order. */
const normal = (field: string, value: unknown): string => {
  const plain = withoutDefaults(value);
  const sorted = (field === "input" || field === "output") && Array.isArray(plain);
  return JSON.stringify(sorted ? plain.map((row) => JSON.stringify(row)).toSorted() : plain) ?? "nothing";
};

const defaults: ReadonlySet<unknown> = new Set([0, "", false, "KIND_NVDLA"]);

const withoutDefaults = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return defaults.has(value) ? undefined : value;
  const fields = Object.entries(value).map(([key, inner]) => [key, withoutDefaults(inner)] as const);
  const kept = fields.filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

const categories = new Map<string, Verdict[]>();
for (const verdict of readVerdicts())
  categories.set(verdict.cat, [...(categories.get(verdict.cat) ?? []), verdict]);

const lines: string[] = [];

test.each([...categories])("%s", (category, verdicts) => {
  const found = verdicts.map((verdict) => ({ id: verdict.id, differs: differences(verdict) }));
  const differing = found.filter(({ differs }) => differs.length > 0);
  lines.push(`${category}: ${verdicts.length - differing.length} of ${verdicts.length}`);
  expect(differing.map(({ id, differs }) => `${id}: ${differs.join("; ")}`)).toEqual([]);
});

test("the record is complete", () => {
  const record = [...categories.values()].flat();
  expect(record).toHaveLength(3847);
  expect(record.filter(({ ready }) => ready)).toHaveLength(1884);
});

afterAll(() => {
  const { refusals, reasonsWithNames, stricter } = counts;
  lines.push(`${refusals} refusals; ${reasonsWithNames} of their reasons name tensors, as our messages do`);
  lines.push(`${stricter} that Triton loads are refused by rules of ours`);
  process.stdout.write(`${lines.join("\n")}\n`);
});
