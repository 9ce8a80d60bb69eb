import { entries } from "@tritype/check";
import type { Diagnostic, Label } from "@tritype/core";
import type { CheckFindings } from "./run-check.ts";
import { pathBytes } from "./odd-names.ts";

/** SARIF 2.1.0, as code scanning reads it. Source: OASIS, Static Analysis Results Interchange Format 2.1.0. */
export const printSarif = ({ target, diagnostics }: CheckFindings, version: string): string => {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].toSorted();
  return JSON.stringify(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "tritype", version, rules: codes.map(ruleOf) } },
          columnKind: "utf16CodeUnits",
          invocations: [{ executionSuccessful: true }],
          properties: { target },
          results: diagnostics.map((diagnostic) => resultOf(diagnostic, codes.indexOf(diagnostic.code))),
        },
      ],
    },
    null,
    2,
  );
};

const ruleOf = (code: string): object => {
  const entry = entries.find((one) => one.code === code);
  if (entry === undefined) return { id: code };
  return {
    id: code,
    shortDescription: { text: entry.message.replaceAll(/\{(\w+)\}/g, "<$1>") },
    fullDescription: { text: entry.reason },
    ...(entry.help === undefined ? {} : { help: { text: entry.help } }),
    defaultConfiguration: { level: entry.severity },
    properties: { judged: entry.judged, triton: entry.triton },
  };
};

const resultOf = (
  { code, severity, message, labels, notes, help }: Diagnostic,
  ruleIndex: number,
): object => {
  const [first, ...others] = labels;
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: [message, ...notes, ...(help === undefined ? [] : [`help: ${help}`])].join("\n") },
    locations: first === undefined ? [] : [locationOf(first)],
    ...(others.length === 0
      ? {}
      : {
          relatedLocations: others.map((label, id) => ({
            id,
            ...locationOf(label),
            message: { text: label.text },
          })),
        }),
  };
};

const locationOf = ({ span: { file, line, column } }: Label): object => ({
  physicalLocation: {
    artifactLocation: { uri: uriOf(file) },
    region: { startLine: line, startColumn: column },
  },
});

/** A relative reference, or a `file:` URI of an absolute path. */
const uriOf = (file: string): string => {
  const path = [...pathBytes(file)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9/._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
  return file.startsWith("/") ? `file://${path}` : path;
};
