// The model behind a virtual network, as the wire the platforms speak over. Used in process for sandbox
// tokens, and in the simulated world. The one hard thing: what happens to a request is decided when it
// arrives, and its caller may have given up by the time the answer does.

import { Readable } from 'node:stream';
import type { Clock } from '../system/clock.ts';
import type { HttpRequest, Reply, StreamedReply, Transport } from '../system/http/transport.ts';
import type { Random } from '../system/random.ts';
import { paramsOf, parseJson } from './body.ts';
import { type Faults, undergo, type WireFault } from './faults.ts';
import type {
  SimAnswer,
  SimAsked,
  SimAskedCall,
  SimCall,
  SimModel,
  SimServing,
  SimWebPages,
} from './model.ts';
import type { SimParams } from './params.ts';

export interface Network {
  // One way: latencyMs plus up to jitterMs, drawn anew for each way.
  readonly latencyMs: number;
  readonly jitterMs: number;
  // Of the way back; left out: as there.
  readonly jitterBackMs?: number;
}

// One request and what came of it, as both ends saw it, for those who check.
export interface Exchange<Call extends SimCall = SimCall> {
  readonly leftAt: number;
  readonly endedAt: number;
  readonly reply: Reply;
  readonly token: string;
  readonly method: string;
  readonly chat: string;
  readonly params: SimParams;
  readonly fault: WireFault | null;
  // null: it was never judged.
  readonly call: Call | null;
}

export interface SimTransportPorts<Call extends SimCall = SimCall> extends WayPorts {
  readonly model: SimModel<Call>;
  readonly faults: Faults;
  // Left out: it has none beside its API.
  readonly pages?: SimWebPages | null;
  readonly onExchange?: (exchange: Exchange<Call>) => void;
}

interface WayPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
}

export function simTransport<Call extends SimCall>(ports: SimTransportPorts<Call>): Transport {
  const serving = ports.model.serve(ports.clock);
  const request = (asked: HttpRequest) =>
    new Promise<Reply>((resolve) => {
      const { body } = asked;
      if (!(body instanceof Readable))
        makeRequest(ports, serving, asked, bodyOf(asked.headers, body), resolve);
      else {
        void formOf(asked.headers, body).then((form) =>
          makeRequest(ports, serving, asked, form, resolve),
        );
      }
    });
  return {
    request,
    stream: (asked, hangUp) => streamed(request(asked), hangUp),
    close: () => Promise.resolve(serving.close()),
  };
}

function makeRequest<Call extends SimCall>(
  ports: SimTransportPorts<Call>,
  serving: SimServing<Call>,
  request: HttpRequest,
  params: SimParams | null,
  resolve: (reply: Reply) => void,
): void {
  const { clock } = ports;
  const { method: verb, path: url, headers, deadlineMs } = request;
  const page = ports.pages?.page(url) ?? null;
  const asked: SimAsked<Call> =
    page === null
      ? serving.receive({ verb, url, headers, params })
      : { kind: 'plain', answer: page };
  switch (asked.kind) {
    case 'plain':
      after(ports, way(ports), () => resolve(answered(asked.answer, clock.now())));
      return;
    case 'held':
      after(ports, deadlineMs, () => resolve(lost('timeout')));
      void asked.answer.then((answer) => resolve(answered(answer, clock.now())));
      return;
    case 'call':
      makeCall(ports, asked, deadlineMs, resolve);
  }
}

function makeCall<Call extends SimCall>(
  ports: SimTransportPorts<Call>,
  asked: SimAskedCall<Call>,
  deadlineMs: number,
  resolve: (reply: Reply) => void,
): void {
  const { clock, model } = ports;
  const { token, method, chat, params } = asked;
  const leftAt = clock.now();
  const giveUpAt = leftAt + deadlineMs;
  const fault = ports.faults.next({ token, method, chat }, leftAt);
  const end = (reply: Reply, call: Call | null) => {
    const said = { token, method, chat, params };
    ports.onExchange?.({ leftAt, endedAt: clock.now(), reply, fault, call, ...said });
    resolve(reply);
  };
  if (fault?.kind === 'reset_before') {
    after(ports, way(ports), () => end(unsent(), null));
    return;
  }
  after(ports, way(ports), () => {
    const now = clock.now();
    const fate = undergo(fault, model, asked, now);
    const answerAt = fate.kind === 'silence' ? Infinity : now + fate.holdMs + wayBack(ports);
    if (answerAt > giveUpAt) {
      after(ports, giveUpAt - now, () => end(lost('timeout'), fate.call));
      return;
    }
    const reply = fate.kind === 'answer' ? answered(fate.answer, now) : lost('reset');
    after(ports, answerAt - now, () => end(reply, fate.call));
  });
}

function way({ network, random }: WayPorts): number {
  return wayMs(network, random, network.jitterMs);
}

function wayBack({ network, random }: WayPorts): number {
  return wayMs(network, random, network.jitterBackMs ?? network.jitterMs);
}

export function wayMs({ latencyMs }: Network, random: Random, jitterMs: number): number {
  return jitterMs > 0 ? latencyMs + jitterMs * random.next() : latencyMs;
}

function after({ clock }: WayPorts, ms: number, run: () => void): void {
  if (ms <= 0) run();
  else clock.schedule(clock.now() + ms, run);
}

function bodyOf(headers: HttpRequest['headers'], body: string | null): SimParams | null {
  if (body === null || body === '') return {};
  const type = headers['content-type'] ?? '';
  return type.includes('form') ? paramsOf(type, Buffer.from(body)) : parseJson(body);
}

async function formOf(headers: HttpRequest['headers'], body: Readable): Promise<SimParams | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return paramsOf(headers['content-type'] ?? '', Buffer.concat(chunks));
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
