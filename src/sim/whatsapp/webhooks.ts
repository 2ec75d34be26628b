// What the simulated platform posts: messages of people, and statuses of messages that were taken. Statuses come late,
// in any order and more than once, as Meta's documents warn.

import { createHmac } from 'node:crypto';
import { inStatus, type SimGraphError } from './errors.ts';
import type { SimWhatsappOptions } from './options.ts';

// The portfolio's account, which nothing here depends on.
const WABA = '1000000000000';

export interface WebhookPost {
  readonly at: number;
  readonly number: string;
  readonly body: object;
}

export interface TakenMessage {
  readonly number: string;
  readonly id: string;
  readonly to: string;
  // False: an id of the business's own, of a user who shows no number.
  readonly isNumber: boolean;
  // What the sender wants to hear again with each status; '': nothing.
  readonly opaque: string;
  // How many were taken before it: which of them are shuffled and repeated follows from it.
  readonly n: number;
}

const STAGES = ['sent', 'delivered', 'read'] as const;

// `failure`: why it never arrives; null: it does, and is read.
export function statusesOf(
  message: TakenMessage,
  failure: SimGraphError | null,
  options: SimWhatsappOptions,
  now: number,
): WebhookPost[] {
  const stages: readonly string[] = failure === null ? STAGES : ['failed'];
  const told = stages.map((status, step) => ({ status, at: now + (step + 1) * options.statusMs }));
  const times = told.map(({ at }) => at);
  if (options.statuses === 'shuffled') turn(times, message.n);
  const repeats = message.n % 100 < options.repeatedPercent;
  return told.flatMap(({ status, at }, place) => {
    const said = statusBody(message, status, status === 'failed' ? failure : null, at);
    const post = { at: times[place]!, number: message.number, body: said };
    return repeats ? [post, { ...post, at: post.at + options.statusMs }] : [post];
  });
}

// Another order for each of its neighbours.
function turn(times: number[], n: number): void {
  for (let i = 0; i < n % times.length; i++) times.push(times.shift()!);
  if (n % 2 === 1) times.reverse();
}

function statusBody(
  { number, id, to, isNumber, opaque }: TakenMessage,
  status: string,
  failure: SimGraphError | null,
  at: number,
): object {
  const said = {
    id,
    status,
    timestamp: String(Math.floor(at / 1000)),
    [isNumber ? 'recipient_id' : 'recipient_user_id']: to,
    ...(opaque === '' ? null : { biz_opaque_callback_data: opaque }),
    ...(failure === null ? null : { errors: [inStatus(failure)] }),
  };
  return posted(number, { statuses: [said] });
}

export function messageBody(
  number: string,
  from: string,
  id: string,
  text: string,
  at: number,
): object {
  const timestamp = String(Math.floor(at / 1000));
  const isNumber = /^\d+$/.test(from);
  return posted(number, {
    contacts: [{ profile: { name: `User ${from}` }, [isNumber ? 'wa_id' : 'user_id']: from }],
    messages: [
      {
        ...{ [isNumber ? 'from' : 'from_user_id']: from, id, timestamp },
        ...{ type: 'text', text: { body: text } },
      },
    ],
  });
}

function posted(number: string, content: object): object {
  const metadata = { display_phone_number: number, phone_number_id: number };
  const value = { messaging_product: 'whatsapp', metadata, ...content };
  const changes = [{ value, field: 'messages' }];
  return { object: 'whatsapp_business_account', entry: [{ id: WABA, changes }] };
}

// With the app's secret, over the bytes that are posted.
export function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

const TRIES_MAX = 3;

// Posts over HTTP, signed; what is not taken is posted again a few times, and then forgotten.
export async function postTo(url: string, secret: string, { body }: WebhookPost): Promise<void> {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'x-hub-signature-256': signatureOf(text, secret),
  };
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const answer = await fetch(url, { method: 'POST', headers, body: text }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
  }
}
