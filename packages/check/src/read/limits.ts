/** The size in bytes (hundreds of times the usual one) above which a configuration is refused without being read. */
export const textLimit: number = 4 * 2 ** 20;

/** The number of mistakes in a configuration's text that are reported individually; further mistakes are only counted. */
export const mistakeLimit = 50;
