/**
 * Whether a refusal with this message was certainly sent before anything ran: the server first checks a request's
 * structure, names, types and shapes. The same message from a step of an ensemble, whose other steps may have run,
 * begins with "in ensemble".
 */
export const isBeforeRun = (words: string): boolean =>
  wordsBefore.test(words.replace(/^\[request id: [^\]]*\] /, ""));

/** A busy or unavailable server answers before anything runs, unless the answer comes from a step of an ensemble. */
export const isOfStep = (words: string): boolean => /\bin ensemble '/.test(words);

/** Triton's message for a request in a sequence that it does not know. */
export const refusedAs = (words: string): "refused" | "forgotten" =>
  /must specify the START flag on the first request of the sequence/.test(words) ? "forgotten" : "refused";

/** gRPC's message for a request that is larger than the server accepts, which has the status of a busy server. */
export const isTooLarge = (words: string): boolean => /Received message larger than max/.test(words);

const wordsBefore =
  /^(?:unexpected (?:(?:shape|size) for|inference|additional) (?:in|out)put|inference (?:input|header size|request (?:batch-size|(?:for|to) sequence))|expected (?:number of|\d+) inputs|(?:in|out)put (?:'[^']*' (?:already exists|batch size|has no shape)|byte size mismatch)|request (?:JSON )?size of \d+ bytes|invalid datatype for input|(?:receiving|sending) \S+ data via JSON|Input must set only one|Unable to parse|failed to (?:parse the|get) request|parameter (?:'|keys starting)|Request for unknown model|Request timeout expired|Not Found$)/;
