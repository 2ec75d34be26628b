// The model behind a virtual network, as the wire the platforms speak over. Used in process for sandbox
// tokens, and in the simulated world. The one hard thing: what happens to a request is decided when it
// arrives, and its caller may have given up by the time the answer does.

import { Readable } from 'node:stream';
import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import type { HttpRequest, Reply, StreamedReply, Transport } from '../system/transport.ts';
import { parseAddress } from './address.ts';
import { paramsOf } from './body.ts';
import { type Faults, undergo, type WireFault } from './faults.ts';
import { fileOf } from './files.ts';
import type { SimPages } from './pages.ts';
import { Polling } from './polling.ts';
import { NOT_FOUND, refused, type SimAnswer } from './telegram/answers.ts';
import type { JudgedCall, TelegramModel } from './telegram/model.ts';
import { type SimParams, textOf } from './telegram/params.ts';

export interface Network {
  // One way: latencyMs plus up to jitterMs, drawn anew for each way.
  readonly latencyMs: number;
  readonly jitterMs: number;
  // Of the way back; left out: as there.
  readonly jitterBackMs?: number;
}

// One request and what came of it, as both ends saw it, for those who check.
export interface Exchange {
  readonly leftAt: number;
  readonly endedAt: number;
  readonly reply: Reply;
  readonly token: string;
  readonly method: string;
  readonly params: SimParams;
  readonly fault: WireFault | null;
  // null: it was never judged.
  readonly call: JudgedCall | null;
}

export interface SimTransportPorts {
  readonly model: TelegramModel;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
  readonly faults: Faults;
  // Left out: channels have no public pages.
  readonly pages?: SimPages;
  readonly onExchange?: (exchange: Exchange) => void;
}

export function simTransport(ports: SimTransportPorts): Transport {
  const polling = new Polling(ports.model, ports.clock);
  const request = (asked: HttpRequest) =>
    new Promise<Reply>((resolve) => {
      const { body } = asked;
      if (!(body instanceof Readable)) makeRequest(ports, polling, asked, bodyOf(body), resolve);
      else {
        void formOf(asked.headers, body).then((form) =>
          makeRequest(ports, polling, asked, form, resolve),
        );
      }
    });
  return {
    request,
    stream: (asked, hangUp) => streamed(request(asked), hangUp),
    close: () => Promise.resolve(polling.close()),
  };
}

function makeRequest(
  ports: SimTransportPorts,
  polling: Polling,
  request: HttpRequest,
  body: SimParams,
  resolve: (reply: Reply) => void,
): void {
  const { clock, model } = ports;
  const leftAt = clock.now();
  const giveUpAt = leftAt + request.deadlineMs;
  const address = parseAddress(request.path);
  if (address?.kind === 'file') {
    const file = fileOf(address.path, request.headers.range);
    after(ports, way(ports), () => resolve(answered(file, clock.now())));
    return;
  }
  if (address === null) {
    const page = ports.pages?.page(request.path) ?? refused(NOT_FOUND, false);
    after(ports, way(ports), () => resolve(answered(page, clock.now())));
    return;
  }
  const params = { ...address.query, ...body };
  const method = address.method === '' ? textOf(params, 'method') : address.method;
  const sent = { token: address.token, method, params };
  if (polling.isLong(method, params)) {
    after(ports, request.deadlineMs, () => resolve(lost('timeout')));
    void polling.poll(sent.token, params).then((answer) => resolve(answered(answer, clock.now())));
    return;
  }
  const chat = textOf(params, 'chat_id');
  const fault = ports.faults.next({ token: sent.token, method, chat }, leftAt);
  const end = (reply: Reply, call: JudgedCall | null) => {
    ports.onExchange?.({ leftAt, endedAt: clock.now(), reply, fault, call, ...sent });
    resolve(reply);
  };
  if (fault?.kind === 'reset_before') {
    after(ports, way(ports), () => end(unsent(), null));
    return;
  }
  after(ports, way(ports), () => {
    const now = clock.now();
    const fate = undergo(fault, model, sent, now);
    const answerAt = fate.kind === 'silence' ? Infinity : now + fate.holdMs + wayBack(ports);
    if (answerAt > giveUpAt) {
      after(ports, giveUpAt - now, () => end(lost('timeout'), fate.call));
      return;
    }
    const reply = fate.kind === 'answer' ? answered(fate.answer, now) : lost('reset');
    after(ports, answerAt - now, () => end(reply, fate.call));
  });
}

function way({ network, random }: SimTransportPorts): number {
  return wayMs(network, random, network.jitterMs);
}

function wayBack({ network, random }: SimTransportPorts): number {
  return wayMs(network, random, network.jitterBackMs ?? network.jitterMs);
}

export function wayMs({ latencyMs }: Network, random: Random, jitterMs: number): number {
  return jitterMs > 0 ? latencyMs + jitterMs * random.next() : latencyMs;
}

function after({ clock }: SimTransportPorts, ms: number, run: () => void): void {
  if (ms <= 0) run();
  else clock.schedule(clock.now() + ms, run);
}

function bodyOf(body: string | null): SimParams {
  if (body === null || body === '') return {};
  try {
    return JSON.parse(body) as SimParams;
  } catch {
    return {};
  }
}

async function formOf(headers: HttpRequest['headers'], body: Readable): Promise<SimParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return paramsOf(headers['content-type'] ?? '', Buffer.concat(chunks)) ?? {};
}

function streamed(reply: Promise<Reply>, hangUp: AbortSignal): Promise<StreamedReply> {
  return new Promise((resolve) => {
    const leave = () => resolve({ kind: 'lost', reason: 'hung_up', detail: 'the caller left' });
    if (hangUp.aborted) leave();
    hangUp.addEventListener('abort', leave, { once: true });
    void reply.then((came) => {
      hangUp.removeEventListener('abort', leave);
      const isThere = came.kind === 'answered';
      resolve(isThere ? { ...came, body: Readable.from([Buffer.from(came.body)]) } : came);
    });
  });
}

function answered({ headers, ...answer }: SimAnswer, now: number): Reply {
  const date = new Date(now).toUTCString();
  return { kind: 'answered', ...answer, headers: { ...headers, date } };
}

function unsent(): Reply {
  return {
    kind: 'unsent',
    reason: 'reset',
    detail: 'connection reset before the request was written',
  };
}

function lost(reason: 'timeout' | 'reset'): Reply {
  const detail = reason === 'timeout' ? 'no answer in time' : 'connection reset before the answer';
  return { kind: 'lost', reason, detail };
}
