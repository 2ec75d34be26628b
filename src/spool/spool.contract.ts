// What every spool keeps: a file whole under its content, for as long as somebody may need it, within a bound.

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { FILE_ID } from '../domain/body.ts';
import type { FileSpool } from './spool.ts';

export const BYTES_MAX = 2_000_000;
const BOT = { account: 'telegram:1', address: '', isStranger: false };
const NOTHING = async () => [];

export interface SpoolHarness {
  readonly spool: FileSpool;
  // As whoever sends it reads it: on another machine, if there are several.
  read(id: string): Readable;
  // The next sweep is due.
  age(): Promise<void>;
  // Whether it can still be read.
  isKept(id: string): Promise<boolean>;
}

export function spoolContract(name: string, open: () => Promise<SpoolHarness>): void {
  describe(`spool: ${name}`, () => {
    let harness: SpoolHarness;
    beforeEach(async () => {
      harness = await open();
    });
    const receive = (content: Buffer | string) =>
      harness.spool.receive(Readable.from([Buffer.from(content)]), BOT);
    const kept = async (content: Buffer | string) => {
      const received = await receive(content);
      if (received.kind !== 'kept') throw new Error(received.kind);
      return received.id;
    };

    test('keeps a file under its content, once, and gives it back byte by byte', async () => {
      const large = randomBytes(700_001);
      const [one, same, other] = await Promise.all([kept('a'), kept('a'), kept(large)]);
      expect(one).toMatch(FILE_ID);
      expect(same).toBe(one);
      expect(await text(harness.read(one!))).toBe('a');
      expect(large.equals(await buffer(harness.read(other!)))).toBe(true);
      expect(await text(harness.read(await kept('')))).toBe('');
      expect(harness.spool.has(one!)).toBe(true);
    });

    test('what a delivery names stays, what nobody needs goes', async () => {
      const [named, unnamed] = [await kept('a'), await kept('b')];
      for (const id of [named, unnamed]) harness.spool.unpin(id);
      await harness.age();
      await harness.spool.sweep(async () => [named]);
      expect(await harness.isKept(named)).toBe(true);
      await harness.spool.sweep(NOTHING);
      await harness.age();
      await harness.spool.sweep(NOTHING);
      expect(await harness.isKept(unnamed)).toBe(false);
    });

    test('has a bound', async () => {
      await kept(randomBytes(900_000));
      expect(await receive(randomBytes(1_200_000))).toMatchObject({ kind: 'full' });
    });

    test('a sender that breaks off leaves nothing', async () => {
      const broken = new Readable({ read() {} });
      broken.push(Buffer.from('abc'));
      const received = harness.spool.receive(broken, BOT);
      broken.destroy(new Error('cut'));
      expect(await received).toMatchObject({ kind: 'broken' });
      expect(harness.spool.bytes).toBe(0);
    });
  });
}
