import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { builtProject } from "../deployed-project.ts";
import { askTotal, serveBuild } from "../serve-build.ts";
import { accountKey, startAzure } from "./azure-services.ts";
import { uploadInSteps } from "./upload-in-steps.ts";

test("the Azure CLI uploads a build once, and a real Triton loads it from Azure", async () => {
  const made = await builtProject();
  const azure = await startAzure(made.path("azure"));
  const address = await uploadInSteps(made, azure);

  vi.stubEnv("https_proxy", azure.proxy);
  vi.stubEnv("AZURE_STORAGE_ACCOUNT", "account");
  vi.stubEnv("AZURE_STORAGE_KEY", accountKey);
  mkdirSync(made.path("empty"));
  const trusting = (executable: string): string => trustingProgram(made, executable, azure.certificate);
  const server = await serveBuild(made, [`--model-repository=${address}`], "empty", trusting);
  vi.unstubAllEnvs();
  expect(await askTotal(server, [1, 2, 3, 4])).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });
}, 1_800_000);

/** A script that runs Triton with one more certificate, because Triton only trusts the machine's certificates. */
const trustingProgram = (
  made: { readonly path: (file: string) => string; readonly write: (file: string, text: string) => void },
  executable: string,
  certificate: string,
): string => {
  const trusted = "/etc/ssl/certs/ca-certificates.crt";
  made.write("trusted.pem", `${readFileSync(trusted, "utf8")}\n${readFileSync(certificate, "utf8")}`);
  made.write(
    "tritonserver.sh",
    `#!/bin/sh
exec unshare --map-root-user --mount sh -ec 'mount --bind ${made.path("trusted.pem")} ${trusted}; exec "$@"' sh ${executable} "$@"
`,
  );
  chmodSync(made.path("tritonserver.sh"), 0o755);
  return made.path("tritonserver.sh");
};
