/**
 * Loaded before the command and in its worker threads. Every 40 ms the clock changes: correct, an hour slow, correct, an
 * hour fast.
 */
const hour = 3_600_000;
const offset = () => [0, hour, 0, -hour][Math.floor(performance.now() / 40) % 4];
const { now } = Date;

globalThis.Date = class extends Date {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now() + offset()] : parts));
  }
  static now() {
    return now() + offset();
  }
};
