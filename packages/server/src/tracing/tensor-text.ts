import { type TensorData, typedArrayOf } from "@tritype/core";

/**
 * The elements of a tensor as Triton writes them: numbers with six digits, strings in quotation marks, nothing for FP16
 * and BF16. In Triton, INT8 and UINT8 are single characters, and quotation marks within strings make the JSON
 * invalid; here they do not.
 */
export const tensorText = (tensor: TensorData): string => {
  if (tensor.dtype === "BYTES")
    return tensor.data.map((bytes) => `"${new TextDecoder().decode(bytes)}"`).join();
  if (tensor.dtype === "FP16" || tensor.dtype === "BF16") return "";
  const values = Array.from<number | bigint>(typedArrayOf(tensor));
  const print = tensor.dtype === "FP32" || tensor.dtype === "FP64" ? sixDigits : String;
  return values.map(print).join();
};

/** A number as C++ streams print it. */
const sixDigits = (value: number | bigint): string => {
  const number = Number(value);
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  if (number === 0) return Object.is(number, -0) ? "-0" : "0";
  const [digits = "", exponent = "0"] = rounded(number).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(`${digits}e${exponent}`));
  return `${String(Number(digits))}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
};

/** Six digits; unlike in JavaScript, a tie is rounded to the even digit. */
const rounded = (number: number): string => {
  const [exact = "", exponent = "0"] = number.toExponential(20).split("e");
  const halfway = /^-?\d\.\d{4}[02468]50*$/.test(exact);
  return halfway ? `${exact.slice(0, exact.indexOf(".") + 6)}e${exponent}` : number.toExponential(5);
};
