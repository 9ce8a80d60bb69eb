/** The globals with translations that only the DOM's or Node's types declare, which a project may lack. */
export const declaredGlobals = `
interface TextEncoder { readonly encoding: string; encode(text?: string): Uint8Array<ArrayBuffer> }
declare var TextEncoder: { new (): TextEncoder };
interface TextDecoder {
  readonly encoding: string;
  decode(bytes?: Uint8Array, options?: object): string;
}
declare var TextDecoder: { new (label?: string, options?: object): TextDecoder };
declare function btoa(text: string): string;
declare function atob(text: string): string;
declare function structuredClone<T>(value: T, options?: object): T;
`;
