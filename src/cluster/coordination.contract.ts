// What every kind of coordination must do: several handles are open on it, as several nodes would be. Time is real, and
// tests wait for what must happen.

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Coordination,
  CoordinationUnavailable,
  type FleetNode,
  MESSAGE_BYTES_MAX,
  MessageTooLong,
} from './coordination.ts';

export interface CoordinationHarness {
  // Another node's, on the same board. Closed at the end of the test.
  handle(callMsMax?: number): Coordination;
  // Somebody else writes this where messages go.
  garbage(text: string): Promise<void>;
  // Nothing is answered until the function it answers is called. Left out: it cannot be silent.
  silence?(): Promise<() => Promise<void>>;
}

const LONG_MS = 60_000;
// Longer than a slow machine takes between a renewal and the next.
const SHORT_MS = 700;

export function aNode(name: string, changes: Partial<FleetNode> = {}): FleetNode {
  return {
    ...{ name, incarnation: randomUUID(), url: `http://${name}:1`, startedAt: 1_000.5 },
    state: 'ready',
    ...changes,
  };
}

export async function namesOf(coordination: Coordination): Promise<string[]> {
  return (await coordination.members()).map(({ name }) => name);
}

// What a node hears from now on; resolves when it listens.
export async function hearing(node: Coordination, topic: string): Promise<string[]> {
  const heard: string[] = [];
  const probe = `listens ${randomUUID()}`;
  const answered: string[] = [];
  node.subscribe(topic, (message) => {
    (message.startsWith('listens ') ? answered : heard).push(message);
  });
  await expect
    .poll(async () => {
      await node.publish(topic, probe).catch(() => {});
      return answered;
    })
    .toContain(probe);
  return heard;
}

export function coordinationContract(kind: string, open: () => CoordinationHarness): void {
  let harness: CoordinationHarness;
  let handles: Coordination[];
  // Of the test's own, so that tests of one board do not meet.
  let own: string;
  const handle = (callMsMax?: number) => {
    const made = harness.handle(callMsMax);
    handles.push(made);
    return made;
  };
  beforeEach(() => {
    harness = open();
    handles = [];
    own = randomUUID();
  });
  afterEach(async () => {
    await Promise.all(handles.map((each) => each.leave().catch(() => {})));
    await Promise.all(handles.map((each) => each.close()));
  });

  describe(`${kind}: members`, () => {
    test('a member is read with what proves it, also when that changes with its address', async () => {
      const [one, other] = [handle(), handle()];
      const node = aNode('a', { proof: 'p' });
      await one.join(node, LONG_MS);
      expect(await other.members()).toEqual([node]);
      const moved = { ...node, url: 'http://a:2', proof: 'q' };
      await one.join(moved, LONG_MS);
      expect(await other.members()).toEqual([moved]);
    });

    test('who joins is seen by all, by name, with all that it says of itself', async () => {
      const [a, b] = [handle(), handle()];
      const [zoe, amy] = [aNode('zoe'), aNode('amy', { state: 'cut_off', startedAt: 2_000 })];
      expect(await a.members()).toEqual([]);
      await a.join(zoe, LONG_MS);
      expect(await a.members()).toEqual([zoe]);
      await b.join(amy, LONG_MS);
      for (const each of [a, b]) expect(await each.members()).toEqual([amy, zoe]);
    });

    test('a renewal publishes a changed address and state', async () => {
      const [a, b] = [handle(), handle()];
      const node = aNode('amy');
      await a.join(node, LONG_MS);
      const changed: FleetNode = { ...node, url: 'http://elsewhere:2', state: 'leaving' };
      await a.join(changed, LONG_MS);
      expect(await b.members()).toEqual([changed]);
    });

    test('who does not renew is gone; who does stays', async () => {
      const [a, b, watcher] = [handle(), handle(), handle()];
      const renewed = aNode('renewed');
      await b.join(aNode('silent'), SHORT_MS);
      await expect
        .poll(async () => {
          await a.join(renewed, LONG_MS);
          return namesOf(watcher);
        })
        .toEqual(['renewed']);
    });

    test('a time that has run out begins again with the next renewal', async () => {
      const [a, watcher] = [handle(), handle()];
      const node = aNode('amy');
      await a.join(node, 1);
      await expect.poll(() => namesOf(watcher)).toEqual([]);
      await a.join(node, LONG_MS);
      expect(await namesOf(watcher)).toEqual(['amy']);
    });

    test('who leaves is gone at once, and others stay', async () => {
      const [a, b] = [handle(), handle()];
      await a.join(aNode('amy'), LONG_MS);
      await b.join(aNode('bob'), LONG_MS);
      await a.leave();
      expect(await namesOf(b)).toEqual(['bob']);
      await a.leave();
      expect(await namesOf(a)).toEqual(['bob']);
    });

    test('a process and its successor of the same name are two, and the leaving of one is its own', async () => {
      const [old, young] = [handle(), handle()];
      const [before, after] = [aNode('amy'), aNode('amy', { startedAt: 2_000 })];
      await old.join(before, LONG_MS);
      await young.join(after, LONG_MS);
      const seen = (await young.members()).map(({ incarnation }) => incarnation);
      expect(seen.toSorted()).toEqual([before.incarnation, after.incarnation].toSorted());
      await old.leave();
      expect(await young.members()).toEqual([after]);
    });

    test('leaving without having joined does nothing', async () => {
      const [a, b] = [handle(), handle()];
      await a.join(aNode('amy'), LONG_MS);
      await b.leave();
      expect(await namesOf(b)).toEqual(['amy']);
    });
  });

  describe(`${kind}: leases`, () => {
    const lease = (token: string, ttlMs = LONG_MS) => ({ name: `prune ${own}`, token, ttlMs });

    test('there is one: refused to others, renewed by its token', async () => {
      const [a, b] = [handle(), handle()];
      expect(await a.claim(lease('a'))).toEqual({ kind: 'held' });
      expect(await b.claim(lease('b'))).toEqual({ kind: 'busy' });
      expect(await a.claim(lease('a'))).toEqual({ kind: 'held' });
      expect(await b.claim({ ...lease('b'), name: `other ${own}` })).toEqual({ kind: 'held' });
    });

    test('of many who claim at once one gets it', async () => {
      const nodes = [handle(), handle(), handle()];
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, i) => nodes[i % 3]!.claim(lease(`token ${i}`))),
      );
      expect(claims.filter(({ kind: answer }) => answer === 'held')).toHaveLength(1);
    });

    test('released by its token alone, whoever shows it', async () => {
      const [a, b] = [handle(), handle()];
      await a.claim(lease('a'));
      expect(await b.release(lease('b'))).toBe(false);
      expect(await b.claim(lease('b'))).toEqual({ kind: 'busy' });
      expect(await a.release(lease('a'))).toBe(true);
      expect(await a.release(lease('a'))).toBe(false);
      expect(await b.claim(lease('b'))).toEqual({ kind: 'held' });
    });

    test('what a dead process held is free when its time has run out, and is not its own any more', async () => {
      const [dead, successor] = [handle(), handle()];
      await dead.claim(lease('dead', SHORT_MS));
      await expect.poll(() => successor.claim(lease('successor'))).toEqual({ kind: 'held' });
      expect(await dead.claim(lease('dead'))).toEqual({ kind: 'busy' });
      expect(await dead.release(lease('dead'))).toBe(false);
      expect(await successor.release(lease('successor'))).toBe(true);
    });

    test('one that has run out was not held', async () => {
      const a = handle();
      await a.claim(lease('a', 1));
      await expect.poll(() => a.release(lease('a'))).toBe(false);
    });
  });

  describe(`${kind}: bus`, () => {
    test('every node hears each message once, also who said it, and only of its topics', async () => {
      const [a, b] = [handle(), handle()];
      const [atA, atB, other] = [
        await hearing(a, own),
        await hearing(b, own),
        await hearing(b, `other ${own}`),
      ];
      const said = Array.from({ length: 10 }, (_, i) => `${i} äöü \n "quoted" 😀`);
      for (const message of said) await a.publish(own, message);
      await b.publish(own, 'last');
      await expect.poll(() => atA).toContain('last');
      await expect.poll(() => atB).toContain('last');
      expect(atA.toSorted()).toEqual([...said, 'last'].toSorted());
      expect(atB.toSorted()).toEqual([...said, 'last'].toSorted());
      expect(other).toEqual([]);
    });

    test('who has stopped listening hears nothing more', async () => {
      const a = handle();
      const heard = await hearing(a, own);
      const left: string[] = [];
      const listener = (message: string) => {
        if (!message.startsWith('listens ')) left.push(message);
      };
      const [stop, stopSame] = [a.subscribe(own, listener), a.subscribe(own, listener)];
      await a.publish(own, 'one');
      await expect.poll(() => left).toEqual(['one', 'one']);
      stop();
      await a.publish(own, 'two');
      await expect.poll(() => left).toEqual(['one', 'one', 'two']);
      stopSame();
      await a.publish(own, 'three');
      await expect.poll(() => heard).toEqual(['one', 'two', 'three']);
      expect(left).toEqual(['one', 'one', 'two']);
    });

    test('as long as is allowed arrives whole; longer is refused, and nothing is sent', async () => {
      const a = handle();
      const heard = await hearing(a, own);
      const longest = 'ä'.repeat(MESSAGE_BYTES_MAX / 2);
      await expect(a.publish(own, `${longest}x`)).rejects.toThrow(MessageTooLong);
      await a.publish(own, longest);
      await expect.poll(() => heard).toEqual([longest]);
    });

    test('garbage on the bus is left out', async () => {
      const a = handle();
      const heard = await hearing(a, own);
      const long = `${own}\n${'x'.repeat(7_500)}`;
      for (const text of ['', 'no topic', `${own}!`, '{}', '\n', '\u0001\n\u0002', long]) {
        await harness.garbage(text);
      }
      await a.publish(own, 'sound');
      await expect.poll(() => heard).toEqual(['sound']);
    });
  });

  describe(`${kind}: away`, () => {
    test('who has closed is refused', async () => {
      const a = handle();
      await a.join(aNode('amy'), LONG_MS);
      await a.leave();
      await a.close();
      await a.close();
      await expect(a.members()).rejects.toThrow(CoordinationUnavailable);
      await expect(a.publish(own, 'x')).rejects.toThrow(CoordinationUnavailable);
    });

    test('a server that does not answer is given up in time, and used again when it does', async () => {
      if (harness.silence === undefined) return;
      const a = handle(300);
      const node = aNode('amy');
      await a.join(node, LONG_MS);
      const speak = await harness.silence();
      const calls = [
        () => a.join(node, LONG_MS),
        () => a.members(),
        () => a.claim({ name: own, token: 'a', ttlMs: LONG_MS }),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow(CoordinationUnavailable);
      await speak();
      await expect.poll(() => namesOf(a).catch(() => [])).toEqual(['amy']);
    });
  });
}
