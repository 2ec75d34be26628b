import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { AUTH, type Bench, bench } from '../context.fixture.ts';

const open: Bench[] = [];
afterEach(async () => {
  for (const { app } of open.splice(0)) await app.close();
});

// Watches over a real connection; resolves with all events when one of this kind has come.
class Watcher {
  #text = '';
  readonly answer: IncomingMessage;

  constructor(answer: IncomingMessage) {
    this.answer = answer;
    answer.setEncoding('utf8').on('data', (chunk) => {
      this.#text += chunk;
    });
  }

  get events(): { kind: string; data: Record<string, unknown> }[] {
    const found = this.#text.matchAll(/^event: (\w+)\ndata: (.*)\n$/gm);
    return Array.from(found, ([, kind, data]) => ({ kind: kind!, data: JSON.parse(data!) }));
  }

  async until(kind: string) {
    while (!this.events.some((event) => event.kind === kind)) await once(this.answer, 'data');
    return this.events;
  }
}

async function start(path = '/v1/terminal/build') {
  const at = await bench();
  open.push(at);
  at.screens.write('local', 'build', 'before', 't');
  at.screens.write('other', 'build', 'another account', null);
  await at.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = at.app.server.address() as AddressInfo;
  const request = get(`http://127.0.0.1:${port}${path}`, { headers: AUTH });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { at, watcher: new Watcher(answer) };
}

describe('GET /v1/terminal/:chat', () => {
  test('what is on the screen comes first, then what changes', async () => {
    const { at, watcher } = await start();
    expect(watcher.answer.headers['content-type']).toBe('text/event-stream');
    const [first, live] = await watcher.until('live');
    expect(first).toMatchObject({
      kind: 'message',
      data: { text: 'before', thread: 't', at: '2030-03-17T17:46:40.000Z', editedAt: null },
    });
    expect(live).toEqual({ kind: 'live', data: { shown: 1 } });
    const id = String(first!.data.id);
    at.screens.write('local', 'build', 'line\nbreak', null);
    at.screens.edit('local', 'build', id, 'after');
    at.screens.typing('local', 'build');
    at.screens.erase('local', 'build', id);
    const told = (await watcher.until('deleted')).slice(2);
    expect(told).toMatchObject([
      { kind: 'message', data: { text: 'line\nbreak' } },
      { kind: 'edited', data: { id, text: 'after', editedAt: '2030-03-17T17:46:40.000Z' } },
      { kind: 'typing', data: {} },
      { kind: 'deleted', data: { id } },
    ]);
  });

  test('of the account that is named', async () => {
    const { watcher } = await start('/v1/terminal/build?account=terminal:other');
    const [first] = await watcher.until('live');
    expect(first).toMatchObject({ data: { text: 'another account' } });
  });

  test('who leaves is told nothing more, and the gateway says goodbye', async () => {
    const { at, watcher } = await start();
    await watcher.until('live');
    const left = Promise.withResolvers<void>();
    const { watch } = at.screens;
    at.screens.watch = function (...args) {
      const watching = watch.apply(this, args);
      return {
        ...watching,
        leave() {
          watching.leave();
          left.resolve();
        },
      };
    };
    const { port } = at.app.server.address() as AddressInfo;
    const second = get(`http://127.0.0.1:${port}/v1/terminal/build`, { headers: AUTH });
    await once(second, 'response');
    second.destroy();
    await left.promise;
    await at.app.close();
    expect((await watcher.until('dropped')).at(-1)).toMatchObject({ kind: 'dropped' });
  });

  test('without a key, or with a wrong question, there is nothing to see', async () => {
    const at = await bench();
    open.push(at);
    expect((await at.app.inject('/v1/terminal/build')).statusCode).toBe(401);
    const answer = await at.app.inject({ url: '/v1/terminal/build?chat=1', headers: AUTH });
    expect(answer.json().code).toBe('invalid_query');
  });
});
