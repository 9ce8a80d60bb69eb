import type { Diagnostic } from "@tritype/core";
import { printable } from "@tritype/project/diagnostics";
import { cutFindings } from "./cut-findings.ts";
import type { ReportedPath } from "./reported-path.ts";
import type { CheckFindings } from "./run-check.ts";

/** Workflow commands that show each finding at its line. Source: GitHub Actions, "Workflow commands". */
export const printGithubAnnotations = ({ diagnostics }: CheckFindings, reported: ReportedPath): string =>
  cutFindings(diagnostics)
    .map((diagnostic) => annotationOf(diagnostic, reported))
    .join("\n");

const annotationOf = (
  { code, severity, message, labels, notes, help }: Diagnostic,
  reported: ReportedPath,
): string => {
  const span = labels[0]?.span;
  const properties: Readonly<Record<string, string | number>> = {
    ...(span === undefined ? {} : { file: reported(span.file), line: span.line, col: span.column }),
    title: code,
  };
  const text = [message, ...notes, ...(help === undefined ? [] : [`help: ${help}`])].join("\n");
  const given = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${severity} ${given.join(",")}::${escapeData(text)}`;
};

const escapeData = (text: string): string => printable(text).replaceAll("%", "%25").replaceAll("\n", "%0A");

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
