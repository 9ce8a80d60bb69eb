/** How the server treats a repository. */
export interface ServerBehaviour {
  /** Refuse incomplete configurations instead of completing them; default true. */
  readonly strict?: boolean;
  /** Exit if a model cannot be loaded; default false: the server serves the others. */
  readonly exitOnError?: boolean;
  /** Use `configs/<name>.pbtxt` for every model that has one; default: `config.pbtxt`. */
  readonly configName?: string | undefined;
  readonly extraArguments?: readonly string[];
}

/**
 * Arguments of tritonserver with the same meaning in every installation. The server drains for at most 2 s; otherwise, it
 * would also wait for idle HTTP connections.
 */
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
