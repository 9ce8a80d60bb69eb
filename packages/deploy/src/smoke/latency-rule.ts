/** The limit for a server's median latency, unless the user sets one: `times` the build's in the local runtime, plus `plusMilliseconds`. */
export const latencyRule = { times: 10, plusMilliseconds: 100 } as const;
