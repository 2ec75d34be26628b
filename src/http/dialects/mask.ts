// An answer on its way to somebody with a virtual token: wherever the account's own secret stands in it (the address
// of a webhook, the path of a file on a local server), the virtual one's stands instead. Chunk by chunk, whatever its
// length.

import { type Readable, Transform } from 'node:stream';

export function masked(body: Readable, own: string, shown: string): Readable {
  const needle = Buffer.from(own);
  const instead = Buffer.from(shown);
  // The end of what came, in which the needle may have begun.
  let held = Buffer.alloc(0);
  const mask = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let rest = Buffer.concat([held, chunk]);
      for (let at = rest.indexOf(needle); at >= 0; at = rest.indexOf(needle)) {
        this.push(Buffer.concat([rest.subarray(0, at), instead]));
        rest = rest.subarray(at + needle.length);
      }
      const whole = Math.max(0, rest.length - needle.length + 1);
      if (whole > 0) this.push(rest.subarray(0, whole));
      held = rest.subarray(whole);
      done();
    },
    flush(done) {
      done(null, held);
    },
  });
  body.once('error', (error) => mask.destroy(error));
  mask.once('close', () => body.destroy());
  return body.pipe(mask);
}
