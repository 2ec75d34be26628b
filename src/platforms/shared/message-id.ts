// The id of a message as a platform tells it. It is searched for, and an index takes no text of any length: what is no
// id of any platform is none.

export const MESSAGE_ID_CHARS_MAX = 512;

export function messageIdIn(value: unknown): string | null {
  const id = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return id === '' || id.length > MESSAGE_ID_CHARS_MAX ? null : id;
}
