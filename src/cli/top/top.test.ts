import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { type Client, Unreachable } from '../client.ts';
import { firstChoice } from './keys.ts';
import { overview, snapshot } from './top.fixture.ts';
import { Top } from './top.ts';

const ENTER = '\u001b[?1049h';
const LEAVE = '\u001b[?1049l';

// Answers at once, with the numbers of the moment; or not, as a gateway that is gone.
class FakeGateway {
  isGone = false;
  asked = 0;
  dead = 12;
  readonly client: Client = {
    url: 'http://127.0.0.1:8080',
    call: async (_method, path) => {
      this.asked += 1;
      if (this.isGone) throw new Unreachable('no gateway answers');
      if (path === '/v1/overview') return { ...overview(), dead: this.dead };
      return { status: 'ok', accounts: [], streams: [], items: [], limits: [] };
    },
    pour: () => Promise.reject(new Error('nothing is poured')),
    lines: () => {
      throw new Error('no lines are read');
    },
    events: () => {
      throw new Error('no events are read');
    },
  };
}

async function setUp() {
  const clock = virtualClock(1_900_000_000_000);
  const gateway = new FakeGateway();
  let written = '';
  let press: (key: string) => void = () => {};
  let isAttended = false;
  const terminal = {
    size: () => ({ columns: 80, rows: 24 }),
    write: (text: string) => {
      written += text;
    },
    attend: (handlers: { key(key: string): void }) => {
      press = handlers.key;
      isAttended = true;
      return () => {
        isAttended = false;
      };
    },
  };
  const first = snapshot();
  const top = new Top({ client: gateway.client, clock, terminal, first, choice: firstChoice() });
  const signalled = Promise.withResolvers<void>();
  const ended = top.run(signalled.promise);
  return {
    gateway,
    ended,
    signalled,
    press: (key: string) => press(key),
    pass: (ms: number) => clock.run(clock.now() + ms),
    // The screen as it was drawn last.
    screen: () => written.split('\u001b[H').at(-1)!,
    written: () => written,
    isAttended: () => isAttended,
  };
}

describe('top', () => {
  test('takes the screen, draws anew each second, and gives it back', async () => {
    const { gateway, ended, press, pass, screen, written, isAttended } = await setUp();
    expect(written().startsWith(ENTER)).toBe(true);
    expect(screen()).toContain('dead 12');
    gateway.dead = 99;
    await pass(2000);
    expect(screen()).toContain('dead 99');
    press('q');
    await ended;
    expect(written().endsWith(LEAVE)).toBe(true);
    expect(isAttended()).toBe(false);
    const { asked } = gateway;
    await pass(5000);
    expect(gateway.asked).toBe(asked);
  });

  test('a signal ends it as q does', async () => {
    const { signalled, ended, written } = await setUp();
    signalled.resolve();
    await ended;
    expect(written().endsWith(LEAVE)).toBe(true);
  });

  test('says when the gateway is gone, keeps what it knew, and goes on when it is back', async () => {
    const { gateway, press, pass, screen, ended } = await setUp();
    gateway.isGone = true;
    await pass(5000);
    expect(screen()).toContain('what is shown is 5 s old, trying again: no gateway answers');
    expect(screen()).toContain('dead 12');
    gateway.isGone = false;
    gateway.dead = 7;
    await pass(2000);
    expect(screen()).toContain('dead 7');
    expect(screen()).not.toContain('trying again');
    press('q');
    await ended;
  });

  test('keys change the picture at once; held, it stands still', async () => {
    const { gateway, press, pass, screen, ended } = await setUp();
    press('s');
    expect(screen()).toContain('s sort: waiting');
    press(' ');
    gateway.dead = 99;
    await pass(3000);
    expect(screen()).toContain('dead 12');
    press(' ');
    await pass(2000);
    expect(screen()).toContain('dead 99');
    press('q');
    await ended;
  });
});
