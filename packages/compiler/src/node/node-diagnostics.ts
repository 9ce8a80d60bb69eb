import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const nodeDiagnostics = {
  "node/allow-in-python": {
    severity: "error",
    message: "step `{step}` has `allow`, but its function runs as Python",
    help: 'add `engine: "node"` to the step, or remove `allow`',
  },
  "node/addons-not-allowed": {
    severity: "error",
    message: "step `{step}` imports {packages} with native code, which its function may not load",
    help: "add `allow: { addons: true }` to the step; native code can do whatever the server's user may do",
  },
  "node/not-locked": {
    severity: "error",
    message:
      "step `{step}` imports {package} {version}, which npm installs for the server's platform, but {why}",
    help: "{help}",
  },
} as const;

export const diagnose: Diagnose<typeof nodeDiagnostics> = defineDiagnostics(nodeDiagnostics);
