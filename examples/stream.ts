// A text that grows, as a language model gives it, shown in a chat while it does. Run it: node examples/stream.ts

import { createGateway } from 'sluice';

const gateway = await createGateway({ data: './data/example' });
const to = { platform: 'telegram', account: '4:sandbox', chat: 42 } as const;

// Any AsyncIterable<string> will do: the deltas of a model's client library, for one.
async function* answer(): AsyncGenerator<string> {
  for (const word of 'The sky is blue because of Rayleigh scattering.'.split(/(?= )/)) yield word;
}

const ended = await gateway.stream({ to, format: 'markdown' }, answer(), { wait: 10 });
if ('code' in ended) console.log(`not taken: ${ended.detail}`);
else console.log(`${ended.state}: ${ended.units} units in ${ended.messages.length} message`);

// Or piece by piece, with the stream in hand.
const stream = await gateway.stream({ to });
if (!('code' in stream)) {
  await stream.append('Working');
  await stream.replace('Nearly there');
  const done = await stream.final(', and done.', { wait: 10 });
  if (!('code' in done)) console.log(`${done.state}: ${done.units} units`);
}

await gateway.close();
