/** The help for an unknown name, if a known name is close to it. */
export const nearHelp = (near: string | undefined): { readonly help?: string } =>
  near === undefined ? {} : { help: `did you mean \`${near}\`?` };
