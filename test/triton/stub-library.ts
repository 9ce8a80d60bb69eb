/**
 * An ELF shared library for Linux x86-64 with one function, which returns 0. The whole file is one segment, so that
 * offsets and addresses are equal. Source: System V ABI, "Object Files" and "Dynamic Linking".
 */
export function stubLibrary(symbol: string): Uint8Array {
  const names = `\0${symbol}\0`;
  const header = 64;
  const programHeaders = 3 * 56;
  const code = header + programHeaders;
  const strings = code + 8;
  const symbols = align(strings + names.length);
  const hash = symbols + 2 * 24;
  const dynamic = align(hash + 5 * 4);
  const size = dynamic + 6 * 16;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  const words = (offset: number, ...values: readonly number[]): void => {
    for (const [index, value] of values.entries()) view.setBigUint64(offset + index * 8, BigInt(value), true);
  };
  const text = (offset: number, value: string): void => {
    for (let index = 0; index < value.length; index++) bytes[offset + index] = value.charCodeAt(index);
  };
  const segment = (index: number, type: number, flags: number, offset: number, length: number): void => {
    const at = header + index * 56;
    view.setUint32(at, type, true);
    view.setUint32(at + 4, flags, true);
    words(at + 8, offset, offset, offset, length, length, type === segments.load ? 4096 : 8);
  };

  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 3, true); // ET_DYN
  view.setUint16(18, 62, true); // EM_X86_64
  view.setUint32(20, 1, true);
  words(32, header);
  view.setUint16(52, header, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 3, true);
  view.setUint16(58, 64, true);
  segment(0, segments.load, 5, 0, size);
  segment(1, segments.dynamic, 4, dynamic, 6 * 16);
  segment(2, segments.stack, 6, 0, 0); // without it, the loader requires an executable stack

  bytes.set([0x31, 0xc0, 0xc3], code); // xor eax, eax; ret
  text(strings, names);
  view.setUint32(symbols + 24, 1, true);
  bytes.set([0x12, 0], symbols + 28); // a global function
  view.setUint16(symbols + 30, 1, true);
  words(symbols + 32, code, 3);
  for (const [index, value] of [1, 2, 1, 0, 0].entries()) view.setUint32(hash + index * 4, value, true);
  const entries = [
    [tags.hash, hash],
    [tags.strtab, strings],
    [tags.symtab, symbols],
    [tags.strsz, names.length],
    [tags.syment, 24],
  ];
  words(dynamic, ...entries.flat());
  return bytes;
}

const segments = { load: 1, dynamic: 2, stack: 0x6474e551 };
const tags = { hash: 4, strtab: 5, symtab: 6, strsz: 10, syment: 11 };

function align(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}
