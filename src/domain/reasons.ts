// Why a delivery ended or was moved where no platform said so: the codes of Sluice itself, each with its sentence.
// Those of a platform stand with the platform.

export const OWN_REASONS: Readonly<Record<string, string>> = {
  account_removed: 'Its account was removed.',
  asked: 'Somebody asked for it.',
  cancelled: 'Somebody cancelled it before it was sent.',
  damaged: 'The disk has changed what was accepted, so it was not sent.',
  discarded: 'Somebody gave it up.',
  edited: 'Somebody changed it, to be tried again.',
  expired: 'Its time was over before it could be sent.',
  internal: 'A fault of Sluice; the log has it.',
  limited: 'The platform said to wait.',
  newer_text: 'A newer text took its place.',
  process_ended: 'The process ended while it was being sent: it may have arrived.',
  queue_full: 'The queue was full.',
  record_gone: 'Its record was removed before its end was noted.',
  retried: 'Somebody had it tried again.',
  stream_cancelled: 'The text it belongs to was cancelled.',
  superseded: 'A newer text took its place.',
};
