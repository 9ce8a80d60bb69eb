import { counted, elementCount, type Scalar, type TensorData, valuesOf } from "@tritype/core";

const shownRows = 8;
const shownValues = 6;

/** A tensor for display: `embedding FP32[2, 128]`, then its rows, shortened. */
export const showTensor = (name: string, tensor: TensorData): string => {
  const { dtype, shape } = tensor;
  const [rows = 1, ...rest] = shape;
  const width = elementCount(rest);
  const values = valuesOf(tensor);
  const lines = Array.from({ length: Math.min(rows, shownRows) }, (_, row) =>
    showRow(values.slice(row * width, (row + 1) * width), rest),
  );
  return [
    `${name} ${dtype}[${shape.join(", ")}]`,
    ...lines.map((line) => `  ${line}`),
    ...(rows > shownRows ? [`  … ${counted(rows - shownRows, "more row")}`] : []),
  ].join("\n");
};

const showRow = (values: readonly Scalar[], shape: readonly number[]): string => {
  const shown = values.slice(0, shownValues).map(showValue).join(", ");
  const more = values.length > shownValues ? `, … ${values.length - shownValues} more` : "";
  return values.length === 1 && shape.every((dim) => dim === 1) ? shown : `[${shown}${more}]`;
};

const showValue = (value: Scalar): string =>
  typeof value === "string"
    ? JSON.stringify(value)
    : typeof value === "number" && !Number.isInteger(value)
      ? value.toPrecision(6)
      : String(value);
