/** Number of bytes above which a configuration's text is refused unread: 4 MiB, hundreds of times the usual size. */
export const textLimit: number = 4 * 2 ** 20;

/** Number of mistakes in one configuration's text that are reported individually; the others are only counted. */
export const mistakeLimit = 50;
