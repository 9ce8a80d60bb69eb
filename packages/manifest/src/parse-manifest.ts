import { attempt } from "@tritype/core";
import type { z } from "zod";
import { type Manifest, manifestFormatVersion, manifestSchema } from "./manifest.ts";

/** The manifest, or the reason why a text is not one: fields of another format, a newer version, or faults. */
export type ParsedManifest =
  | { readonly kind: "manifest"; readonly manifest: Manifest }
  | { readonly kind: "foreign" }
  | { readonly kind: "newer"; readonly found: number }
  | { readonly kind: "broken"; readonly error: z.ZodError };

/** Reads the content of a `manifest.json`. Web projects have such a file, too. */
export const parseManifest = (text: string): ParsedManifest => {
  const json = parseJson(text);
  if (!isOurs(json)) return { kind: "foreign" };
  if (json.formatVersion > manifestFormatVersion) return { kind: "newer", found: json.formatVersion };
  const read = manifestSchema.safeParse(json);
  return read.success ? { kind: "manifest", manifest: read.data } : { kind: "broken", error: read.error };
};

const parseJson = (text: string): unknown => attempt(() => JSON.parse(text));

const isOurs = (json: unknown): json is { readonly formatVersion: number } =>
  typeof json === "object" &&
  json !== null &&
  "formatVersion" in json &&
  typeof json.formatVersion === "number" &&
  "loadOrder" in json;
