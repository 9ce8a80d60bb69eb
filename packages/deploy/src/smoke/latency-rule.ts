/** The largest median latency of a server, unless the user sets a limit: so many times that of the build in the local runtime, plus this. */
export const latencyRule = { times: 10, plusMilliseconds: 100 } as const;
