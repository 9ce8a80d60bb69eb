import type { ErrorEntry } from "@tritype/core";
import { errorCatalogs } from "./error-catalogs.ts";
import { errorTexts } from "./error-texts.ts";

/** `docs/reference/errors.md`, which `pipeline explain` reads too. */
export const errorsPage = (): string => {
  const entries = errorCatalogs.flatMap((catalog) => Object.entries(catalog));
  const sections = Object.entries(errorTexts).map(([code, { means, help }]) => {
    const own = entries.filter(([reason]) => reason === code);
    const others = entries
      .filter(([reason, entry]) => entry.code === code && reason !== code)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const errors = [...own, ...others].map(([reason, entry]) => shown(reason, entry));
    return [`## ${code}`, means, help, ...(errors.length === 0 ? [] : [fence(errors)])].join("\n\n");
  });
  return `${[intro, ...sections].join("\n\n")}\n`;
};

const intro = `# Errors

An error stops a command or a request; mistakes in a pipeline are reported as [diagnostics](../diagnostics/README.md). The terminal
shows an error with its reason: \`error[drift/no-requests]\`. \`pipeline explain drift/no-requests\` shows it as below.

Each reason belongs to a code, which is a heading of this page. The code is for programs: it is the field \`code\` of a
\`PipelineError\` and of \`--json\`, next to \`reason\`, and it determines the status of an HTTP or gRPC answer. The texts of errors
without a reason come from elsewhere: from Triton, a model or another server. \`pipeline explain "<message>"\` explains these.`;

const fence = (errors: readonly string[]): string => `\`\`\`text\n${errors.join("\n\n")}\n\`\`\``;

const shown = (reason: string, { message, help }: ErrorEntry): string =>
  [`error[${reason}]: ${message}`, ...(help === undefined ? [] : [`  = help: ${help}`])]
    .map(withHoles)
    .join("\n");

const withHoles = (text: string): string => text.replaceAll(/\{(\w+)\}/g, "<$1>");
