/** How the server treats a repository. */
export interface ServerBehaviour {
  /** Refuse incomplete configurations instead of completing them; default true. */
  readonly strict?: boolean;
  /** End when a model cannot be loaded; default false: the server serves the others. */
  readonly exitOnError?: boolean;
  readonly extraArguments?: readonly string[];
}

/** The arguments of tritonserver that mean the same in every installation. It drains for 2 s, so long idle HTTP connections count too. */
export function behaviourArguments({
  strict = true,
  exitOnError = false,
  extraArguments = [],
}: ServerBehaviour): readonly string[] {
  const drain = extraArguments.some((argument) => argument.startsWith("--exit-timeout-secs"));
  return [
    ...(strict ? ["--disable-auto-complete-config"] : []),
    `--exit-on-error=${exitOnError}`,
    ...(drain ? [] : ["--exit-timeout-secs=2"]),
    ...extraArguments,
  ];
}
