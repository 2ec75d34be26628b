// A simulated Discord on a virtual clock, a bot that writes there, and readers of what is written.

import {
  createDiscordModel,
  type DiscordCall,
  NO_FAULTS,
  type SimDiscordOptions,
  simTransport,
} from '../../../sim/sim.ts';
import { seededRandom } from '../../../system/random.ts';
import { virtualClock } from '../../../system/virtual-clock.ts';
import type { Channel, ChannelReader, Read } from '../../history.ts';
import { hostedWires } from '../../sandbox.ts';
import { CREDENTIALS, isSandboxCredential } from '../credentials.ts';
import { InvalidRequests } from '../invalid-requests.ts';
import { createHistoryReader } from './reader.ts';

export const START = 1_790_000_000_000;
export const CHANNEL = '555000111222333444';
export const TOKEN = `${Buffer.from('123456789012345678').toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const WIDE = { count: 1_000_000, perMs: 1000 };

export function simulatedDiscord(options: Partial<SimDiscordOptions> = {}) {
  const clock = virtualClock(START);
  const calls: DiscordCall[] = [];
  const model = createDiscordModel({ options, onCall: (call) => calls.push(call) });
  const network = { latencyMs: 0, jitterMs: 0 };
  const transport = simTransport({
    ...{ clock, random: seededRandom(1), model, pages: null, network, faults: NO_FAULTS },
  });
  const invalid = new InvalidRequests(clock, 5000, () => {});
  const look = { ...CREDENTIALS, isSandbox: isSandboxCredential };
  const wires = hostedWires({ transport, sandbox: null }, look);
  const lines = { wires, files: null, invalid };
  const reader = (token = TOKEN): ChannelReader => createHistoryReader(lines, token);
  // Not over the wire, whose limits are the reader's to feel.
  const api = (verb: string, path: string, params: object = {}) => {
    const headers = { authorization: `Bot ${TOKEN}` };
    const request = { verb, url: `/api/v10${path}`, headers, params: { ...params } };
    const { answer } = model.request(request, clock.now());
    if (answer.status >= 400) throw new Error(answer.body);
    return answer.body === '' ? null : (JSON.parse(answer.body) as { id: string });
  };
  const messages = `/channels/${CHANNEL}/messages`;
  return {
    ...{ clock, model, calls, reader },
    post: (content: string) => api('POST', messages, { content })!.id,
    edit: (id: string, content: string) => void api('PATCH', `${messages}/${id}`, { content }),
    remove: (id: string) => void api('DELETE', `${messages}/${id}`),
    // Ascending, as anyone sees it.
    there: () =>
      model
        .messagesOf(CHANNEL)
        .filter(({ isDeleted, type }) => !isDeleted && type === 0)
        .map(({ id, text }) => ({ id, text })),
    // Time passes until it is answered.
    async asked<T>(question: Promise<T>): Promise<T> {
      let isOver = false;
      const over = question.finally(() => {
        isOver = true;
      });
      while (!isOver) await clock.run(clock.now() + 1);
      return over;
    },
  };
}

export type SimulatedDiscord = ReturnType<typeof simulatedDiscord>;

// Limits that nothing meets.
export const UNLIMITED: Partial<SimDiscordOptions> = {
  global: WIDE,
  buckets: Object.fromEntries(
    [
      ...['create', 'edit', 'delete', 'bulk_delete', 'reaction', 'typing', 'thread', 'webhook'],
      ...['read', 'read_one', 'other'],
    ].map((name) => [name, WIDE]),
  ) as SimDiscordOptions['buckets'],
};

export function valueIn<T>(read: Read<T>): T {
  if (read.kind !== 'read') throw new Error(JSON.stringify(read));
  return read.value;
}

export const HERE: Channel = { id: CHANNEL, access: null, name: null, title: '#here' };
