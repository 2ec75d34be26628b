// What `sluice broadcast` asks the gateway for: the order, and a form that carries the list beside it as it is read.

import { Readable } from 'node:stream';
import { parseJson } from '../../system/json.ts';
import { WrongUsage } from '../io.ts';

export interface OrderOptions {
  readonly to?: string;
  readonly audience?: string;
  readonly text?: string;
  readonly body?: string;
  readonly parseMode?: string;
  readonly method?: string;
  readonly account?: string;
  readonly platform: string;
  readonly priority?: string;
  readonly name?: string;
  readonly notBefore?: string;
  readonly idempotencyKey?: string;
}

const BOUNDARY = 'sluice-broadcast-7f3a9c51e2';

export function orderOf(account: string, options: OrderOptions): Record<string, unknown> {
  const { platform, audience, method, priority, name, notBefore, idempotencyKey } = options;
  const order = {
    to: { platform, account },
    audience,
    method,
    text: options.text,
    body: bodyOf(options),
    priority,
    name,
    notBefore,
    idempotencyKey,
  };
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
}

function bodyOf({ text, body, parseMode }: OrderOptions): Record<string, unknown> | undefined {
  if (text === undefined && body === undefined) throw new WrongUsage('give --text, or --body');
  const own = parseMode === undefined ? {} : { parse_mode: parseMode };
  if (body === undefined) return parseMode === undefined ? undefined : own;
  const parsed = parseJson(body);
  if (parsed.kind === 'failure') {
    throw new WrongUsage(`--body: expected JSON, such as {"text":"hello"}; it is ${parsed.detail}`);
  }
  return { ...(parsed.value as Record<string, unknown>), ...own };
}

export function withList(order: object, list: Readable, type: string) {
  async function* parts() {
    yield part('message', 'application/json', '');
    yield `${JSON.stringify(order)}\r\n`;
    yield part('recipients', type, '; filename="recipients"');
    yield* list;
    yield `\r\n--${BOUNDARY}--\r\n`;
  }
  return { body: Readable.from(parts()), type: `multipart/form-data; boundary=${BOUNDARY}` };
}

function part(name: string, type: string, more: string): string {
  return (
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n` +
    `content-type: ${type}\r\n\r\n`
  );
}
