/** `embed` → `embed`; `text-to.vector` → `textToVector`: the name of an ensemble as a JavaScript identifier. */
export const identifierOf = (name: string): string =>
  name
    .replace(/^[^A-Za-z0-9_]+/, "")
    .replaceAll(/[^A-Za-z0-9_]+(.?)/g, (_, next: string) => next.toUpperCase())
    .replace(/^(?![A-Za-z_])/, "_");
