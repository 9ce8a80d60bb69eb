import { showType } from "@tritype/core";
import type { TensorView } from "../api.ts";

export { counted } from "@tritype/core";

/** `text BYTES[batch, 1], top_k INT32[batch, 1]` */
export const showTensors = (tensors: readonly TensorView[]): string =>
  tensors.map((tensor) => `${tensor.name} ${showType(tensor)}`).join(", ");

/** @param ms Milliseconds. */
export const durationText = (ms: number): string => {
  if (ms < 0.001) return "0";
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 100) return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
};

export const bytesText = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const scaled = bytes / 1000 ** power;
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${units[power - 1]}`;
};

/** A number for a table: at most seven significant digits. */
export const numberText = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e7)
    ? value.toExponential(3)
    : String(Number(value.toPrecision(6)));
};
