import { entries } from "@tritype/check";
import type { Diagnostic, Label } from "@tritype/core";
import { endColumnOf, type ReadSource } from "@tritype/project/diagnostics";
import { pathBytes } from "@tritype/runtime/host";
import { readPage } from "../explain/diagnostic-pages.ts";
import type { ReportedPath } from "./reported-path.ts";
import type { CheckFindings } from "./run-check.ts";

/**
 * SARIF 2.1.0 for code scanning, with each code's documentation page as its help text. Source: OASIS, Static Analysis Results
 * Interchange Format 2.1.0.
 */
export const printSarif = (
  { target, diagnostics }: CheckFindings,
  version: string,
  readSource: ReadSource,
  reported: ReportedPath,
): string => {
  const locationOf = locating(readSource, reported);
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
          results: diagnostics.map((diagnostic) =>
            resultOf(diagnostic, codes.indexOf(diagnostic.code), locationOf),
          ),
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
    shortDescription: { text: placeholders(entry.message) },
    fullDescription: { text: entry.reason },
    help: { text: placeholders(entry.help ?? entry.reason), markdown: readPage(code) },
    defaultConfiguration: { level: entry.severity },
    properties: { judged: entry.judged, triton: entry.triton },
  };
};

const placeholders = (sentence: string): string => sentence.replaceAll(/\{(\w+)\}/g, "<$1>");

const resultOf = (
  { code, severity, message, labels, notes, help }: Diagnostic,
  ruleIndex: number,
  locationOf: LocationOf,
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

type LocationOf = (label: Label) => object;

const locating =
  (readSource: ReadSource, reported: ReportedPath): LocationOf =>
  ({ span }) => {
    const endColumn = endColumnOf(span, readSource(span.file));
    return {
      physicalLocation: {
        artifactLocation: { uri: uriOf(reported(span.file)) },
        region: {
          startLine: span.line,
          startColumn: span.column,
          ...(endColumn === undefined ? {} : { endLine: span.line, endColumn }),
        },
      },
    };
  };

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
  const root = file.startsWith("/") ? "file://" : /^[A-Za-z]:\//.test(file) ? "file:///" : "";
  return root + path;
};
