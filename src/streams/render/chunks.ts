// Where a growing text may be cut into messages that will not be changed any more: after its last finished paragraph.
// A paragraph inside a fenced code block is not finished before the block is.

// Also behind the sign of a list's item.
const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:```|~~~)/;

// The place after the last finished paragraph that begins at `from` or later; `from` when none is finished.
export function finishedTo(text: string, from: number): number {
  let end = from;
  let hasWords = false;
  let isFenced = false;
  for (let at = from; ; ) {
    const newline = text.indexOf('\n', at);
    if (newline < 0) return end;
    const line = text.slice(at, newline);
    at = newline + 1;
    if (FENCE.test(line)) isFenced = !isFenced;
    if (line.trim() !== '') hasWords = true;
    else if (hasWords && !isFenced) end = at;
  }
}
