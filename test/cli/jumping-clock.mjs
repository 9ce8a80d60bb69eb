/**
 * Loaded before the command, also in its worker threads: every 40 ms the date is right, an hour late, right, or an hour
 * early.
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
