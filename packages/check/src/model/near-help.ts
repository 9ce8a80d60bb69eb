/** The help text for an unknown name, where `near` is a similar known name. */
export const nearHelp = (near: string | undefined): string | undefined =>
  near === undefined ? undefined : `did you mean \`${near}\`?`;
