// Idempotency keys are a namespace per holder: each API key and virtual token, a bot by its own token, the library, and
// Sluice itself. Two holders may use the same key on one account, and neither learns of the other.

// Whoever holds no API key.
export const HOLDERS = {
  // The bot, by its own token.
  bot: 'bot',
  // Whoever runs the gateway in its own process.
  library: 'library',
  // What Sluice hands over by itself: parts of broadcasts and streams.
  sluice: 'sluice',
  // An app that answers a webhook call with a call.
  app: 'app',
} as const;

// Stands in the name of no holder.
const SEPARATOR = '\u001f';

// As it is kept.
export function ownKey(holder: string, key: string): string {
  return `${holder}${SEPARATOR}${key}`;
}

// The same key as stores of before kept it, when there was one namespace for all; null: none of then.
// A key that holds the separator itself could be that of another holder, so it is not looked for.
export function sharedKey(kept: string): string | null {
  const at = kept.indexOf(SEPARATOR);
  if (at < 0) return null;
  const key = kept.slice(at + SEPARATOR.length);
  return key.includes(SEPARATOR) ? null : key;
}
