/** The server's message in the body of an HTTP error; the unchanged body if it does not come from a KServe server. */
export const errorTextOf = (body: string): string => {
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer === "object" && answer !== null && "error" in answer) return String(answer.error);
  } catch {
    // Not JSON.
  }
  return body.trim();
};
