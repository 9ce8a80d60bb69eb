import { foreignError, type PipelineError } from "@tritype/core";

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
  const value = booleans[text.toLowerCase()];
  if (value === undefined) throw invalidParameter(`failed to convert '${text}' to boolean`);
  return value;
};

export const invalidParameter = (text: string): PipelineError => foreignError("repository/invalid", text);

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  "1": true,
  false: false,
  off: false,
  "0": false,
};
