import { buildModel, type ModelPort } from "@tritype/onnx";

const port = (name: string): ModelPort => ({ name, type: { dtype: "FP32", dims: ["batch", 4] } });
const indices = { dtype: "INT64", shape: [1], data: new Uint8Array(8) } as const;

/** FP32[batch, 4] → x minus the mean over the batch, so that a row's result depends on the other rows. */
export const minusBatchMean = (): Uint8Array =>
  buildModel({ name: "mixer", inputs: [port("x")], outputs: [port("y")] }, (builder) => {
    const [mean] = builder.node("ReduceMean", ["x"], { axes: { ints: [0] }, keepdims: { int: 1 } });
    return { y: builder.node("Sub", ["x", mean])[0] };
  });

/** FP32[batch, 4] → x minus the first row of the batch, so that a row's result also depends on its position. */
export const minusFirstRow = (): Uint8Array =>
  buildModel({ name: "mixer", inputs: [port("x")], outputs: [port("y")] }, (builder) => {
    const [first] = builder.node("Gather", ["x", builder.constant(indices)], { axis: { int: 0 } });
    return { y: builder.node("Sub", ["x", first])[0] };
  });
