import { counted } from "@tritype/core";
import type { Names, ServerMessage } from "./server-message.ts";

const dims = (shape: string): readonly string[] =>
  shape
    .slice(1, -1)
    .split(",")
    .map((dim) => dim.trim())
    .filter(Boolean);

const fits = (want: string | undefined, dim: string | undefined): boolean => want === "-1" || want === dim;

const noBatchDim = "the leading batch dim is missing";

/** The mismatch between two shapes, as far as it can be determined. */
const shapeFault = ({ expected = "[]", got = "[]" }: Names, batched: boolean): string => {
  const [want, found] = [dims(expected), dims(got)];
  const rest = want.slice(1);
  if (batched && found.length === rest.length && found.every((dim, i) => fits(rest[i], dim)))
    return noBatchDim;
  if (found.length !== want.length) return `it has ${counted(found.length, "dim")}, not ${want.length}`;
  const axis = want.findIndex((dim, i) => !fits(dim, found[i]));
  return axis < 0 ? "" : `dim ${axis} is ${found[axis]}, not ${want[axis]}`;
};

const inCode = (names = ""): string => names.replaceAll("'", "`").replaceAll(",", ", ");
const tooMany = ({ count, wanted }: Names): boolean => Number(count) > Number(wanted);

const stepShape = {
  codes: ["ensemble/shape-at-request", "ensemble/batch-of-one", "python/padding-length"],
  fixIn: "ensemble",
  why: "The previous step returned a tensor whose shape does not match its configured shape, or that shape contains -1. Triton compares declarations when it loads models, but tensors only at this point.",
  help: "make the previous step return the shape that `{model}` declares, or let `{model}` accept it",
} as const;

/** Triton's error responses to requests whose inputs or outputs do not match the model. */
export const requestMessages: readonly ServerMessage[] = [
  ...(["", ". NOTE: Setting a non-zero max_batch_size"] as const).map(
    (note): ServerMessage => ({
      says: `unexpected shape for input '{tensor}' for model '{model}'. Expected {expected:shape}, got {got:shape}${note}`,
      means: (names) =>
        [
          `\`${names["model"]}\` got ${names["got"]} for \`${names["tensor"]}\`, but needs ${names["expected"]}`,
          shapeFault(names, note !== ""),
        ]
          .filter(Boolean)
          .join(": "),
      why:
        note === ""
          ? ({ model, expected = "" }) =>
              expected.startsWith("[-1")
                ? `If \`${model}\` has a max_batch_size, the first dim is the batch, which \`dims\` omit; otherwise requests have the shape of \`dims\`.`
                : `\`${model}\` has no max_batch_size: requests have the shape of \`dims\`, without a batch dim.`
          : "`{model}` has a max_batch_size: requests have a leading batch dim, which `dims` omit.",
      help: (names) =>
        shapeFault(names, note !== "") === noBatchDim
          ? `send [1, ${dims(names["got"] ?? "[]").join(", ")}]: one row is a batch of 1`
          : "send that shape; -1 means any size",
      atLoad: {
        codes: ["warmup/shape"],
        fixIn: "model",
        help: "use the input's dims in the sample, without the batch",
      },
      inEnsemble: stepShape,
    }),
  ),
  {
    says: "All input dimensions should be specified for input '{tensor}' for model '{model}', got {got:shape}",
    means: "input `{tensor}` of `{model}` was sent with the shape {got}",
    why: "-1 stands for any size in a configuration. The shape in a request has the tensor's real sizes.",
    help: "send the number of elements along each dim",
  },
  {
    says: "class result not available for output due to unsupported type '{got}'",
    means:
      "an output of type {got} was requested as classes, which Triton only ranks for numbers of other types",
    help: "omit `classification` for this output",
  },
  {
    says: "inference input '{tensor}' data-type is '{got}', but model '{model}' expects '{wanted}'",
    means: "`{model}` got {got} for `{tensor}`, but needs {wanted}",
    why: "Triton converts nothing.",
    help: ({ wanted }) =>
      wanted === "<invalid>"
        ? "the configuration's data_type is a number that is not assigned to a type: write the type by name"
        : `convert the array to ${wanted} and set \`datatype\` to match`,
    codes: ({ wanted }) => (wanted === "<invalid>" ? ["config/enum-number"] : []),
    atLoad: { codes: ["warmup/dtype"], fixIn: "model", help: "use the input's data_type in the sample" },
    inEnsemble: {
      codes: ["python/wrong-dtype", "ensemble/dtype"],
      fixIn: "ensemble",
      why: "The previous step returned a dtype that differs from its configuration; Triton does not check what Python returns.",
      help: "convert the array in the previous step, as in `.astype(np.float32)`",
    },
  },
  {
    says: "expected {wanted:n} inputs but got {count:n} inputs for model '{model}'. Got input(s) [{sent:line}], but missing required input(s) [{missing}]. Please",
    means: (names) =>
      `\`${names["model"]}\` needs ${names["wanted"]} inputs but got ${names["count"]}; missing: ${inCode(names["missing"])}`,
    why: "If an input is optional, only the number of inputs is checked, so a wrong name can hide here.",
    help: (names) => `send ${inCode(names["missing"])} too`,
    atLoad: {
      codes: ["warmup/missing-inputs", "warmup/unknown-input"],
      fixIn: "model",
      help: (names) => `add ${inCode(names["missing"])} to the sample; a misspelt name counts as missing`,
    },
    inEnsemble: {
      codes: ["python/missing-output", "python/undeclared-output", "ensemble/optional-input"],
      fixIn: "ensemble",
      why: "The previous step did not return the tensor: its Python code returns no output with that name, or the ensemble's input is optional and was omitted.",
      help: "make the previous step return every output that it declares, under that name",
    },
  },
  {
    says: "expected {wanted:n} inputs but got {count:n} inputs for model '{model}'. Got input(s) [{sent:line}], but missing required input(s) ]",
    codes: (names) => (tooMany(names) ? [] : ["tensor/duplicate-input"]),
    means: (names) =>
      `\`${names["model"]}\` needs ${names["wanted"]} inputs but got ${names["count"]}: ${inCode(names["sent"])}`,
    why: (names) =>
      tooMany(names)
        ? "Sequence controls are not inputs: Triton creates them from the request's parameters."
        : "No name is missing, so the configuration declares an input twice.",
    help: (names) =>
      tooMany(names)
        ? `remove unknown inputs; \`GET /v2/models/${names["model"]}\` lists its inputs`
        : "give every input of the configuration a different name",
    atLoad: { codes: ["warmup/unknown-input", "warmup/missing-inputs"], fixIn: "model" },
  },
  {
    says: "expected number of inputs between {least:n} and {most:n} but got {count:n} inputs for model '{model}'",
    means: "`{model}` needs {least} to {most} inputs but got {count}",
    help: "send all inputs that are not optional, and only inputs that the model has",
    atLoad: { codes: ["warmup/missing-inputs"], fixIn: "model" },
  },
  {
    says: "unexpected inference input '{tensor}' for model '{model}'",
    means: "`{model}` has no input `{tensor}`",
    help: "`GET /v2/models/{model}` lists its inputs; names are compared exactly",
  },
  {
    says: "unexpected inference output '{tensor}' for model '{model}'",
    means: "`{model}` has no output `{tensor}`",
    help: "`GET /v2/models/{model}` lists its outputs; omit `outputs` to get all",
  },
  {
    says: "input '{tensor}' already exists in request",
    codes: ["tensor/duplicate-input"],
    means: "the request has input `{tensor}` twice",
    help: "send it once; if you did, the configuration declares it twice",
  },
  {
    says: "output '{tensor}' already exists in request",
    means: "the request names output `{tensor}` twice",
    help: "name it once",
  },
  {
    says: "input '{tensor}' batch size does not match other inputs for '{model}'",
    means: "input `{tensor}` of `{model}` has a different first dim than the request's other inputs",
    why: "The first dim is the batch: all inputs must have the same number of rows.",
    help: "send the same number of rows for all inputs",
  },
  {
    says: "input '{tensor}' has no shape but model requires batch dimension for '{model}'",
    means: "input `{tensor}` of `{model}` has the shape []",
    help: "put the batch dim first",
  },
  {
    says: "inference request batch-size must be <= {limit:n} for '{model}'",
    codes: ["ensemble/too-many-rows"],
    means: "the request has more than {limit} rows, which is max_batch_size of `{model}`",
    help: "send {limit} rows at a time, or raise max_batch_size (of every step, for an ensemble)",
    atLoad: { codes: ["warmup/batch-size"], fixIn: "model" },
  },
  {
    says: "out of bounds index 0: request has 0 inputs",
    means: "the request has no inputs",
    why: "All inputs of the model are optional, but with a max_batch_size, backends read the number of rows from the first input.",
    help: "send at least one of the model's inputs",
    atLoad: { codes: ["warmup/missing-inputs"], fixIn: "model" },
  },
  {
    says: "inference request batch-size must be {limit:n} for '{model}'",
    means: "`{model}` accepts {limit} row at a time",
    help: "send one row",
  },
];
