import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { goTool } from "../environment/go-module.ts";
import { makeOnce } from "../environment/make-once.ts";
import { kept } from "./folders.ts";

/** Programs that are compiled in one module. */
interface GoModule {
  readonly name: string;
  /** Import paths of main packages. The last element of each is the program's name. */
  readonly programs: readonly string[];
  /** Modules and versions. */
  readonly requires: Readonly<Record<string, string>>;
  /** Kubernetes' own modules have no versions in its go.mod, only in Go's module proxy. */
  readonly stagingOf?: { readonly module: string; readonly version: string };
  /** A main package of our own, compiled to a program with the module's name. */
  readonly main?: string;
  readonly linkerFlags?: string;
}

const kubernetes = "1.34.4";
const version = "k8s.io/component-base/version";

const modules: readonly GoModule[] = [
  {
    name: "kubernetes",
    programs: [
      "kubectl",
      "kubelet",
      "kube-apiserver",
      "kube-controller-manager",
      "kube-scheduler",
      "kube-proxy",
    ].map((name) => `k8s.io/kubernetes/cmd/${name}`),
    requires: { "k8s.io/kubernetes": `v${kubernetes}` },
    stagingOf: { module: "k8s.io/kubernetes", version: `v${kubernetes.replace(/^1/, "0")}` },
    linkerFlags: `-X ${version}.gitVersion=v${kubernetes} -X ${version}.gitMajor=1 -X ${version}.gitMinor=34`,
  },
  {
    name: "helm",
    programs: ["helm.sh/helm/v3/cmd/helm"],
    requires: { "helm.sh/helm/v3": "v3.22.0" },
    // Helm's own releases set these too; without them, Helm assumes Kubernetes 1.20.
    linkerFlags: `-X helm.sh/helm/v3/internal/version.version=v3.22.0 ${["Major=1", "Minor=34"].map((part) => `-X helm.sh/helm/v3/pkg/chartutil.k8sVersion${part}`).join(" ")}`,
  },
  {
    name: "kwok",
    programs: ["sigs.k8s.io/kwok/cmd/kwok"],
    requires: { "sigs.k8s.io/kwok": "v0.7.0" },
  },
  {
    name: "kube-router",
    programs: ["github.com/cloudnativelabs/kube-router/v2/cmd/kube-router"],
    requires: { "github.com/cloudnativelabs/kube-router/v2": "v2.1.0" },
  },
  {
    name: "coredns",
    programs: [],
    requires: {
      "github.com/coredns/coredns": "v1.12.4",
      ...Object.fromEntries(
        ["api", "apimachinery", "client-go"].map((name) => [`k8s.io/${name}`, "v0.34.4"]),
      ),
    },
    main: `package main

import (
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

func main() { coremain.Run() }
`,
  },
];

/** The folder with Kubernetes, Helm, kwok, kube-router and CoreDNS, compiled once from Go's module proxy. */
export const goPrograms = async (notice: (line: string) => void): Promise<string> => {
  const key = createHash("sha256").update(JSON.stringify(modules)).digest("hex").slice(0, 12);
  const folder = kept(`programs-${key}`);
  const work = kept("go");
  await makeOnce(folder, async (staging) => {
    notice(
      "compiling Kubernetes, Helm, kwok, kube-router and CoreDNS: once, 15 to 80 minutes and 10 GB while it runs",
    );
    // Modules that an interrupted run has compiled are not compiled again.
    const built = join(work, `built-${key}`);
    for (const module of modules) await buildModule(module, work, built, notice);
    await rm(staging, { recursive: true });
    await rename(built, staging);
    await rm(work, { recursive: true });
  });
  return folder;
};

const buildModule = async (
  { name, programs, requires, stagingOf, main, linkerFlags = "" }: GoModule,
  work: string,
  built: string,
  notice: (line: string) => void,
): Promise<void> => {
  const folder = join(work, name);
  await mkdir(folder, { recursive: true });
  await mkdir(built, { recursive: true });
  const go = await goTool();
  const env = {
    ...process.env,
    CGO_ENABLED: "0",
    GOFLAGS: "-mod=mod -modcacherw -buildvcs=false",
    GOMODCACHE: join(work, "modules"),
    GOCACHE: join(work, "compiled"),
  };
  const run = (...args: readonly string[]): Promise<void> => runLogged(go, args, folder, env);
  const replaced: string[] = [];
  if (stagingOf !== undefined) {
    const { module, version } = stagingOf;
    await writeFile(join(folder, "go.mod"), `module local/${name}\n`);
    await run("mod", "download", `${module}@${requires[module]}`);
    const text = readFileSync(join(work, "modules", `${module}@${requires[module]}`, "go.mod"), "utf8");
    for (const [, staged] of text.matchAll(/=> \.\/staging\/src\/(\S+)/g))
      replaced.push(`replace ${staged} => ${staged} ${version}`);
  }
  const required = Object.entries(requires).map(([module, version]) => `require ${module} ${version}`);
  await writeFile(
    join(folder, "go.mod"),
    [`module local/${name}`, "go 1.24.0", ...required, ...replaced, ""].join("\n"),
  );
  const tools = programs.map((path) => `import _ "${path}"\n`).join("");
  await writeFile(join(folder, "main.go"), main ?? `//go:build tools\n\npackage tools\n\n${tools}`);
  await run("mod", "tidy", "-e");
  for (const program of main === undefined ? programs : ["."]) {
    notice(`compiling ${program === "." ? name : program}`);
    const output = join(built, program === "." ? name : program.replace(/.*\//, ""));
    await run("build", "-trimpath", "-ldflags", `-s -w ${linkerFlags}`, "-o", output, program);
  }
};

/** Its output goes to a file: Go prints thousands of lines. */
const runLogged = async (
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<void> => {
  const file = join(cwd, "log.txt");
  const log = createWriteStream(file);
  const child = spawn("nice", ["-n", "10", program, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  await finished(log.end());
  if (code === 0) return;
  const lines = readFileSync(file, "utf8").trim().split("\n").slice(-20);
  throw new Error(`go ${args.join(" ")} failed:\n${lines.join("\n")}`);
};
