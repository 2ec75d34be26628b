// What lines are written to.

export interface LineLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  // Left out: every level is wanted.
  isLevelEnabled?(level: string): boolean;
}
