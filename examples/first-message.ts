// A message through the library, and its end. Run it: node examples/first-message.ts
// The token goes to the built-in simulator; with a real one the rest stays as it is.

import { createGateway } from 'sluice';

const gateway = await createGateway({ data: './data/example' });

const sent = await gateway.send({
  to: { platform: 'telegram', account: '1:sandbox', chat: 42 },
  body: { text: 'hello' },
  wait: 10,
});
if ('code' in sent) console.log(`not accepted: ${sent.detail}`);
else console.log(`${sent.state}, as message ${sent.messageId}`);

const wrong = await gateway.send({
  to: { platform: 'telegram', account: '1:sandbox', chat: 42 },
  method: 'sendMessage',
  body: { text: '' },
  wait: 10,
});
if (!('code' in wrong)) console.log(`${wrong.state}, because ${wrong.reason}: ${wrong.detail}`);

await gateway.close();
