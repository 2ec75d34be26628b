// The internal listener of a node, to which others bring the requests of their callers.

import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { bench, SETTINGS } from '../http/context.fixture.ts';
import { innerSettings } from './node.ts';

const CONNECTIONS_MAX = 16;
const NODES = 3;

test('other nodes bring as many callers as each of them may have, and are not turned away', async () => {
  const settings = { ...SETTINGS, connectionsMax: CONNECTIONS_MAX };
  const { app } = await bench(innerSettings(settings, null));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const opened: Socket[] = [];
  for (let n = 0; n < NODES * CONNECTIONS_MAX; n += 1) {
    const taken = once(app.server, 'connection');
    const socket = connect(port, '127.0.0.1');
    opened.push(socket);
    const [there] = (await taken) as [Socket];
    expect(there.destroyed).toBe(false);
  }
  for (const socket of opened) socket.destroy();
  await app.close();
});
