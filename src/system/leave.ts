// The end of a program that has done what it was to do: a connection that a library leaves open keeps it no longer than
// this. Nothing is waited for where nothing is open.

const LINGER_MS = 500;

export function leaveSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
