import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { knownPin } from "../../packages/compiler/src/emit/docker/known-packages.ts";
import { installPackages } from "../environment/python-tool.ts";
import { debianRoot } from "./debian-root.ts";

const onnxruntimeBackend = fileURLToPath(
  new URL("../../packages/tritonserver/backends/onnxruntime/model.py", import.meta.url),
);

/** What NVIDIA's image has as well. */
const packages = [knownPin("numpy"), knownPin("tokenizers")];
const onnxruntime = ["onnxruntime==1.30.0", "flatbuffers==25.12.19", "packaging==26.4", "protobuf==6.33.6"];

/**
 * The root folder of an image with NVIDIA's layout: Triton from the PyPI wheel in /opt/tritonserver, a user 1000, and
 * pip. The wheel has no ONNX Runtime backend; ours in Python takes its place.
 */
export const serverBase = (notice: (line: string) => void): Promise<string> =>
  debianRoot(
    "server-base",
    ["ca-certificates", "curl", "libgomp1", "libpython3.11", "python3", "python3-pip"],
    notice,
    async (root) => {
      notice("adding Triton to it");
      const python = ["--python-version", "3.11", "--no-deps"];
      const site = join(root, "usr/local/lib/python3.11/dist-packages");
      await installPackages("python3", [...python, "--target", site, ...packages, ...onnxruntime]);
      const wheel = await mkdtemp(join(tmpdir(), "tritype-wheel-"));
      await installPackages("python3", [...python, "--target", wheel, "nvidia-pytriton==0.7.0"]);
      const triton = join(root, "opt/tritonserver");
      const from = join(wheel, "pytriton/tritonserver");
      await mkdir(join(triton, "backends/onnxruntime"), { recursive: true });
      await cp(join(from, "bin"), join(triton, "bin"), { recursive: true });
      await cp(join(from, "caches"), join(triton, "caches"), { recursive: true });
      await cp(join(wheel, "nvidia_pytriton.libs"), join(triton, "lib"), { recursive: true });
      await cp(join(from, "backends/python"), join(triton, "backends/python"), { recursive: true });
      await cp(join(from, "python_backend_stubs/3.11"), join(triton, "backends/python"), { recursive: true });
      await cp(onnxruntimeBackend, join(triton, "backends/onnxruntime/model.py"));
      await rm(wheel, { recursive: true });
      await symlink("python3", join(root, "usr/bin/python")).catch(() => undefined);
      await writeFile(join(root, "etc/passwd"), "triton-server:x:1000:1000::/home/triton-server:/bin/sh\n", {
        flag: "a",
      });
      await writeFile(join(root, "etc/group"), "triton-server:x:1000:\n", { flag: "a" });
    },
  );

/** As in NVIDIA's image; Debian's pip must be told to install packages next to those of Debian. */
export const serverBaseSettings: readonly string[] = [
  "ENV PATH=/opt/tritonserver/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  "ENV LD_LIBRARY_PATH=/opt/tritonserver/lib",
  "ENV PIP_BREAK_SYSTEM_PACKAGES=1",
  "WORKDIR /opt/tritonserver",
];
