// Raw lines to the gateway: bytes in, answers out. No HTTP client would send what the attacks are made of.

import { connect, type Socket } from 'node:net';

// An attack that is still held by then was taken for a message.
const ANSWER_MS_MAX = 10_000;

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  // Nothing more is answered on this line.
  readonly isLast: boolean;
}

export function open(url: URL, bytes: Buffer): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

// All that is answered until the line is closed; who is not answered in time hangs up.
export function read(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

// The answers in order; what is cut off in the middle is left out.
export function answersIn(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const head = rest.subarray(0, end).toString('latin1');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
    const type = /^content-type: *([^\r\n;]*)/im.exec(head)?.[1] ?? '';
    const after = rest.subarray(end + 4);
    const { body, used } = bodyOf(head, after);
    const isLast = /^connection: *close/im.test(head);
    if (status !== 100) answers.push({ status, type, body: body.toString(), isLast });
    rest = after.subarray(used);
  }
}

function bodyOf(head: string, after: Buffer): { body: Buffer; used: number } {
  const length = /^content-length: *(\d+)/im.exec(head);
  if (length !== null) {
    const used = Math.min(Number(length[1]), after.length);
    return { body: after.subarray(0, used), used };
  }
  if (!/^transfer-encoding: *chunked/im.test(head)) return { body: after, used: after.length };
  const chunks: Buffer[] = [];
  let used = 0;
  for (;;) {
    const end = after.indexOf('\r\n', used);
    if (end < 0) return { body: Buffer.concat(chunks), used: after.length };
    const size = Number.parseInt(after.subarray(used, end).toString('latin1'), 16);
    chunks.push(after.subarray(end + 2, end + 2 + size));
    used = end + 2 + size + 2;
    if (size === 0) return { body: Buffer.concat(chunks), used };
  }
}
