// One message to many chats, each with its own words. Run it: node examples/broadcast.ts
// The token goes to the built-in simulator; with a real one the rest stays as it is.

import { createGateway } from 'sluice';

const gateway = await createGateway({ data: './data/example' });

// As many as you like: they are read one by one and kept on disk.
async function* members() {
  yield { chat: 101, name: 'Ada' };
  yield { chat: 102, name: 'Grace' };
  yield { chat: 103 };
}
await gateway.broadcasts.saveAudience('friends', members());

const made = await gateway.broadcast({
  to: { platform: 'telegram', account: '4:sandbox' },
  audience: 'friends',
  body: { text: 'Hello {{name|friend}}!' },
});
if ('code' in made) throw new Error(made.detail);

const ended = await gateway.broadcasts.ended(made.id);
if ('code' in ended) throw new Error(ended.detail);
console.log(`${ended.state}: ${ended.progress.sent} of ${ended.total} sent`);

const everyone = await gateway.broadcasts.recipients(made.id);
if ('code' in everyone) throw new Error(everyone.detail);
for (const { chat, state } of everyone) console.log(`${chat}: ${state}`);

await gateway.close();
