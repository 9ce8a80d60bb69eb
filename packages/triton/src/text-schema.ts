import protobuf from "protobufjs/light.js";
import { modelConfigDescriptor } from "./generated/model-config-descriptor.ts";

type Namespace = protobuf.INamespace;
type Fields = Record<string, protobuf.IField & { readonly keyType?: string }>;

/**
 * A message with its maps as what they are in text, lists of entries: protobufjs' own maps would take the last of two keys or
 * values in one entry, which protobuf refuses.
 */
const withEntries = (message: Namespace & { readonly fields?: Fields }): Namespace => {
  const nested: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(message.nested ?? {})) nested[name] = withEntries(child);
  if (message.fields === undefined) return { ...message, ...(message.nested ? { nested } : {}) } as Namespace;
  const fields: Fields = {};
  for (const [name, field] of Object.entries(message.fields)) {
    const entry = `${name}_entry`;
    fields[name] = field.keyType === undefined ? field : { rule: "repeated", type: entry, id: field.id };
    if (field.keyType !== undefined) {
      nested[entry] = { fields: { key: { type: field.keyType, id: 1 }, value: { type: field.type, id: 2 } } };
    }
  }
  return { ...message, fields, nested } as Namespace;
};

const root = protobuf.Root.fromJSON(withEntries(modelConfigDescriptor)).resolveAll();

/** A message by its name without the package, as protobufjs' text format reads it. */
export const messageTextType = (name: string): protobuf.Type => root.lookupType(`inference.${name}`);
