import { buildModel } from "@tritype/onnx";
import { openOnnxInstance } from "./onnx-instance.ts";

/** Why CUDA cannot be used, or undefined when it can. */
export const probeCuda = async (): Promise<string | undefined> => {
  const port = { type: { dtype: "FP32", dims: [1] } } as const;
  const model = buildModel(
    { name: "probe", inputs: [{ name: "x", ...port }], outputs: [{ name: "y", ...port }] },
    (builder) => ({ y: builder.node("Identity", ["x"])[0] ?? "" }),
  );
  try {
    const instance = await openOnnxInstance({
      model,
      options: { executionProviders: ["cuda"], logSeverityLevel: 4 },
    });
    await instance.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
