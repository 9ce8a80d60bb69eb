import { type DType, dtypes, type IntDType, ownValue } from "@tritype/core";

interface BackendDTypes {
  readonly always: readonly DType[];
  /** First release → the dtypes that it added. */
  readonly since?: Readonly<Record<string, readonly DType[]>>;
}

const integers = Object.keys(dtypes).filter(
  (name): name is IntDType => dtypes[name as DType].family === "int",
);

/** Source: the conversion tables of `pytorch_backend`, `openvino_backend` and, on its release branches, `tensorrt_backend`. */
const known: Readonly<Record<string, BackendDTypes>> = {
  pytorch: {
    always: ["BOOL", "UINT8", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64", "BYTES"],
  },
  tensorrt: {
    always: ["BOOL", "UINT8", "INT8", "INT32", "FP16", "FP32"],
    since: { "24.05": ["INT64"], "24.06": ["BF16"] },
  },
  openvino: {
    always: ["BOOL", ...integers, "FP16", "FP32"],
  },
};

/** The dtypes that a backend's tensors can have in a release; undefined for backends whose dtypes are unknown. */
export const backendDTypes = (backend: string, container: string): readonly DType[] | undefined => {
  const own = ownValue(known, backend);
  return own === undefined
    ? undefined
    : [
        ...own.always,
        ...Object.entries(own.since ?? {}).flatMap(([first, added]) => (container >= first ? added : [])),
      ];
};
