import { DockerfileParser } from "dockerfile-ast";

/** One instruction: its keyword and the text after it, without comments or line continuations. */
export interface DockerInstruction {
  readonly keyword: string;
  readonly text: string;
}

/** A stage of a Dockerfile and its instructions after FROM. */
export interface DockerStage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly DockerInstruction[];
}

/** The stages of a Dockerfile in order. */
export const readDockerfile = (text: string): readonly DockerStage[] => {
  const stages: { base: string; name: string | undefined; instructions: DockerInstruction[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    const content = instruction.getArgumentsContent() ?? "";
    const [base = "", , name] = content.split(" ");
    if (keyword === "FROM") stages.push({ base, name, instructions: [] });
    else stages.at(-1)?.instructions.push({ keyword, text: content });
  }
  return stages;
};

/** The JSON list at the end of CMD and HEALTHCHECK. */
export const argvOf = ({ text }: DockerInstruction): readonly [string, ...string[]] => {
  const found = /\[.*\]$/s.exec(text);
  if (found === null) throw new Error(`no JSON list: ${text}`);
  return JSON.parse(found[0]) as [string, ...string[]];
};
