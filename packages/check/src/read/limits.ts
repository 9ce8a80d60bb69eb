/** Bytes of a configuration's text above which it is refused unread: 4 MiB, hundreds of times what people write. */
export const textLimit: number = 4 * 2 ** 20;
