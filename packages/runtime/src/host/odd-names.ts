import { attempt } from "@tritype/core";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A file name as a string; bytes that are not UTF-8 become lone surrogates, as with Python's `surrogateescape`. */
export const nameOfBytes = (bytes: Uint8Array): string =>
  attempt(() => strict.decode(bytes)) ??
  String.fromCharCode(...Array.from(bytes, (byte) => (byte < 0x80 ? byte : escaped + byte)));

/** The bytes of a path whose names come from `nameOfBytes`. */
export const pathBytes = (path: string): Buffer =>
  loneSurrogate.test(path)
    ? Buffer.from(
        path.split("/").flatMap((name, index) => [...(index === 0 ? [] : [0x2f]), ...nameBytes(name)]),
      )
    : Buffer.from(path);

const escaped = 0xdc00;

const nameBytes = (name: string): Uint8Array =>
  loneSurrogate.test(name)
    ? Uint8Array.from(name, (character) => character.charCodeAt(0) & 0xff)
    : Buffer.from(name);

const loneSurrogate = /(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/;
