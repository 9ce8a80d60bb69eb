import { didYouMean } from "@tritype/core";

/** The likely meaning of a value that is not an identifier of its enum; otherwise the identifiers of the enum. */
export const enumHint = (value: string, values: readonly string[]): string => {
  const usable = values.filter((name) => !name.endsWith("_INVALID"));
  const near = meant(value, usable);
  return near === undefined ? `write one of ${usable.join(", ")}` : `did you mean \`${near}\`?`;
};

const meant = (value: string, values: readonly string[]): string | undefined => {
  const bare = value.toUpperCase().replace(/^(?:[\w.]*\.)?(?:TYPE_|DT_)?/, "");
  const typed = datatypes.get(bare.replaceAll("_", ""));
  if (typed !== undefined && values.includes(typed)) return typed;
  const prefixed = values.find((name) => name.toLowerCase().endsWith(`_${value.toLowerCase()}`));
  if (prefixed !== undefined) return prefixed;
  const others = [...datatypes].flatMap(([other, name]) =>
    values.includes(name) ? [[`TYPE_${other}`, name] as const] : [],
  );
  const near = didYouMean(value, [...values, ...others.map(([other]) => other)]);
  return others.find(([other]) => other === near)?.[1] ?? near;
};

/** Names that people use for a datatype because other libraries do. */
const datatypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TYPE_FP32: ["FP32", "FLOAT", "FLOAT32", "F32", "SINGLE"],
    TYPE_FP64: ["FP64", "DOUBLE", "FLOAT64", "F64"],
    TYPE_FP16: ["FP16", "HALF", "FLOAT16", "F16"],
    TYPE_BF16: ["BF16", "BFLOAT16", "BFLOAT"],
    TYPE_INT64: ["INT64", "LONG", "LONGLONG", "I64"],
    TYPE_INT32: ["INT32", "INT", "INTEGER", "I32"],
    TYPE_INT16: ["INT16", "SHORT", "I16"],
    TYPE_INT8: ["INT8", "I8"],
    TYPE_UINT64: ["UINT64", "ULONG", "U64"],
    TYPE_UINT32: ["UINT32", "UINT", "U32"],
    TYPE_UINT16: ["UINT16", "USHORT", "U16"],
    TYPE_UINT8: ["UINT8", "BYTE", "U8"],
    TYPE_STRING: ["STRING", "STR", "BYTES", "TEXT", "OBJECT"],
    TYPE_BOOL: ["BOOL", "BOOLEAN"],
  }).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
);
