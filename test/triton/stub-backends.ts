import { createHash } from "node:crypto";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WheelInstallation } from "@tritype/tritonserver";
import { makeOnce } from "../environment/make-once.ts";
import { stubLibrary } from "./stub-library.ts";

/**
 * The installation plus stub backends that load every model and never answer, so that the server's core alone judges
 * configurations for backends that the wheel does not have. A stub replaces the backend of its name.
 */
export async function withStubBackends(
  installation: WheelInstallation,
  names: readonly string[],
): Promise<WheelInstallation> {
  const library = stubLibrary("TRITONBACKEND_ModelInstanceExecute");
  const digest = createHash("sha256").update(names.join("\n")).update(library).digest("hex").slice(0, 12);
  const backends = `${installation.backends}-stubs-${digest}`;
  await makeOnce(backends, async (staging) => {
    for (const name of names) {
      await mkdir(join(staging, name), { recursive: true });
      await writeFile(join(staging, name, `libtriton_${name}.so`), library, { mode: 0o755 });
    }
    for (const name of await readdir(installation.backends)) {
      if (!names.includes(name)) await symlink(join(installation.backends, name), join(staging, name));
    }
  });
  return { ...installation, backends };
}
