import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PinnedWheel } from "./pinned-wheel.ts";

/** A wheel with these files that pip accepts. */
export interface MadeWheel {
  readonly pin: PinnedWheel;
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** Files by path in the wheel; the libraries of `pin` are all of them. */
export const makeWheel = (project: string, files: Readonly<Record<string, string>>): MadeWheel => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-wheel-"));
  const platform = "manylinux_2_17_x86_64";
  const fileName = `${project.replaceAll("-", "_")}-1.0-py3-none-${platform}.whl`;
  try {
    const path = join(folder, fileName);
    const { status, stderr } = spawnSync("python3", ["-c", script, path, project, JSON.stringify(files)]);
    if (status !== 0) throw new Error(String(stderr));
    const bytes = readFileSync(path);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const libraries = Object.keys(files).map((file) => file.replace(/.*\//, ""));
    return {
      fileName,
      bytes,
      pin: { project, version: "1.0", platform, sha256, bytes: bytes.length, libraries },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const script = `
import json, sys, zipfile
path, project, files = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
info = "%s-1.0.dist-info/" % project.replace("-", "_")
files[info + "METADATA"] = "Metadata-Version: 2.1\\nName: %s\\nVersion: 1.0\\n" % project
files[info + "WHEEL"] = "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: false\\nTag: py3-none-manylinux_2_17_x86_64\\n"
files[info + "RECORD"] = "".join("%s,,\\n" % name for name in [*files, info + "RECORD"])
with zipfile.ZipFile(path, "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;

/** How the index responds to a request for a file. */
export type IndexFault = "other bytes" | "cut" | "gone";

/** A simple index (PEP 503) of some wheels. */
export interface PackageIndex {
  readonly url: string;
  /** Files that were sent completely or partly, in order. */
  readonly sent: string[];
  /** Faults by project; projects that are not listed are served normally. */
  faults: Readonly<Record<string, IndexFault>>;
  close(): Promise<void>;
}

export const serveIndex = async (wheels: readonly MadeWheel[]): Promise<PackageIndex> => {
  const sent: string[] = [];
  const server: Server = createServer((request, response) => {
    const [, kind, name = ""] = (request.url ?? "").split("/");
    const wheel = wheels.find(({ pin, fileName }) => name === (kind === "simple" ? pin.project : fileName));
    const fault = index.faults[wheel?.pin.project ?? ""];
    if (wheel === undefined || fault === "gone") {
      response.writeHead(404).end();
    } else if (kind === "simple") {
      const link = `<a href="/files/${wheel.fileName}">${wheel.fileName}</a>`;
      response.writeHead(200, { "content-type": "text/html" }).end(`<!DOCTYPE html>${link}`);
    } else {
      sent.push(wheel.pin.project);
      response.writeHead(200, { "content-length": wheel.bytes.length });
      if (fault === "cut") response.write(wheel.bytes.subarray(0, 100), () => response.destroy());
      else response.end(fault === "other bytes" ? Buffer.alloc(wheel.bytes.length) : wheel.bytes);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const index: PackageIndex = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`,
    sent,
    faults: {},
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
  return index;
};
