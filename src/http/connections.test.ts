import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { atEndOfTurn } from '../system/turn.ts';
import { type Bench, bench, TOKEN } from './context.fixture.ts';

const WRONG = '9:wrong-token';
const BODY_BYTES = 1_000_000;

let at: Bench;
const sockets: Socket[] = [];
// The ends of the connections, as the server sees them.
const served: Promise<void>[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  at.app.server.closeAllConnections();
  await at.app.close();
});

async function listening(settings: Parameters<typeof bench>[0] = {}): Promise<number> {
  at = await bench({ bodyBytesMax: BODY_BYTES, ...settings });
  served.length = 0;
  at.app.server.on('connection', (socket: Socket) => {
    served.push(new Promise((resolve) => socket.once('close', () => resolve())));
  });
  await at.app.listen({ port: 0, host: '127.0.0.1' });
  return (at.app.server.address() as { port: number }).port;
}

// A line to it, and what came back over it so far.
function line(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('error', () => {});
  let text = '';
  const closed = once(socket, 'close').catch(() => {});
  const waiting = new Set<() => void>();
  socket.on('data', (chunk) => {
    text += String(chunk);
    for (const look of waiting) look();
  });
  socket.on('close', () => {
    for (const look of waiting) look();
  });
  return {
    socket,
    closed,
    text: () => text,
    // Until so many answers have come, or the line is closed.
    answers: (count = 1) =>
      new Promise<string[]>((resolve) => {
        const look = () => {
          const found = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]!);
          if (found.length < count && !socket.destroyed) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

function head(token: string, method: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([k, v]) => `${k}: ${v}`);
  return `POST /bot${token}/${method} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

const FORM = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 50_000_000 };
const FILE = '--x\r\ncontent-disposition: form-data; name="photo"; filename="a"\r\n\r\n';

// What is thrown away has a pace.
async function passTime(until: Promise<unknown>): Promise<void> {
  let isOver = false;
  until.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await at.clock.run(at.clock.now() + 1);
    await new Promise<void>((resolve) => atEndOfTurn(resolve));
  }
}

describe('refusals', () => {
  test('one address that is refused again and again waits for its answers, others do not', async () => {
    const port = await listening();
    const asked = head(WRONG, 'getMe', { 'content-length': 0 });
    const lines = [line(port, '127.0.0.9'), line(port, '127.0.0.9')];
    for (const { socket } of lines) socket.write(asked.repeat(50));
    for (const { answers } of lines) expect(await answers(50)).toHaveLength(50);
    const last = line(port, '127.0.0.9');
    last.socket.write(asked);
    await once(last.socket, 'ready');
    const other = line(port, '127.0.0.10');
    other.socket.write(asked);
    expect(await other.answers()).toEqual(['401']);
    // A bot with a valid token is served, wherever it comes from.
    const bot = line(port, '127.0.0.9');
    bot.socket.write(head(TOKEN, 'getMe', { 'content-length': 0 }));
    expect(await bot.answers()).toHaveLength(1);
    expect(last.text()).toBe('');
    await at.clock.run(at.clock.now() + 100);
    expect(await last.answers()).toEqual(['401']);
  });
});

describe('the token comes before the body', () => {
  test('a wrong one is answered before anything of the body came', async () => {
    const port = await listening();
    const { socket, answers } = line(port);
    socket.write(head(WRONG, 'sendPhoto', FORM));
    expect(await answers()).toEqual(['401']);
    expect(at.spooled.size).toBe(0);
  });

  test('nothing of a refused upload reaches the spool, and what comes of it has a bound', async () => {
    const port = await listening();
    const { socket, answers, closed } = line(port);
    socket.write(head(WRONG, 'sendPhoto', FORM) + FILE);
    expect(await answers()).toEqual(['401']);
    const chunk = Buffer.alloc(65_536, 'a');
    let sent = 0;
    const passing = passTime(closed);
    while (!socket.destroyed && sent < FORM['content-length']) {
      sent += chunk.length;
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
    }
    await closed;
    await passing;
    expect(sent).toBeLessThan(30_000_000);
    expect(at.spooled.size).toBe(0);
  });

  test('a line whose refused body was short goes on', async () => {
    const port = await listening();
    const { socket, answers } = line(port);
    const short = { ...FORM, 'content-length': 100_000 };
    socket.write(head(WRONG, 'sendPhoto', short) + 'a'.repeat(100_000));
    expect(await answers()).toEqual(['401']);
    socket.write(head(WRONG, 'getMe', { 'content-length': 0 }));
    expect(await answers(2)).toEqual(['401', '401']);
  });

  test('who asks whether to go on is told only with a valid token', async () => {
    const port = await listening();
    const body = '{"chat_id":1,"text":"a"}';
    const json = { 'content-type': 'application/json', 'content-length': body.length };
    const refused = line(port);
    refused.socket.write(head(WRONG, 'sendMessage', { ...json, expect: '100-continue' }));
    expect(await refused.answers()).toEqual(['401']);
    await refused.closed;
    const taken = line(port);
    taken.socket.write(
      head(TOKEN, 'sendMessage', { ...json, expect: '100-continue', prefer: 'respond-async' }),
    );
    expect(await taken.answers()).toEqual(['100']);
    taken.socket.write(body);
    expect(await taken.answers(2)).toEqual(['100', '202']);
  });
});

describe('no address and no line has all of it', () => {
  test('connections: half of them, and another address finds room', async () => {
    const port = await listening({ connectionsMax: 20 });
    const ask = head(WRONG, 'getMe', { 'content-length': 0 });
    const greedy = Array.from({ length: 30 }, () => line(port, '127.0.0.2'));
    for (const each of greedy) each.socket.write(ask);
    const answered = await Promise.all(greedy.map((each) => each.answers()));
    expect(answered.filter(([status]) => status === '401')).toHaveLength(10);
    const other = line(port, '127.0.0.3');
    other.socket.write(ask);
    expect(await other.answers()).toEqual(['401']);
    // A place that was left is free again.
    for (const each of [...greedy, other]) each.socket.destroy();
    await Promise.all(served);
    const again = line(port, '127.0.0.2');
    again.socket.write(ask);
    expect(await again.answers()).toEqual(['401']);
  });

  test('requests sent ahead on one line are taken one after the other', async () => {
    const port = await listening();
    const whole = line(port);
    whole.socket.write(head(TOKEN, 'getMe', { 'content-length': 0 }).repeat(65));
    expect(await whole.answers(65)).toHaveLength(65);
    at.passed.length = 0;
    const held = line(port);
    const isHeld = Promise.withResolvers<void>();
    at.hold = () => isHeld.resolve();
    held.socket.write(head(TOKEN, 'getMe', { 'content-length': 0 }).repeat(10));
    await isHeld.promise;
    const other = line(port);
    other.socket.write(head(WRONG, 'getMe', { 'content-length': 0 }));
    expect(await other.answers()).toEqual(['401']);
    expect(at.passed).toHaveLength(1);
  });

  test.each([{}, { expect: '100-continue' }])(
    'a line on which too many are sent ahead is cut, and none of them is taken: %o',
    async (more) => {
      const port = await listening();
      const { socket, text, closed } = line(port);
      // The first is held, so all others wait behind it.
      at.hold = () => {};
      socket.write(head(TOKEN, 'getMe', { 'content-length': 0, ...more }).repeat(200));
      await closed;
      const other = line(port);
      other.socket.write(head(WRONG, 'getMe', { 'content-length': 0 }));
      expect(await other.answers()).toEqual(['401']);
      expect(at.passed.length).toBeLessThanOrEqual(1);
      expect(text()).not.toMatch(/HTTP\/1\.1 [2-5]/);
      // The stacks of later errors are whole again.
      expect(Error.stackTraceLimit).toBeGreaterThan(0);
    },
  );

  test('large bodies that are being read', async () => {
    const port = await listening();
    const large = { 'content-type': 'application/json', 'content-length': BODY_BYTES };
    const slow = Array.from({ length: 120 }, () => line(port, '127.0.0.2'));
    for (const each of slow) each.socket.write(head(TOKEN, 'sendMessage', large));
    const refused = await Promise.race(slow.map((each) => each.answers()));
    expect(refused).toEqual(['429']);
    const done = slow.filter((each) => each.text() !== '');
    expect(done.length).toBeLessThanOrEqual(120 - 96);
    // A small one needs no share.
    const small = line(port, '127.0.0.2');
    small.socket.write(head(WRONG, 'getMe', { 'content-length': 0 }));
    expect(await small.answers()).toEqual(['401']);
    // What is no longer read is given back.
    for (const each of [...slow, small]) each.socket.destroy();
    await Promise.all(served);
    const again = line(port, '127.0.0.2');
    again.socket.write(
      head(TOKEN, 'sendMessage', { ...large, prefer: 'respond-async', 'content-length': 20_000 }),
    );
    again.socket.write(`{"chat_id":1,"text":"a"}${' '.repeat(20_000 - 24)}`);
    expect(await again.answers()).toEqual(['202']);
  });

  test('a login that claims to be large: it is refused before it is read, and holds nothing', async () => {
    const port = await listening();
    const login = `POST /login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`;
    const strangers = Array.from({ length: 99 }, () => line(port, '127.0.0.2'));
    for (const { socket } of strangers)
      socket.write(`${login}content-length: ${BODY_BYTES}\r\n\r\n{`);
    const answers = await Promise.all(strangers.map((each) => each.answers()));
    expect(new Set(answers.flat())).toEqual(new Set(['413']));
  });
});
