// The gateway over HTTP: hand over now, ask later. Run it: node examples/rest.ts
// Here it listens in this very process; a gateway of its own (npm start) answers the same.

import { createGateway } from 'sluice';

const adminKey = 'an-example-is-no-secret';
const gateway = await createGateway({ data: './data/example', port: 0, adminKey });
const url = await gateway.listen();
const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

const accepted = await fetch(`${url}/v1/messages`, {
  method: 'POST',
  headers,
  body: JSON.stringify({
    to: { platform: 'telegram', account: '3:sandbox', chat: 42 },
    body: { text: 'hello' },
    priority: 'high',
    wait: 10,
  }),
});
const { id, state } = (await accepted.json()) as { id: string; state: string };
console.log(`${accepted.status}: ${state}`);

const asked = await fetch(`${url}/v1/messages/${id}`, { headers });
const delivery = (await asked.json()) as { method: string; tries: number; priority: string };
console.log(`${delivery.method}, ${delivery.priority} priority, ${delivery.tries} try`);

await gateway.close();
