import { commands } from "@tritype/cli";
import { showType } from "@tritype/core";
import { type DeclaredInterface, type Declarations, readDeclarations } from "./declarations.ts";
import { errorsPage } from "./errors-page.ts";
import { exampleTensors, operatorExamples } from "./operator-examples.ts";

/** The constructors and their options, in the order in which the page lists them. */
const constructors = [
  ["defineEnsemble", "EnsembleOptions"],
  ["onnx", "BackendOptions"],
  ["step", "FunctionOptions"],
  ["batchStep", "FunctionOptions"],
  ["flow", "FlowOptions"],
  ["python", "PythonOptions"],
  ["tokenizer", "TokenizerOptions"],
  ["detokenizer", "DetokenizerOptions"],
  ["generate", "GenerateOptions"],
  ["torchscript", "TorchscriptOptions"],
  ["tensorrt", "TensorrtOptions"],
  ["openvino", "OpenvinoOptions"],
  ["custom", "CustomOptions"],
] as const;

const head = (title: string, about: string): string => `# ${title}\n\n${about}\n`;

/** Every page of `docs/reference` that is generated from the sources, by file name. */
export const referencePages = (help: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const declarations = readDeclarations();
  return new Map([
    ["operators.md", operatorsPage(declarations)],
    ["steps.md", stepsPage(declarations)],
    ["configuration.md", configurationPage(declarations)],
    ["commands.md", commandsPage(help)],
    ["errors.md", errorsPage()],
    ["tritonserver.md", tritonserverPage()],
  ]);
};

/** The options of tritonserver that `pipeline dev` supports unchanged. */
export const sameOptions: readonly string[] = [
  "allow-cpu-metrics",
  "allow-gpu-metrics",
  "cache-config",
  "exit-timeout-secs",
  "grpc-header-forward-pattern",
  "grpc-port",
  "grpc-restricted-protocol",
  "http-header-forward-pattern",
  "http-port",
  "http-restricted-api",
  "load-model",
  "log-verbose",
  "metrics-config",
  "metrics-interval-ms",
  "metrics-port",
  "model-config-name",
  "model-control-mode",
  "rate-limit",
  "rate-limit-resource",
  "repository-poll-secs",
  "strict-readiness",
  "trace-config",
  "trace-count",
  "trace-file",
  "trace-level",
  "trace-log-frequency",
  "trace-rate",
];

const tritonserverPage = (): string => {
  const dev = commands.find(({ name }) => name === "dev");
  const same = sameOptions.map((name) => [name, dev?.options[name]?.summary ?? ""] as const);
  const rows = [...same, ...Object.entries(dev?.missing ?? {})]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => tableRow([code(`--${name}`), sameOptions.includes(name) ? "yes" : "no", text]));
  return [
    head(
      "Options of tritonserver",
      "Every option of tritonserver 24.10, and whether `pipeline dev` supports it. A supported option has the same meaning; for any other, `pipeline dev` stops with the text in the last column.",
    ),
    "| option | here | |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
};

const operatorsPage = ({ interfaces, values }: Declarations): string => {
  const { examples } = operatorExamples();
  const methods = interfaces.get("Tensor")?.fields.filter(({ parameters }) => parameters !== undefined) ?? [];
  const functions = [...examples.keys()].filter((name) => !methods.some((method) => method.name === name));
  const row = (name: string, doc: string): string => {
    const example = examples.get(name);
    if (example === undefined) throw new Error(`${name} has no example in its cases.ts`);
    if (doc === "") throw new Error(`${name} has no docstring`);
    return tableRow([code(name), code(example.call), code(resultType(example.result)), doc]);
  };
  const table = (rows: readonly string[]): readonly string[] => [
    "| operator | example | result | meaning |",
    "|---|---|---|---|",
    ...rows,
  ];
  return [
    head(
      "Tensor operators",
      "Everything that you can call on a tensor in `run` of an ensemble. Each operator becomes ONNX nodes, and gives the same results in Triton and locally.",
    ),
    "Dtypes are not promoted: both sides must have the same dtype, and `cast` changes it. Shapes broadcast as in NumPy. An axis is the name of a dim or its index; -1 is the last. `batch` cannot be reduced, sliced or moved, so that requests never mix.\n",
    `The examples use ${Object.entries(exampleTensors)
      .map(([name, type]) => `\`${name}\` ${code(showType(type))}`)
      .join(", ")}.\n`,
    "## Methods\n",
    ...table(methods.map(({ name, doc }) => row(name, doc))),
    "\n## Functions\n",
    ...table(functions.map((name) => row(name, values.get(name)?.doc ?? ""))),
    "",
  ].join("\n");
};

const resultType = (result: unknown): string => {
  if (Array.isArray(result)) return result.map(resultType).join(", ");
  if (typeof result === "object" && result !== null && "dtype" in result && "dims" in result)
    return showType(result as Parameters<typeof showType>[0]);
  return `{ ${Object.entries(result as Readonly<Record<string, unknown>>)
    .map(([name, value]) => `${name}: ${resultType(value)}`)
    .join(", ")} }`;
};

const optionsOfSteps = (declarations: Declarations): readonly DeclaredInterface[] =>
  reachable(
    declarations,
    constructors.map(([, options]) => options),
  );

const stepsPage = (declarations: Declarations): string => {
  const sections = constructors.map(
    ([name, options]) =>
      `### \`${name}\`\n\n${declarations.values.get(name)?.doc ?? ""}\n\nOptions: ${linked(options)}.\n`,
  );
  return [
    head("Steps and ensembles", "Every option of every constructor."),
    "Fields of Triton's model configuration have Triton's names in camelCase; durations are written as `\"2ms\"`.\n",
    "## Constructors\n",
    ...sections,
    "## Options\n",
    ...optionsOfSteps(declarations).map((one) => interfaceSection(one, declarations)),
  ].join("\n");
};

const configurationPage = (declarations: Declarations): string => {
  const shared = optionsOfSteps(declarations);
  const own = reachable(declarations, ["PipelineConfig"]).filter((one) => !shared.includes(one));
  return [
    head(
      "`pipeline.config.ts`",
      "Every field of a project's configuration, `defineConfig({ … })`. Types that are not on this page are those of [steps](steps.md#options).",
    ),
    ...own.map((one) => interfaceSection(one, declarations)),
  ].join("\n");
};

/** Interfaces reachable from the fields of these, in order of first use. */
const reachable = (
  { interfaces, aliases }: Declarations,
  roots: readonly string[],
): readonly DeclaredInterface[] => {
  const found = new Map<string, DeclaredInterface>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name) || unlisted.has(name)) return;
    seen.add(name);
    const declared = interfaces.get(name);
    if (declared !== undefined) found.set(name, declared);
    const texts =
      declared === undefined
        ? [aliases.get(name)?.type ?? ""]
        : [...declared.bases, ...declared.fields.map(({ type }) => type)];
    for (const text of texts) for (const [next] of text.matchAll(/\b[A-Z]\w+/g)) visit(next);
  };
  for (const name of roots) visit(name);
  return [...found.values()];
};

/** Types covered by other pages, or visible only to the compiler. */
const unlisted: ReadonlySet<string> = new Set([
  "Tensor",
  "AnyTensor",
  "Step",
  "StepFields",
  "StepOf",
  "VersionedStep",
  "TraceNode",
  "Ensemble",
  "Signature",
  "TensorType",
  "NdArray",
  "ArrayOf",
  "DTypeName",
]);

const interfaceSection = (declared: DeclaredInterface, declarations: Declarations): string => {
  const bases = declared.bases.filter((name) => declarations.interfaces.has(name));
  return [
    `### ${declared.name}\n`,
    ...(declared.doc === "" ? [] : [`${declared.doc}\n`]),
    ...(bases.length === 0 ? [] : [`Also takes ${bases.map(linked).join(", ")}.\n`]),
    ...(declared.fields.length === 0
      ? []
      : [
          "| field | type | |",
          "|---|---|---|",
          ...declared.fields.map((field) =>
            tableRow([
              `${code(field.name)}${field.optional ? "" : " (required)"}`,
              code(plainType(field.type)),
              field.doc,
            ]),
          ),
          "",
        ]),
  ].join("\n");
};

const linked = (name: string): string => `[\`${name}\`](#${name.toLowerCase()})`;

/** A type in the form that readers need: without `readonly` and our wrappers. */
const plainType = (type: string): string =>
  type
    .replaceAll(/\breadonly /g, "")
    .replaceAll(/\bReadonly<Record<string, ([^<>]+)>>/g, "{ [name]: $1 }")
    .replaceAll(/\bNonNullable<ModelFields\["(\w+)"\]>/g, 'ModelFields["$1"]')
    .replaceAll(/\bNoInfer<(\w+)>/g, "$1")
    .replaceAll(/; \}/g, " }")
    .replaceAll(/^\| /g, "");

const commandsPage = (help: ReadonlyMap<string, string>): string =>
  [
    head("Commands", "This page shows what `pipeline <command> --help` prints."),
    ...commands.map(({ name }) => `## \`pipeline ${name}\`\n\n\`\`\`\n${help.get(name) ?? ""}\n\`\`\`\n`),
  ].join("\n");

const code = (text: string): string => `\`${text}\``;
const tableRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll(/(?<!\\)\|/g, "\\|")).join(" | ")} |`;
