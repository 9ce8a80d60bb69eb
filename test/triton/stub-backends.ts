import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WheelInstallation } from "@tritype/tritonserver";
import { stubLibrary } from "./stub-library.ts";

/**
 * The installation plus stub backends that load every model and never answer, so that only the server's core judges
 * configurations for backends that the wheel does not have. A stub replaces the backend with the same name.
 */
export async function withStubBackends(
  installation: WheelInstallation,
  names: readonly string[],
): Promise<WheelInstallation> {
  const library = stubLibrary("TRITONBACKEND_ModelInstanceExecute");
  const digest = createHash("sha256").update(names.join("\n")).update(library).digest("hex").slice(0, 12);
  const backends = `${installation.backends}-stubs-${digest}`;
  if (existsSync(backends)) return { ...installation, backends };
  const staging = `${backends}.${process.pid}.part`;
  await rm(staging, { recursive: true, force: true });
  for (const name of names) {
    await mkdir(join(staging, name), { recursive: true });
    await writeFile(join(staging, name, `libtriton_${name}.so`), library, { mode: 0o755 });
  }
  for (const name of await readdir(installation.backends)) {
    if (!names.includes(name)) await symlink(join(installation.backends, name), join(staging, name));
  }
  await rename(staging, backends).catch(async (error: unknown) => {
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(backends)) throw error;
  });
  return { ...installation, backends };
}
