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
    throw usage("--profile and --model-config-name name different configurations", "use one of them");
  const name = profile ?? configName;
  if (name === "") throw usage("the name of the profile is empty", "remove the option to use config.pbtxt");
  return name;
};
