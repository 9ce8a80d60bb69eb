import {
  type Diagnostic,
  didYouMean,
  guessHelp,
  inBackticks,
  isObject,
  type OptionPath,
  showType,
  type StepDefinition,
  nearHelp,
} from "@tritype/core";
import { writtenAt } from "../check/check-declaration.ts";
import { showValue } from "./show-value.ts";
import { diagnoseWarmup } from "./warmup-diagnostics.ts";

/** A sample as written, with defaults for missing fields. */
export interface GivenSample {
  readonly name: string;
  /** As written. */
  readonly batchSize: unknown;
  readonly count: number;
  readonly opt: boolean;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The sample's position among the options. */
  readonly path: OptionPath;
}
export interface GivenSamples {
  readonly samples: readonly GivenSample[];
  readonly diagnostics: readonly Diagnostic[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the fields that an ensemble's `warmup` and a step's `modelWarmup` have in common. */
export const readSampleFields = (owner: StepDefinition, field: "warmup" | "modelWarmup"): GivenSamples => {
  const given = owner.options[field];
  if (given === undefined) return { samples: [], diagnostics: [] };
  if (!Array.isArray(given))
    return refused([invalid(owner, [field], `it is ${showValue(given)}, not a list`)]);
  const samples: GivenSample[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [index, sample] of given.entries()) {
    const place = `sample ${index + 1}`;
    const problem = isObject(sample)
      ? fieldsProblem(owner, sample, field)
      : ([`is ${showValue(sample)}, not an object`] as const);
    if (problem !== undefined) {
      const [text, ...within] = problem;
      diagnostics.push(invalid(owner, [field, index, ...within], `${place} ${text}`));
      continue;
    }
    const { name = `sample_${index + 1}`, batchSize, count = 1, profile, inputs } = sample as Fields;
    diagnostics.push(...checkInputNames(owner, String(name), inputs as Fields, [field, index, "inputs"]));
    samples.push({
      name: String(name),
      batchSize,
      count: count as number,
      opt: profile === "opt",
      inputs: inputs as Fields,
      path: [field, index],
    });
  }
  const twice = samples.find(({ name }, index) =>
    samples.some((other, i) => i < index && other.name === name),
  );
  if (twice !== undefined)
    diagnostics.push(
      invalid(owner, [field], `two samples are named \`${twice.name}\``, "give each its own name"),
    );
  if (samples.filter(({ opt }) => opt).length > 1)
    diagnostics.push(
      invalid(
        owner,
        [field],
        'two samples have profile: "opt"',
        "mark only the one that TensorRT should optimize for",
      ),
    );
  return diagnostics.length > 0 ? refused(diagnostics) : { samples, diagnostics };
};

const refused = (diagnostics: readonly Diagnostic[]): GivenSamples => ({ samples: [], diagnostics });

const fieldsProblem = (
  owner: StepDefinition,
  sample: Fields,
  field: string,
): readonly [problem: string, ...within: OptionPath] | undefined => {
  const known = ["name", "inputs", "batchSize", "count", ...(field === "warmup" ? ["profile"] : [])];
  const stranger = Object.keys(sample).find((key) => sample[key] !== undefined && !known.includes(key));
  if (stranger !== undefined && Object.hasOwn(owner.inputs, stranger))
    return [`has the unknown field \`${stranger}\`; write inputs: { ${stranger}: … }`, stranger];
  if (stranger !== undefined) return noField(stranger, known);
  const { name, count, profile, inputs } = sample;
  if (name !== undefined && !(typeof name === "string" && /^[A-Za-z0-9_.-]+$/.test(name)))
    return [`is named ${showValue(name)}; use letters, digits, \`_\`, \`-\` and \`.\``, "name"];
  if (count !== undefined && !(Number.isInteger(count) && (count as number) >= 1))
    return [`has the count ${showValue(count)}; use a whole number of at least 1`, "count"];
  if (profile !== undefined && profile !== "opt")
    return [`has the profile ${showValue(profile)}; only "opt" is allowed`, "profile"];
  if (!isObject(inputs)) return ["has no `inputs`"];
  const described = field === "warmup" ? valueFields : [...valueFields, ...dataFields];
  for (const [input, value] of Object.entries(inputs)) {
    if (!isObject(value) || ArrayBuffer.isView(value)) continue;
    const unknown = Object.keys(value).find((key) => !described.includes(key));
    if (unknown === undefined) continue;
    const [text] = noField(unknown, described);
    return [`gives \`${input}\`, which ${text}`, "inputs", input, unknown];
  }
  return undefined;
};

/** The source of an input's data. */
export const dataSources = ["zeroData", "randomData", "inputDataFile"] as const;

/** An input, given by its elements and their shape, or by a source of data for a model's own warmup. */
const valueFields: readonly string[] = ["data", "shape"];
const dataFields: readonly string[] = ["dims", "dataType", ...dataSources];

const noField = (
  name: string,
  known: readonly string[],
): readonly [problem: string, ...within: OptionPath] => [
  `has no field \`${name}\`; ${guessHelp(name, known, `its fields are ${known.join(", ")}`)}`,
  name,
];

const checkInputNames = (
  owner: StepDefinition,
  sample: string,
  inputs: Fields,
  path: OptionPath,
): readonly Diagnostic[] => {
  const names = Object.keys(owner.inputs);
  const given = Object.keys(inputs).filter((name) => inputs[name] !== undefined);
  const strangers = given
    .filter((name) => !Object.hasOwn(owner.inputs, name))
    .map((input) => {
      return diagnoseWarmup("sample/unknown-input", {
        with: { owner: owner.name, sample, input, inputs: inBackticks(names) },
        labels: writtenAt(owner, ...path, input),
        help: nearHelp(didYouMean(input, names)),
      });
    });
  if (strangers.length > 0) return strangers;
  return Object.entries(owner.inputs)
    .filter(([name, type]) => !given.includes(name) && !("optional" in type))
    .map(([input, type]) =>
      diagnoseWarmup("sample/missing-input", {
        with: { owner: owner.name, sample, input, type: showType(type) },
        labels: writtenAt(owner, ...path),
      }),
    );
};

const invalid = (owner: StepDefinition, path: OptionPath, problem: string, help?: string): Diagnostic =>
  diagnoseWarmup("sample/invalid", {
    with: { owner: owner.name, problem },
    labels: writtenAt(owner, ...path),
    ...(help === undefined
      ? { help: `write ${path[0]}: [{ name: "short", inputs: { … }, batchSize: 1 }]` }
      : { help }),
  });
