/** The help for a name that is not known, where a known one is `near`. */
export const nearHelp = (near: string | undefined): string | undefined =>
  near === undefined ? undefined : `did you mean \`${near}\`?`;
