// Programmer errors stop the process; expected failures are values and never come here.

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}

class AssertionError extends Error {
  override readonly name = 'AssertionError';
}
