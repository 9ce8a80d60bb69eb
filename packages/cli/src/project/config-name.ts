import { type Given, type OptionSpec, takes, usage } from "../command.ts";

/** Two spellings of one option: the project's and Triton's. */
export const configNameOptions: Readonly<Record<"profile" | "model-config-name", OptionSpec>> = {
  profile: takes("name", "use every model's configs/<name>.pbtxt: a profile from pipeline.config.ts"),
  "model-config-name": takes("name", "the same, in Triton's spelling"),
};

/** Name of the chosen configurations; undefined for `config.pbtxt`. @throws PipelineError `usage/invalid` */
export const configNameOf = (given: Given): string | undefined => {
  const [profile, configName] = [given.text("profile"), given.text("model-config-name")];
  if (profile !== undefined && configName !== undefined && profile !== configName)
    throw usage(
      `--profile is ${profile}, but --model-config-name is ${configName}`,
      "use one of them: they are two spellings of the same option",
    );
  return profile ?? configName;
};
