// What strangers do to a gateway, each from an address of its own, bounded in count: held calls on few sockets, made-up
// tokens, uploads without a valid token, accounts of the simulator. And a Telegram that counts what it is asked.

import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Agent, request } from '../../src/system/http/undici.ts';
import { bodyOf } from '../process/body.ts';

export const BOT = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
export const STRANGER = '5555:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
export const NEWCOMER = '6666:CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC';
const VALID = [BOT, STRANGER, NEWCOMER];

export class Upstream {
  // Tokens it was asked about, and messages it took.
  asked = 0;
  sent = 0;
  #server: Server | null = null;

  async start(): Promise<string> {
    this.#server = createServer(async (asked, response) => {
      if ((await bodyOf(asked)) === null) return;
      const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(asked.url!) ?? [];
      if (method === 'getMe') this.asked += 1;
      else this.sent += 1;
      const isValid = VALID.includes(token);
      const result =
        method === 'getMe' ? { id: Number(token.split(':')[0]) } : { message_id: this.sent };
      const answer = isValid
        ? { ok: true, result }
        : { ok: false, error_code: 401, description: 'Unauthorized' };
      response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server!.closeAllConnections();
    await new Promise((resolve) => this.#server!.close(resolve));
  }
}

// Each is let go of with the function it answers.
export type Load = (url: string) => { done: Promise<void>; stop: () => void };

function post(token: string, text: string): string {
  const body = JSON.stringify({ chat_id: 5, text });
  const headers = `host: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return `POST /bot${token}/sendMessage HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
}

// One chat takes one message a second: all others are held.
export function heldCalls(onSocket: number, sockets: number): Load {
  return (url) => {
    const { port } = new URL(url);
    const lines: Socket[] = [];
    for (let n = 0; n < sockets; n++) {
      const ahead = n < 3 ? onSocket : 1;
      const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.on('error', () => {});
      socket.resume();
      // In one piece: the work of sending them is not the gateway's.
      socket.write(Array.from({ length: ahead }, (_, i) => post(STRANGER, `${n} ${i}`)).join(''));
      lines.push(socket);
    }
    const stop = () => {
      for (const line of lines) line.destroy();
    };
    return { done: Promise.resolve(), stop };
  };
}

function calls(
  count: number,
  localAddress: string,
  make: (n: number) => Parameters<typeof request>[1] & { path: string },
  tell: (status: number) => void,
): Load {
  return (url) => {
    const agent = new Agent({ connections: 20, localAddress });
    let isStopped = false;
    let next = 0;
    const work = async () => {
      for (let n = next++; n < count && !isStopped; n = next++) {
        const { path, ...options } = make(n);
        try {
          const answer = await request(`${url}${path}`, { ...options, dispatcher: agent });
          await answer.body.dump();
          tell(answer.statusCode);
        } catch {
          // Cut off: nobody answers what is not asked any more.
        }
      }
    };
    const done = Promise.all(Array.from({ length: 20 }, work)).then(() => agent.destroy());
    const stop = () => {
      isStopped = true;
    };
    return { done, stop };
  };
}

const madeUp = (n: number) => `${1000 + n}:${String(n).padStart(35, 'x')}`;

export const unknownTokens = (count: number, tell: (status: number) => void) =>
  calls(count, '127.0.0.3', (n) => ({ path: `/bot${madeUp(n)}/getMe` }), tell);

export function uploads(count: number, bytes: number, tell: (status: number) => void): Load {
  const head = '--x\r\ncontent-disposition: form-data; name="photo"; filename="a"\r\n\r\n';
  const body = Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(bytes, 'a'),
    Buffer.from('\r\n--x--'),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const make = (n: number) => ({
    path: `/bot${madeUp(n % 20)}/sendPhoto`,
    method: 'POST' as const,
    headers,
    body,
  });
  return calls(count, '127.0.0.4', make, tell);
}

export const sandboxAccounts = (count: number, tell: (status: number) => void) =>
  calls(count, '127.0.0.5', (n) => ({ path: `/bot${100_000 + n}:sandbox-x/getMe` }), tell);
