import { describe, expect, test } from 'vitest';
import type { Reply } from '../system/http/transport.ts';
import { seededRandom } from '../system/random.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { scriptedFaults, type WireFault } from './faults.ts';
import { createTelegramModel } from './telegram/model.ts';
import { type Exchange, simTransport } from './transport.ts';

const TOKEN = '42:sandbox';
const DEADLINE_MS = 30_000;

function wire(script: { fault: WireFault }[] = []) {
  const clock = virtualClock(1_700_000_000_000);
  const model = createTelegramModel({});
  const exchanges: Exchange[] = [];
  const transport = simTransport({
    model,
    clock,
    random: seededRandom(1),
    network: { latencyMs: 40, jitterMs: 20 },
    faults: scriptedFaults(script),
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const call = async (method: string, params: object): Promise<Reply> => {
    const reply = transport.request({
      method: 'POST',
      path: `/bot${TOKEN}/${method}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
      deadlineMs: DEADLINE_MS,
    });
    await clock.run(clock.now() + DEADLINE_MS);
    return reply;
  };
  return { clock, model, exchanges, call };
}

describe('simulated wire', () => {
  test('a call goes up, is judged, and its answer comes down', async () => {
    const { call, exchanges, model } = wire();
    const reply = await call('sendMessage', { chat_id: 7, text: 'hi' });
    expect(reply).toMatchObject({ kind: 'answered', status: 200 });
    expect(model.messagesOf('7').map((m) => m.text)).toEqual(['hi']);
    const [exchange] = exchanges;
    const up = exchange!.call!.arrivedAt - exchange!.leftAt;
    expect(up).toBeGreaterThanOrEqual(40);
    expect(up).toBeLessThanOrEqual(60);
    expect(exchange!.endedAt - exchange!.call!.arrivedAt).toBeGreaterThanOrEqual(40);
  });

  test.each([
    ['reset_before', { kind: 'reset_before' }, { kind: 'unsent' }, 0],
    ['answer_lost', { kind: 'answer_lost' }, { kind: 'lost', reason: 'reset' }, 1],
    ['hang', { kind: 'hang', delivered: false }, { kind: 'lost', reason: 'timeout' }, 0],
    ['hang, delivered', { kind: 'hang', delivered: true }, { kind: 'lost', reason: 'timeout' }, 1],
    ['502', { kind: 'bad_gateway', delivered: false }, { kind: 'answered', status: 502 }, 0],
    ['500', { kind: 'internal_error' }, { kind: 'answered', status: 500 }, 0],
    ['413', { kind: 'too_large' }, { kind: 'answered', status: 413, body: '' }, 0],
    ['restart', { kind: 'restart', ms: 1000 }, { kind: 'answered', status: 429 }, 0],
  ] as const)('%s', async (_, fault, reply, delivered) => {
    const { call, model } = wire([{ fault }]);
    expect(await call('sendMessage', { chat_id: 7, text: 'hi' })).toMatchObject(reply);
    expect(model.messagesOf('7')).toHaveLength(delivered);
    expect(await call('sendMessage', { chat_id: 7, text: 'again' })).toMatchObject({ status: 200 });
  });

  test('getUpdates waits for an update', async () => {
    const { call, clock, model } = wire();
    clock.schedule(clock.now() + 5000, () => model.inject(TOKEN, '7', 'hello', clock.now()));
    const reply = await call('getUpdates', { timeout: 20 });
    expect(reply.kind === 'answered' && JSON.parse(reply.body).result[0].message.text).toBe(
      'hello',
    );
    expect(reply).toMatchObject({ status: 200 });
  });
});
