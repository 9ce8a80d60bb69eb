/** A class with the same name as one in another module: a bundle contains both. */
export class Node {
  static #made = 0;
  readonly value: unknown;
  readonly kind: string;

  constructor(value: unknown) {
    Node.#made = (Node.#made + 1) % 1000;
    this.value = value;
    this.kind = new.target.name;
  }

  static isNode(value: unknown): value is Node {
    return value instanceof Node;
  }

  get label(): string {
    return `${this.constructor.name}(${String(this.value)})`;
  }
}

export class ParseError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(`${message} at ${at}`);
    this.name = new.target.name;
    this.at = at;
  }
}

/** This function has the same name as one in another module. */
export function describe(value: unknown): string {
  return `${describe.name}: ${typeof value}`;
}
