import { showType } from "@tritype/core";
import type { OnnxPort, OnnxSignature } from "@tritype/onnx";
import { unbatchedPorts } from "../signature-module.ts";

/**
 * The reason why requests to a model cannot be batched, if only a few of its tensors prevent it; undefined otherwise.
 * @param again What to do after correcting the file: "add it again".
 */
export const batchingNote = (signature: OnnxSignature, again: string): string | undefined => {
  const fixed = unbatchedPorts(signature);
  if (fixed.length === 0) return undefined;
  const one = fixed.length === 1;
  return (
    `note: requests cannot run together: the file fixes the first size of ${fixed.map(shown).join(", ")}, ` +
    `but leaves that of other tensors open; if ${one ? "it has" : "they have"} one row for each row of the inputs, ` +
    `correct the file and ${again}:\n` +
    `  python -c "import onnx, sys; m = onnx.load(sys.argv[1]); [setattr(v.type.tensor_type.shape.dim[0], 'dim_param', 'batch') ` +
    `for v in [*m.graph.input, *m.graph.output] if v.name in sys.argv[2:]]; onnx.save(m, sys.argv[1])" model.onnx ${fixed.map(({ name }) => name).join(" ")}`
  );
};

const shown = ({ name, dtype, dims = [] }: OnnxPort): string =>
  `\`${name}\` ${showType({ dtype: dtype ?? "tensor", dims })}`;
