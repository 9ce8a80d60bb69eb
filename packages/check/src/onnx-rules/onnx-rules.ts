import type { Rule } from "../rule.ts";
import { acceleratorRules } from "./backends/accelerators.ts";
import { autoCompleteRules } from "./auto-complete.ts";
import { graphTypeRules } from "./tensors/graph-types.ts";
import { inputCount } from "./tensors/input-count.ts";
import { installedRules } from "./backends/installed.ts";
import { libtorchRules } from "./backends/libtorch.ts";
import { misspeltParameter } from "./backends/misspelt-parameter.ts";
import { modelFileRules } from "./files/model-file.ts";
import { onnxWarmupRules } from "./backends/onnx-warmup.ts";
import { opLibrary } from "./files/op-library.ts";
import { otherFileName } from "./files/other-file-name.ts";
import { optionalAndRaggedRules } from "./tensors/optional-and-ragged.ts";
import { sequenceControlRules } from "./tensors/sequence-controls.ts";
import { sessionParameterRules } from "./backends/session-parameters.ts";
import { tensorDatatypeRules } from "./tensors/tensor-datatypes.ts";
import { noKernel } from "./files/no-kernel.ts";
import { unknownOperator } from "./files/unknown-operator.ts";
import { unknownTensor } from "./tensors/tensor-names.ts";
import { tensorShapeRules } from "./tensors/tensor-shapes.ts";
import { tensorrtRules } from "./backends/tensorrt.ts";

/** The backends' own checks, in order of evaluation: files, graph, completion, configuration against the graph. */
export const onnxRules: readonly Rule[] = [
  ...installedRules,
  ...modelFileRules,
  unknownOperator,
  noKernel,
  ...graphTypeRules,
  ...sessionParameterRules,
  misspeltParameter,
  ...acceleratorRules,
  opLibrary,
  ...autoCompleteRules,
  ...sequenceControlRules,
  inputCount,
  ...optionalAndRaggedRules,
  unknownTensor,
  ...tensorDatatypeRules,
  ...tensorShapeRules,
  ...onnxWarmupRules,
  otherFileName,
  ...libtorchRules,
  ...tensorrtRules,
];
