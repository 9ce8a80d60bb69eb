import type { Rule } from "../rule.ts";
import { acceleratorRules } from "./accelerators.ts";
import { autoCompleteRules } from "./auto-complete.ts";
import { graphTypeRules } from "./graph-types.ts";
import { inputCount } from "./input-count.ts";
import { installedRules } from "./installed.ts";
import { libtorchRules } from "./libtorch.ts";
import { modelFileRules } from "./model-file.ts";
import { onnxWarmupRules } from "./onnx-warmup.ts";
import { opLibrary } from "./op-library.ts";
import { otherFileName } from "./other-file-name.ts";
import { optionalAndRaggedRules } from "./optional-and-ragged.ts";
import { sequenceControlRules } from "./sequence-controls.ts";
import { sessionParameterRules } from "./session-parameters.ts";
import { tensorDatatypeRules } from "./tensor-datatypes.ts";
import { unknownTensor } from "./tensor-names.ts";
import { tensorShapeRules } from "./tensor-shapes.ts";
import { tensorrtRules } from "./tensorrt.ts";

/** What backends check themselves, in order of evaluation: files, graph, completion, configuration against the graph. */
export const onnxRules: readonly Rule[] = [
  ...installedRules,
  ...modelFileRules,
  ...graphTypeRules,
  ...sessionParameterRules,
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
