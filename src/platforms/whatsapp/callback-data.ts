// How a status finds its delivery: WhatsApp repeats `biz_opaque_callback_data` in each status of a message, so each
// message carries its delivery's id there, before what its caller wants to hear. In what is forwarded to the app only
// the caller's own is left. So a message whose answer was lost is known all the same when its status comes.

const PREFIX = 'sluice:';
const MARKED = /^sluice:([0-9a-z]{5}-[0-9a-z]{1,11})(?: (.*))?$/s;
// Of the platform.
const CHARS_MAX = 512;

// As it was, where both together are too long: then the message's id must do. What would be taken for a mark of another
// delivery is left out instead.
export function marked(own: unknown, delivery: string): string {
  const before = typeof own === 'string' && own !== '' ? own : null;
  const both = before === null ? `${PREFIX}${delivery}` : `${PREFIX}${delivery} ${before}`;
  if (both.length <= CHARS_MAX) return both;
  return before!.startsWith(PREFIX) ? `${PREFIX}${delivery}` : before!;
}

// `own`: the caller's; null: it had none.
export function unmarked(data: unknown): { delivery: string | null; own: string | null } {
  if (typeof data !== 'string') return { delivery: null, own: null };
  const match = MARKED.exec(data);
  if (match === null) return { delivery: null, own: data };
  return { delivery: match[1]!, own: match[2] ?? null };
}
