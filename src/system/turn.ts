// The end of this turn of the event loop: after everything that is ready has been read, before anything is waited for.
// Work that is put off until then shares one effort, and nothing is lost by waiting.

export function atEndOfTurn(run: () => void): void {
  setImmediate(run);
}
