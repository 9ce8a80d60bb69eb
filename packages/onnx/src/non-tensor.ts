import type { OnnxPort } from "./read-signature.ts";

type Kind = OnnxPort["kind"];

const shown: Readonly<Record<Kind, string>> = {
  tensor: "a tensor",
  "sparse-tensor": "a sparse tensor",
  sequence: "a sequence",
  map: "a map",
  optional: "an optional value",
  unknown: "of an unknown type",
};

/** The kind of an input or output, with its article: `an optional value`. */
export const showKind = (kind: Kind): string => shown[kind];

/** The way to replace an output that is not a tensor, by the operator that creates it. */
const byOperator: Readonly<Record<string, string>> = {
  ZipMap: 'export with `options={id(model): {"zipmap": False}}`, or remove the node',
  SplitToSequence: "use Split, whose outputs are tensors",
  Optional: "return the value itself",
};

const byKind: Readonly<Record<"input" | "output", Partial<Record<Kind, string>>>> = {
  input: {
    sequence: "give the model one input for each element",
    map: "give the model one input for each key",
    optional: "give the model the value itself",
  },
  output: {
    sequence: "join its elements with ConcatFromSequence inside the model, or return each as an output",
    map: "return its keys and values as two tensors",
    optional: "return the value itself, as OptionalGetElement does",
  },
};

/** The way to replace an input or output that Triton cannot represent, because it is not a tensor or has another element type. */
export const replacementOf = (
  { kind, madeBy }: { readonly kind: Kind; readonly madeBy?: string | undefined },
  side: "input" | "output",
): string => {
  const known = madeBy !== undefined && Object.hasOwn(byOperator, madeBy) ? byOperator[madeBy] : undefined;
  const help = known ?? byKind[side][kind] ?? "convert it inside the model to a type that Triton supports";
  return madeBy === undefined ? help : `it comes from ${madeBy}: ${help}`;
};
