import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const detokenizerDiagnostics = {
  "detokenizer/no-decoder": {
    severity: "warning",
    message:
      "{path} has no decoder, so detokenizer `{step}` joins the pieces of its {model} vocabulary with spaces",
    help: 'add its model\'s decoder to the file, such as {example} under "decoder"',
  },
} as const;

export const diagnose: Diagnose<typeof detokenizerDiagnostics> = defineDiagnostics(detokenizerDiagnostics);
