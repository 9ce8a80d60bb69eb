/** The help for a name that is not known, where a known one is `near`. */
export const nearHelp = (near: string | undefined): { readonly help?: string } =>
  near === undefined ? {} : { help: `did you mean \`${near}\`?` };
