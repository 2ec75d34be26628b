// What happens on the road, as it happens. Run it: node examples/events.ts

import { createGateway } from 'sluice';

const gateway = await createGateway({ data: './data/example', privatePerS: 10 });
const to = { platform: 'telegram', account: '2:sandbox', chat: 42 } as const;

const allSent = Promise.withResolvers<void>();
let sent = 0;
const stop = gateway.events((event) => {
  if (event.kind !== 'moved') return;
  console.log(`${event.about.method} to ${event.about.chat}: ${event.from} → ${event.to}`);
  if (event.to === 'sent' && ++sent === 3) allSent.resolve();
});

for (const text of ['one', 'two', 'three']) await gateway.send({ to, body: { text } });

await allSent.promise;
stop();
await gateway.close();
