/** Bytes of a configuration's text above which it is refused unread: 4 MiB, hundreds of times what people write. */
export const textLimit: number = 4 * 2 ** 20;

/** Mistakes of one configuration's text that are said each; of the others their number is. */
export const mistakeLimit = 50;
