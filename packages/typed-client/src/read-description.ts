import { ClientError } from "./client-error.ts";
import type { DType } from "@tritype/core";
import type { Contract, Signature, TensorType } from "./contract.ts";
import { elementKinds } from "./elements.ts";

/** The parameter in an ensemble's configuration that contains the contract's hash. */
const hashParameter = "tritype_contract";

type Json = Readonly<Record<string, unknown>>;

/** The inputs and outputs of a ModelConfig in JSON. @throws ClientError `malformed`. */
export const readModelConfig = (answer: unknown): Contract =>
  reading("configuration", () => {
    const config = object(answer);
    const batch = Number(config["max_batch_size"] ?? 0) > 0 ? ["batch"] : [];
    const side = (tensors: unknown): Signature =>
      signatureOf(tensors, ({ data_type: type, dims, optional }) => ({
        dtype: dtypeOf(type === "TYPE_STRING" ? "BYTES" : String(type).replace(/^TYPE_/, "")),
        dims: [...batch, ...list(dims).map(Number)],
        ...(optional === true ? { optional } : {}),
      }));
    const hash = object(object(config["parameters"])[hashParameter])["string_value"];
    return {
      name: String(config["name"]),
      inputs: side(config["input"]),
      outputs: side(config["output"]),
      streams: object(config["model_transaction_policy"])["decoupled"] === true,
      ...(typeof hash === "string" ? { hash } : {}),
    };
  });

/** The inputs and outputs of KServe's metadata, which do not say which inputs are optional. @throws ClientError `malformed`. */
export const readModelMetadata = (answer: unknown): Contract =>
  reading("metadata", () => {
    const { name, inputs, outputs } = object(answer);
    const side = (tensors: unknown): Signature =>
      signatureOf(tensors, ({ datatype, shape }) => ({
        dtype: dtypeOf(String(datatype)),
        dims: list(shape).map(Number),
      }));
    return { name: String(name), inputs: side(inputs), outputs: side(outputs) };
  });

const signatureOf = (tensors: unknown, typeOf: (tensor: Json) => TensorType): Signature =>
  Object.fromEntries(
    list(tensors)
      .map(object)
      .map((tensor) => [String(tensor["name"]), typeOf(tensor)]),
  );

const reading = (what: string, read: () => Contract): Contract => {
  try {
    return read();
  } catch (cause) {
    throw new ClientError("malformed", `the server's ${what} of the model cannot be read: ${String(cause)}`, {
      cause,
    });
  }
};

const dtypeOf = (name: string): DType => {
  if (name !== "BYTES" && !Object.hasOwn(elementKinds, name))
    throw new TypeError(`no datatype is called ${name}`);
  return name as DType;
};

const object = (value: unknown = {}): Json => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError("an object is missing");
  return value as Json;
};

const list = (value: unknown = []): readonly unknown[] => {
  if (!Array.isArray(value)) throw new TypeError("a list is missing");
  return value;
};
