import { foreignError, type PipelineError } from "@tritype/core";
import { isBoolean } from "@tritype/triton";

/**
 * Parses an integer parameter as the ONNX Runtime backend does.
 * @throws PipelineError `repository/invalid` with Triton's message.
 */
export const integerOf = (text: string, type = "integral number"): number => {
  const value = Number.parseInt(text, 10);
  if (Number.isNaN(value)) throw invalidParameter(`failed to convert '${text}' to ${type}`);
  return value;
};

/**
 * Parses a boolean parameter as the ONNX Runtime backend does.
 * @throws PipelineError `repository/invalid` with Triton's message.
 */
export const booleanOf = (text: string): boolean => {
  if (!isBoolean(text)) throw invalidParameter(`failed to convert '${text}' to boolean`);
  return /^(?:true|on|1)$/i.test(text);
};

export const invalidParameter = (text: string): PipelineError => foreignError("repository/invalid", text);
