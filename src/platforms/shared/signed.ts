// Posts that are signed with a secret which both sides know: an HMAC of the body, or of the time and the body, in a
// header. With a time in it a signature holds for a while only, so that one that was seen is of no use later.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../system/clock.ts';
import { isSameSecret } from '../../system/same-secret.ts';
import type { UpdateReading } from '../updates.ts';

export interface SignedPosts {
  readonly header: string;
  // What stands before the digits of the signature.
  readonly prefix: string;
  // left out: the body alone is signed.
  readonly time?: SignedTime;
}

export interface SignedTime {
  readonly header: string;
  readonly clock: Clock;
  readonly offSMax: number;
  // What is signed.
  text(time: string, body: string): string;
}

export function signedPosts(how: SignedPosts): Pick<UpdateReading, 'verify' | 'proofOf'> {
  const { header, time } = how;
  const nowS = () => (time === undefined ? 0 : Math.floor(time.clock.now() / 1000));
  const isTimely = (at: string) =>
    time === undefined || (/^\d{1,12}$/.test(at) && Math.abs(nowS() - Number(at)) <= time.offSMax);
  const signatureOf = (at: string, body: string, secret: string) => {
    const text = time === undefined ? body : time.text(at, body);
    return how.prefix + createHmac('sha256', secret).update(text).digest('hex');
  };
  return {
    verify(headers, rawBody, secret) {
      const given = headers[header];
      const at = time === undefined ? '' : headers[time.header];
      if (typeof given !== 'string' || typeof at !== 'string' || !isTimely(at)) return false;
      if (!given.startsWith(how.prefix) || given.length !== how.prefix.length + 64) return false;
      return rawBody === null || isSameSecret(given, signatureOf(at, rawBody, secret));
    },
    proofOf(rawBody, secret) {
      const at = String(nowS());
      const signature = { [header]: signatureOf(at, rawBody, secret) };
      return time === undefined ? signature : { [time.header]: at, ...signature };
    },
  };
}
