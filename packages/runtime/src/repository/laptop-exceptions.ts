/**
 * What Triton refuses and the local runtime loads, or refuses elsewhere in words of its own. GPUs are not here: without their number
 * rules about the machine's GPUs say nothing, so a laptop serves a model for a GPU on its CPU.
 */
export const laptopExceptions: ReadonlySet<string> = new Set([
  // It has other backends than Triton, and stand-ins for those that it lacks.
  "backend/misnamed",
  "backend/misspelt",
  "backend/python-runtime",
  // Its backends complete and judge these once they have read the model's file.
  "tensor/empty-reshape",
]);
