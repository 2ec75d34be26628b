// The simulated Telegram on a port, for real MTProto clients: `pem` is the key they have to be given.

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../system/clock.ts';
import { type Random, systemRandom } from '../../system/random.ts';
import { Connection } from './connection.ts';
import { MtprotoModel, type SimMtprotoOptions } from './model.ts';
import { newServerKey, type ServerKey } from './server-key.ts';
import { KeyRing } from './session.ts';
import { API_SCHEMA } from './tl/schema-api.ts';
import { TRANSPORT_SCHEMA } from './tl/schema-transport.ts';
import { TlSchema } from './tl/tl.ts';

export interface ServeMtprotoOptions {
  readonly host: string;
  // 0: any free one.
  readonly port: number;
  readonly options?: Partial<SimMtprotoOptions>;
  // Left out: a new one, which takes a moment.
  readonly serverKey?: ServerKey;
  // Left out: the machine's own.
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface ServedMtproto {
  readonly host: string;
  readonly port: number;
  readonly pem: string;
  readonly model: MtprotoModel;
  // How many are open.
  readonly connections: number;
  // Breaks every connection.
  cut(): void;
  changeSalts(): void;
  close(): Promise<void>;
}

export async function serveMtproto(given: ServeMtprotoOptions): Promise<ServedMtproto> {
  const { clock = systemClock(), random = systemRandom(), serverKey = newServerKey() } = given;
  const schema = new TlSchema([...TRANSPORT_SCHEMA, ...API_SCHEMA]);
  const keys = new KeyRing(clock);
  const model = new MtprotoModel(given.options ?? {}, { clock, random });
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const connection = new Connection({
      schema,
      clock,
      serverKey,
      keys,
      model,
      send: (bytes) => {
        if (socket.writable) socket.write(bytes);
      },
      close: () => socket.destroy(),
    });
    socket.on('data', (chunk) => connection.receive(chunk));
    // A client that breaks off has said all it had to say.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(given.port, given.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  model.address = { host: given.host, port };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    host: given.host,
    port,
    pem: serverKey.pem,
    model,
    get connections() {
      return sockets.size;
    },
    cut,
    changeSalts: () => keys.changeSalts(),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      return closed;
    },
  };
}
