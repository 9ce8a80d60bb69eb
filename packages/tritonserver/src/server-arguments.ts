/** How the server treats a repository. */
export interface ServerBehaviour {
  /** Refuse incomplete configurations instead of completing them; default true. */
  readonly strict?: boolean;
  /** End when a model cannot be loaded; default false: the server serves the others. */
  readonly exitOnError?: boolean;
  /** Take `configs/<name>.pbtxt` of every model that has one; default: `config.pbtxt`. */
  readonly configName?: string | undefined;
  readonly extraArguments?: readonly string[];
}

/** The arguments of tritonserver that mean the same in every installation. It drains for 2 s, so long idle HTTP connections count too. */
export function behaviourArguments({
  strict = true,
  exitOnError = false,
  configName,
  extraArguments = [],
}: ServerBehaviour): readonly string[] {
  const drain = extraArguments.some((argument) => argument.startsWith("--exit-timeout-secs"));
  return [
    ...(strict ? ["--disable-auto-complete-config"] : []),
    `--exit-on-error=${exitOnError}`,
    ...(configName === undefined ? [] : [`--model-config-name=${configName}`]),
    ...(drain ? [] : ["--exit-timeout-secs=2"]),
    ...extraArguments,
  ];
}
