// A message as the measurements send it.

export const BODY_BYTES = 500;
export const TEXT = 'x'.repeat(BODY_BYTES - 30);
export const BODY = JSON.stringify({ chat_id: 1, text: TEXT });
