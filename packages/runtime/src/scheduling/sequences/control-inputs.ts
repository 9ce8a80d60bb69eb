import {
  dtypeOfConfigName,
  foreignError,
  type PipelineError,
  type TensorData,
  tensorOf,
  requestPrefix,
} from "@tritype/core";
import type { ModelConfig, ModelSequenceBatching } from "@tritype/triton";
import type { SequenceId, SequencePlace } from "../../requests/sequence-place.ts";

/** The tensors of `control_input`, in which a model reads a request's place in its sequence. */
export interface ControlInputs {
  /** An error if the id does not have the type that the model reads. */
  mismatch(request: string, id: SequenceId): PipelineError | undefined;
  of(place: SequencePlace): readonly NamedControl[];
  /** The values in a row without a request. */
  readonly ofEmptyRow: readonly NamedControl[];
}
type NamedControl = readonly [name: string, tensor: TensorData];

type ConfiguredControl = NonNullable<
  NonNullable<ModelSequenceBatching["control_input"]>[number]["control"]
>[number];

interface Control {
  readonly name: string;
  readonly tensorOf: (place: SequencePlace | undefined) => TensorData;
}

const says: Readonly<Record<string, (place: SequencePlace) => boolean>> = {
  CONTROL_SEQUENCE_START: ({ starts }) => starts,
  CONTROL_SEQUENCE_END: ({ ends }) => ends,
  CONTROL_SEQUENCE_READY: () => true,
};
const idKind = "CONTROL_SEQUENCE_CORRID";

/**
 * Source: `SetControlTensors` of Triton core. An id of the other type is refused with the message of releases
 * after 24.10, because 24.10 accesses memory outside the tensor. As in those releases, a
 * string id may have any length: 24.10 pads it to 128 bytes, which its backends refuse.
 */
export const createControlInputs = (config: ModelConfig): ControlInputs => {
  const shape = (config.max_batch_size ?? 0) > 0 ? [1, 1] : [1];
  const given = (config.sequence_batching?.control_input ?? []).flatMap(({ name = "", control = [] }) =>
    control.map((one) => ({ name, control: one })),
  );
  const ids = given.find(({ control }) => control.kind === idKind);
  const controls = given.map(
    ({ name, control }): Control => ({
      name,
      tensorOf: control.kind === idKind ? idTensor(control, shape) : flagTensor(control, shape),
    }),
  );
  return {
    mismatch: (request, id) => {
      if (ids === undefined) return undefined;
      const wanted = dtypeOfConfigName(ids.control.data_type ?? "");
      const isText = typeof id === "string";
      if (isText === (wanted === "BYTES")) return undefined;
      return foreignError(
        "request/invalid",
        `${requestPrefix(request)}sequence batching control '${ids.name}' data-type is '${isText ? "BYTES" : "UINT64"}', but model '${config.name ?? ""}' expects '${wanted ?? "<invalid>"}'`,
      );
    },
    of: (place) => controls.map((control) => [control.name, control.tensorOf(place)]),
    ofEmptyRow: controls.map((control) => [control.name, control.tensorOf(undefined)]),
  };
};

const flagTensor = (control: ConfiguredControl, shape: readonly number[]): Control["tensorOf"] => {
  const { int32_false_true: ints = [], fp32_false_true: floats = [], bool_false_true: bools = [] } = control;
  const [dtype, values] =
    ints.length > 0
      ? (["INT32", ints] as const)
      : floats.length > 0
        ? (["FP32", floats] as const)
        : (["BOOL", bools] as const);
  const [no, yes] = [tensorOf(dtype, shape, [values[0] ?? 0]), tensorOf(dtype, shape, [values[1] ?? 0])];
  const isSo = says[control.kind ?? "CONTROL_SEQUENCE_START"];
  return (place) => (place !== undefined && isSo?.(place) === true ? yes : no);
};

const idTensor = ({ data_type: type }: ConfiguredControl, shape: readonly number[]): Control["tensorOf"] => {
  const dtype = dtypeOfConfigName(type ?? "") ?? "UINT64";
  if (dtype === "BYTES") return (place) => tensorOf("BYTES", shape, [place?.id ?? ""]);
  const bits = dtype.endsWith("32") ? 32 : 64;
  return (place) => tensorOf(dtype, shape, [BigInt.asIntN(bits, BigInt(place?.id ?? 0n))]);
};
