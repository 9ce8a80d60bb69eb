import { type NamedTensors, printRawData, splitRows, type TensorData } from "@tritype/core";
import { printJsonData } from "@tritype/protocol";

/**
 * The requests as perf_analyzer's `--input-data` file. perf_analyzer forms the batches itself (`-b`), so each row of a
 * request to a batched model is a separate step, and shapes do not include the batch.
 */
export const perfAnalyzerInput = (requests: readonly NamedTensors[], batched: boolean): string => {
  const steps = requests.flatMap((inputs) => (batched ? splitRows(inputs) : [inputs]));
  const lines = steps.map((inputs) => {
    const tensors = [...inputs].map(([name, tensor]) => {
      const shape = JSON.stringify(batched ? tensor.shape.slice(1) : tensor.shape);
      return `${JSON.stringify(name)}:{"content":${printContent(tensor)},"shape":${shape}}`;
    });
    return `{${tensors.join(",")}}`;
  });
  return `{"data":[\n${lines.join(",\n")}\n]}\n`;
};

/** Text is kept unchanged; all other data is base64-encoded, which preserves every bit. */
const printContent = (tensor: TensorData): string =>
  tensor.dtype === "BYTES"
    ? printJsonData(tensor)
    : `{"b64":"${Buffer.from(printRawData(tensor)).toString("base64")}"}`;
