import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { basename, delimiter, join, posix } from "node:path";
import { promisify } from "node:util";
import { argvOf, readDockerfile } from "./read-dockerfile.ts";

/** The result of the last stage of a Dockerfile, with a folder in place of the image's root. */
export interface RanStage {
  readonly command: readonly [string, ...string[]];
  readonly healthCheck: readonly [string, ...string[]];
  readonly user: string | undefined;
  readonly exposed: readonly string[];
  /** The commands of RUN, as executed. */
  readonly ran: readonly string[];
  /** The path in the folder that corresponds to a path of the image. */
  readonly path: (inImage: string) => string;
}

/** The replacements for a builder in `runServerStage`. */
export interface StageMachine {
  /** The folder that COPY reads. */
  readonly context: string;
  /** An empty folder, the root of the image. */
  readonly root: string;
  /** A virtual environment; its programs come first, as the image's python3 does. */
  readonly environment: string;
}

/**
 * Runs the last stage, which is the default, and the stage without models that it is based on, instruction by instruction. Throws for an
 * unknown instruction.
 */
export const runServerStage = async (dockerfile: string, machine: StageMachine): Promise<RanStage> => {
  const stages = readDockerfile(dockerfile);
  const stage = stages.at(-1);
  const runtime = stages.find(({ name }) => name === stage?.base);
  if (stage === undefined || runtime === undefined) throw new Error("there is no stage");
  const path = (inImage: string): string => join(machine.root, inImage);
  const env: Record<string, string | undefined> = {
    ...process.env,
    PATH: [join(machine.environment, "bin"), process.env["PATH"] ?? ""].join(delimiter),
    PYTHONPATH: undefined,
  };
  const ran: string[] = [];
  const exposed: string[] = [];
  let folder = "/";
  let user: string | undefined;
  let command: readonly [string, ...string[]] | undefined;
  let healthCheck: readonly [string, ...string[]] | undefined;
  for (const instruction of [...runtime.instructions, ...stage.instructions]) {
    const { keyword, text } = instruction;
    if (keyword === "WORKDIR") mkdirSync(path((folder = posix.resolve(folder, text))), { recursive: true });
    else if (keyword === "ENV") Object.assign(env, Object.fromEntries([text.split("=", 2)]));
    else if (keyword === "ARG") env[text] = process.env[text];
    else if (keyword === "USER") user = text;
    else if (keyword === "EXPOSE") exposed.push(...text.split(" "));
    else if (keyword === "CMD") command = argvOf(instruction);
    else if (keyword === "HEALTHCHECK") healthCheck = argvOf(instruction);
    else if (keyword === "RUN") {
      // Folders for caches belong to the user of the image; here they only have to exist.
      if (text.startsWith('["install", "-d"'))
        mkdirSync(path(argvOf(instruction).at(-1) ?? ""), { recursive: true });
      else {
        await promisify(execFile)("/bin/sh", ["-c", text], { cwd: path(folder), env });
        ran.push(text);
      }
    } else if (keyword === "COPY") {
      const [from = "", to = ""] = text.split(" ").filter((part) => !part.startsWith("--"));
      const target = path(posix.resolve(folder, to));
      const into = to.endsWith("/") || existsSync(target) ? join(target, basename(from)) : target;
      cpSync(join(machine.context, from), into, { recursive: true });
    } else throw new Error(`${keyword} is not known here`);
  }
  if (command === undefined || healthCheck === undefined)
    throw new Error("there is no CMD or no HEALTHCHECK");
  return { command, healthCheck, user, exposed, ran, path };
};
