import { type CheckOptions, checkRepository, entries } from "@tritype/check";
import { defaultRelease, type ModelConfig, parseModelConfig } from "@tritype/triton";
import { afterAll, expect, test } from "vitest";
import { namesOf, namesTheSame } from "./named-tensors.ts";
import { readVerdicts, type Verdict } from "./verdict.ts";
import { verdictRepository } from "./verdict-repository.ts";

/** The server of the record: 24.10 with a newer ONNX Runtime, and nothing beside it. */
const recorder: CheckOptions = {
  release: { ...defaultRelease, onnxruntime: "1.30.0", maxOpset: 26, maxIrVersion: 13 },
  gpus: [],
  installed: { backends: ["onnxruntime"], repositoryAgents: [], cpuAccelerators: [], libraries: [] },
};

/** Refusals of things that Triton loads and that then fail. */
const ours = new Set(entries.flatMap(({ code, judged }) => (judged === "ours" ? [code] : [])));

interface Comparison {
  readonly id: string;
  /** What differs; empty when checker and server agree. */
  readonly differences: readonly string[];
  /** Whether the checker names what the server's reason names; undefined when that names nothing. */
  readonly sameNames: boolean | undefined;
}

const compare = (verdict: Verdict): Comparison => {
  const { diagnostics, models } = checkRepository(verdictRepository(verdict), {
    ...recorder,
    strict: !verdict.autoComplete,
  });
  const errors = diagnostics.filter(({ severity, code }) => severity === "error" && !ours.has(code));
  if (!verdict.ready) {
    const differences = errors.length > 0 ? [] : [`loads, but Triton says: ${verdict.reason}`];
    const names = namesOf(verdict);
    const sameNames = names.length === 0 ? undefined : namesTheSame(errors, names);
    return { id: verdict.id, differences, sameNames };
  }
  const completed = models.get("m")?.completed;
  const differences =
    errors.length > 0 ? errors.map(({ message }) => message) : completion(verdict, completed);
  return { id: verdict.id, differences, sameNames: undefined };
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

/** Without what is a default of the proto, keys and tensors in one order. */
const normal = (field: string, value: unknown): string => {
  const plain = withoutDefaults(value);
  const sorted = (field === "input" || field === "output") && Array.isArray(plain);
  return JSON.stringify(sorted ? plain.map((row) => JSON.stringify(row)).toSorted() : plain) ?? "nothing";
};

const defaults: ReadonlySet<unknown> = new Set([0, "", false, "KIND_NVDLA"]);

const withoutDefaults = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return defaults.has(value) ? undefined : value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutDefaults(inner)] as const);
  const kept = entries.filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

const categories = new Map<string, Verdict[]>();
for (const verdict of readVerdicts())
  categories.set(verdict.cat, [...(categories.get(verdict.cat) ?? []), verdict]);

const lines: string[] = [];
let [refusalsWithNames, sameNames] = [0, 0];

test.each([...categories])("%s", (category, verdicts) => {
  const compared = verdicts.map(compare);
  const differing = compared.filter(({ differences }) => differences.length > 0);
  lines.push(`${category}: ${verdicts.length - differing.length} of ${verdicts.length}`);
  refusalsWithNames += compared.filter((one) => one.sameNames !== undefined).length;
  sameNames += compared.filter((one) => one.sameNames === true).length;
  for (const { id } of process.env["NAMES"] ? compared.filter((one) => one.sameNames === false) : [])
    lines.push(`  other names: ${id}`);
  expect(differing.map(({ id, differences }) => `${id}: ${differences.join("; ")}`)).toEqual([]);
});

test("the record is whole", () => {
  expect([...categories.values()].flat()).toHaveLength(3847);
});

afterAll(() => {
  const share = ((100 * sameNames) / refusalsWithNames).toFixed(1);
  lines.push(`names of ${sameNames} of ${refusalsWithNames} reasons (${share} %) are in our messages`);
  process.stdout.write(`${lines.join("\n")}\n`);
});
