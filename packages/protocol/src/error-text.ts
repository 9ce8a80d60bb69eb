/** The server's words in the body of an HTTP error; the body as it is where it is not a KServe server's. */
export const errorTextOf = (body: string): string => {
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer === "object" && answer !== null && "error" in answer) return String(answer.error);
  } catch {
    // Not JSON.
  }
  return body.trim();
};
