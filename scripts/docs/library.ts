// docs/reference/library.md from the doc comments of the public interfaces: the same words that an editor shows. A
// member without a comment stops it.

import { readFileSync } from 'node:fs';
import { MADE, table } from './table.ts';

interface Part {
  readonly title: string;
  readonly file: string;
  readonly name: string;
  // How a member is reached.
  readonly prefix: string;
}

const PARTS: readonly Part[] = [
  { title: 'The gateway', file: 'app/gateway.ts', name: 'Gateway', prefix: 'gateway.' },
  { title: 'Where it listens', file: 'app/listener.ts', name: 'ListenOptions', prefix: '' },
  { title: 'Messages', file: 'app/messages.ts', name: 'MessageCalls', prefix: 'gateway.' },
  { title: 'Dead letters', file: 'app/messages.ts', name: 'DeadCalls', prefix: 'gateway.dead.' },
  { title: 'Streams', file: 'http/streams/handle.ts', name: 'StreamHandle', prefix: 'stream.' },
  { title: 'Broadcasts', file: 'app/broadcasts.ts', name: 'BroadcastCalls', prefix: 'gateway.' },
  {
    title: 'One broadcast',
    file: 'app/broadcasts.ts',
    name: 'BroadcastControl',
    prefix: 'gateway.broadcasts.',
  },
];

interface Member {
  readonly signature: string;
  readonly comment: string;
}

export function libraryPage(): string {
  const sections = PARTS.map(({ title, file, name, prefix }) => {
    const rows = membersOf(sourceOf(file), name).map(({ signature, comment }) => {
      return [`\`${prefix}${signature}\``, comment];
    });
    return `## ${title}\n\n${table(['member', 'meaning'], rows)}`;
  });
  return `# The library

${MADE}

\`import { createGateway } from 'sluice'\` on Node 24 or newer; \`require('sluice')\` works too. ${opening()}
The options are the [settings](../configuration.md) by their names in camel case, and \`accounts\`. One process owns
a data folder.

Expected failures are values: what answers \`… | Problem\` answers an object with a \`code\` of [errors](errors.md),
a \`status\` and a \`detail\`, and throws only for a mistake in the program. So \`'code' in answer\` distinguishes the
two. Times are ISO 8601, ids are those of the receipts. What a message, a stream or a broadcast may say is what the
routes take: a running gateway shows it at \`/docs\`.
\`examples\` has a program for each part; \`sluice/grammy\` is in [clients](../start/clients.md#in-the-same-process).

${sections.join('\n\n')}
`;
}

function sourceOf(file: string): string {
  return readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
}

function opening(): string {
  const found = /\/\*\*([\s\S]*?)\*\/\s*export async function createGateway/.exec(
    sourceOf('index.ts'),
  );
  if (found === null) throw new Error('createGateway has no comment');
  return wordsOf(found[1]!);
}

// The members of an interface whose lines are laid out as the formatter lays them.
export function membersOf(source: string, name: string): Member[] {
  const head = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n`, 'm').exec(source);
  if (head === null) throw new Error(`there is no interface ${name}`);
  const from = head.index + head[0].length;
  const body = source.slice(from, source.indexOf('\n}', from) + 1);
  const members: Member[] = [];
  const member = /(?: {2}\/\*\*([\s\S]*?)\*\/\n)?((?: {2}\S.*\n)(?: {4}.*\n| {2}[)}\]].*\n)*)/g;
  for (const [, comment, text] of body.matchAll(member)) {
    const signature = oneLine(text!);
    if (comment === undefined) throw new Error(`${name}: ${signature} has no comment`);
    members.push({ signature, comment: wordsOf(comment) });
  }
  return members;
}

function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/,? \)/g, ')')
    .replace(/^ readonly /, '')
    .trim()
    .replace(/;$/, '');
}

function wordsOf(comment: string): string {
  return comment
    .replace(/\n\s*\*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
