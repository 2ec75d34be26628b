// Every reader of text that is written by hand, as one call that reads a whole text, with the words its texts are made
// of. `files` is where it lies; the test keeps the table complete.

import { Readable } from 'node:stream';
import { readRecipients } from '../../src/broadcast/lists/recipients.ts';
import { Template } from '../../src/broadcast/template.ts';
import { serverEvents } from '../../src/cli/terminal/server-events.ts';
import { table } from '../../src/cli/terminal/table.ts';
import { fitted, rowsOf } from '../../src/cli/terminal/width.ts';
import { attachedTo } from '../../src/domain/body.ts';
import { masked } from '../../src/http/dialects/mask.ts';
import { eventsIn } from '../../src/http/fleet/events.ts';
import { CREDENTIALS as DISCORD_CREDENTIALS } from '../../src/platforms/discord/credentials.ts';
import { locate as locateDiscord } from '../../src/platforms/discord/dialect/request.ts';
import { LIVE_OUTPUT as DISCORD_OUTPUT } from '../../src/platforms/discord/live-output.ts';
import { escapeValue } from '../../src/platforms/discord/markdown.ts';
import { routeAt } from '../../src/platforms/discord/routes.ts';
import { CALLS as SLACK_CALLS } from '../../src/platforms/slack/calls.ts';
import { CREDENTIALS as SLACK_CREDENTIALS } from '../../src/platforms/slack/credentials.ts';
import { DIALECT as SLACK_DIALECT } from '../../src/platforms/slack/dialect.ts';
import {
  MESSAGES as SLACK_MESSAGES,
  LIVE_OUTPUT as SLACK_OUTPUT,
} from '../../src/platforms/slack/text.ts';
import { classify } from '../../src/platforms/telegram/classify.ts';
import { CREDENTIALS } from '../../src/platforms/telegram/credentials.ts';
import { DIALECT } from '../../src/platforms/telegram/dialect/dialect.ts';
import { readChannelPage } from '../../src/platforms/telegram/history/page-html.ts';
import { split } from '../../src/platforms/telegram/parts.ts';
import { escapeFor } from '../../src/platforms/telegram/text/escape.ts';
import { parseHtml } from '../../src/platforms/telegram/text/html.ts';
import { renderLive } from '../../src/platforms/telegram/text/live-text.ts';
import { parseMarkdown, parseMarkdownV2 } from '../../src/platforms/telegram/text/markdown.ts';
import { LIVE_OUTPUT } from '../../src/platforms/terminal/live-output.ts';
import { unmarked } from '../../src/platforms/whatsapp/callback-data.ts';
import { CREDENTIALS as WHATSAPP_CREDENTIALS } from '../../src/platforms/whatsapp/credentials.ts';
import { chatOf } from '../../src/platforms/whatsapp/describe.ts';
import { LIVE_OUTPUT as WHATSAPP_OUTPUT } from '../../src/platforms/whatsapp/live-output.ts';
import { createReading } from '../../src/platforms/whatsapp/request.ts';
import { paramsOf } from '../../src/sim/body.ts';
import { parsed } from '../../src/sim/telegram/markup/markup.ts';
import { feedOf } from '../../src/streams/feed/feed.ts';
import { finishedTo } from '../../src/streams/render/chunks.ts';
import { parseJson } from '../../src/system/json.ts';
import { strikeSecrets } from '../../src/system/log.ts';
import { parseCommonMark } from '../../src/text/commonmark.ts';
import { splitText } from '../../src/text/split.ts';
import { validEntities } from '../../src/text/valid-entities.ts';
import type { Work } from './growth.ts';

export interface Parser {
  readonly files: readonly string[];
  readonly work: Work;
  readonly words: readonly string[];
}

const telegram = (...names: readonly string[]) =>
  names.map((name) => `src/platforms/telegram/${name}.ts`);
const text = (...names: readonly string[]) => names.map((name) => `src/text/${name}.ts`);
const BUILDER = text('rich-text', 'split', 'valid-entities');
const MARKDOWN = [
  '*',
  '_',
  '__',
  '~',
  '||',
  '`',
  '```',
  '[',
  '](',
  ')',
  '![',
  '\\',
  '>',
  '\n',
  'a',
];
const COMMONMARK = [
  ...['1. ```\n', '===\n', '    ', '&', '&amp', '[a][', '\n\n[a]: b\n'],
  ...['*', '**', '_', '~~', '||', '`', '``', '```', '[', ']', '](', '(', ')', '![', '\\', '<', '>'],
  ...[
    '>    ',
    '\n',
    '\n> ',
    '\n- ',
    '\n1. ',
    '\n#',
    '\n|',
    '|-',
    '&amp',
    '<https:',
    'http://',
    '~~~',
    ' ',
    'a',
  ],
];
const LISTS = ['"', '""', ',', ';', '\t', '\n', '\r', '1', ',"a', '"\n', '{', '{"chat":1}\n', ' '];
const SMALL = 4096;

const WHATSAPP_READING = createReading();

export const PARSERS: Readonly<Record<string, Parser>> = {
  'Telegram HTML': {
    files: [...telegram('text/html'), ...BUILDER],
    work: (text) => [parseHtml(text), parseHtml(text, true)],
    words: [
      '<',
      '</',
      '<b>',
      '</b>',
      '<a href="',
      '">',
      "'",
      '=',
      ' href',
      '&',
      '&#',
      '&amp;',
      '>',
      ' ',
      'a',
    ],
  },
  'Telegram MarkdownV2': {
    files: [...telegram('text/markdown'), ...BUILDER],
    work: (text) => [parseMarkdownV2(text), parseMarkdownV2(text, true)],
    words: MARKDOWN,
  },
  'Telegram Markdown': {
    files: [...telegram('text/markdown'), ...BUILDER],
    work: parseMarkdown,
    words: MARKDOWN,
  },
  CommonMark: {
    files: [
      ...text('commonmark', 'blocks', 'inline', 'links', 'tables', 'tokens', 'rich-lines'),
      ...text('references', 'named-characters'),
    ],
    work: (text) => [parseCommonMark(text, false), parseCommonMark(text, true)],
    words: COMMONMARK,
  },
  'live text': {
    files: telegram('text/live-text'),
    work: (text) => [renderLive(text, 'markdown', true), renderLive(text, 'html', false)],
    words: [
      'a',
      ' ',
      '\n',
      '. ',
      '**a** ',
      '<b>a</b> ',
      '<pre>',
      '[a](https://a.b) ',
      '👍🏽',
      '\u0301',
      '🇩🇪',
      '\n> a\n\n',
    ],
  },
  'text on a terminal': {
    files: ['src/platforms/terminal/live-output.ts'],
    work: (text) => LIVE_OUTPUT.render(text, 'plain', true),
    words: ['a', '\n', ' ', '👍'],
  },
  'entities of a call': {
    files: [...telegram('parts'), ...text('split', 'valid-entities')],
    work: (text) => {
      for (const rich of manyEntities(text.length)) {
        splitText(rich, 4096);
        validEntities(rich);
        split('sendMessage', JSON.stringify({ chat_id: 1, ...rich }));
      }
    },
    words: ['a'],
  },
  'Telegram answers': {
    files: telegram('classify', 'refusals', 'send'),
    work: (text) => classify('sendMessage', answerOf(text)),
    words: [
      'CHAT_SEND_',
      'a',
      '_',
      ' ',
      'failed to send message #1',
      'retry after 1',
      'wrong file',
    ],
  },
  'simulated Telegram': {
    files: ['markup', 'html', 'markdown', 'markdown-v2', 'entities', 'links'].map(
      (name) => `src/sim/telegram/markup/${name}.ts`,
    ),
    work: (text) =>
      ['HTML', 'MarkdownV2', 'Markdown'].map((mode) => parsed({ parse_mode: mode }, text, '')),
    words: [...MARKDOWN, '<', '<b>', '</b>', '[a](b)'],
  },
  'simulated bodies': {
    files: ['src/sim/body.ts'],
    work: (text) => paramsOf('multipart/form-data; boundary=a', Buffer.from(`--a${text}`)),
    words: ['--a', '\r\n', '--a\r\n\r\n', ';name="', '"', 'a'],
  },
  'JSON within bounds': {
    files: ['src/system/json.ts'],
    work: (text) => [parseJson(text), parseJson(`[${text}`)],
    words: [
      ...['{', '[', '"', '\\', '"a":', ',', '1', ']', ' ', '__proto__', '\\u005f'],
      ...['{},', '{"\\u005f":"', 'a'],
    ],
  },
  'secrets in the log': {
    files: ['src/system/log.ts'],
    work: strikeSecrets,
    words: ['1', '1:', ':', 'a', 'sluice_', 'token=', 'Bot ', 'Bearer', ' ', '%3A', '1:sandbox'],
  },
  'tokens of bots': {
    files: ['src/platforms/telegram/credentials.ts'],
    work: (text) => [
      CREDENTIALS.isShaped(text),
      CREDENTIALS.isAccountId(text),
      ...CREDENTIALS.secrets.map((secret) => text.replace(new RegExp(secret, 'gi'), '')),
    ],
    words: ['1', '1:', ':', 'a', '%3A', '1:sandbox', 'sandbox-', ':test', '/test'],
  },
  'tokens and paths of Discord': {
    files: ['src/platforms/discord/credentials.ts', 'src/platforms/discord/routes.ts'],
    work: (text) => [
      DISCORD_CREDENTIALS.isShaped(text),
      DISCORD_CREDENTIALS.isAccountId(text),
      ...DISCORD_CREDENTIALS.secrets.map((each) => text.replace(new RegExp(each, 'gi'), '')),
      routeAt('PUT', text),
      locateDiscord(
        { verb: 'POST', url: `/api/v10${text}`, headers: { authorization: text } },
        { takes: () => true },
      ),
    ],
    words: [
      ...['1', '.', 'M', 'sandbox', 'webhook/1/', '/webhooks/1/', '/channels/1/messages', '/2'],
      ...['/reactions/', '%41', '/@me', 'aW50ZXJhY3Rpb246', 'Bot ', '/..', '?a='],
    ],
  },
  'live output of Discord': {
    files: ['src/platforms/discord/markdown.ts'],
    work: (text) => [
      DISCORD_OUTPUT.render(text, 'markdown', true),
      DISCORD_OUTPUT.render(text, 'plain', false),
      escapeValue(text),
    ],
    words: ['a', '*', '**', '`', '```', '\n', '> ', '1. ', '# ', '||', '~~', '[a](b)', '_', '\\'],
  },
  'tokens and paths of Slack': {
    files: ['src/platforms/slack/dialect.ts'],
    work: (text) => [
      SLACK_CREDENTIALS.isShaped(text),
      SLACK_CREDENTIALS.isAccountId(text),
      ...SLACK_CREDENTIALS.secrets.map((each) => text.replace(new RegExp(each, 'gi'), '')),
      SLACK_DIALECT.locate({ verb: 'GET', url: `/api/${text}`, headers: { authorization: text } }),
      SLACK_CALLS.describe(text, { channel: text }),
      SLACK_MESSAGES.references.mentions(JSON.stringify({ text, ts: text })),
    ],
    words: ['xoxb-', '1', '-', 'xoxe.', 'a', '.', 'chat.', '?', 'Bearer ', '":"-1', 'sandbox'],
  },
  'live output of Slack': {
    files: ['src/platforms/shared/markup.ts', 'src/platforms/slack/text.ts'],
    work: (text) => [
      SLACK_OUTPUT.render(text, 'markdown', true),
      SLACK_OUTPUT.render(text, 'plain', false),
    ],
    words: ['a', '*', '**', '`', '```', '\n', '> ', '&', '<', '~~', '[a](https://b)', '_', '|'],
  },
  'tokens and paths of WhatsApp': {
    files: ['src/platforms/whatsapp/request.ts', 'src/platforms/whatsapp/describe.ts'],
    work: (text) => [
      WHATSAPP_CREDENTIALS.isShaped(text),
      WHATSAPP_CREDENTIALS.isAccountId(text),
      ...WHATSAPP_CREDENTIALS.secrets.map((each) => text.replace(new RegExp(each, 'gi'), '')),
      chatOf(text),
      unmarked(text),
      WHATSAPP_READING.locate({
        ...{ verb: 'POST', url: `/v23.0${text}`, headers: { authorization: text } },
      }),
    ],
    words: [
      ...['1', ':', '+', ' ', '(', '-', '.', 'a', '/1', '/messages', '/..', '%41', '?a='],
      ...['Bearer ', 'EAA', 'sandbox', 'sluice:abcde-1', 'phone_number_id=1'],
    ],
  },
  'live output of WhatsApp': {
    files: ['src/platforms/whatsapp/live-text.ts'],
    work: (text) => [
      WHATSAPP_OUTPUT.render(text, 'markdown', true),
      WHATSAPP_OUTPUT.render(text, 'plain', false),
    ],
    words: ['a', '*', '**', '`', '```', '\n', '> ', '# ', '||', '~~', '[a](b)', '_', '\\'],
  },
  'secrets in answers': {
    files: ['src/http/dialects/mask.ts'],
    work: (text) => drained(masked(Readable.from(bytes(text, SMALL)), 'aab', 'zzz')),
    words: ['a', 'aab', 'aa'],
  },
  templates: {
    files: ['src/broadcast/template.ts', 'src/platforms/telegram/text/escape.ts'],
    work: (text) => new Template({ text, parse_mode: 'HTML' }, escapeFor).fill({ a: '<' }),
    words: ['{', '{{', '}}', '{{a', '{{a|', '{{a}}', '|', ' ', 'a'],
  },
  'attached files': {
    files: ['src/domain/body.ts'],
    work: (text) => attachedTo({ media: text }),
    words: ['attach://', 'a', '"', '\\'],
  },
  'lists in CSV': {
    files: [
      'src/broadcast/lists/csv.ts',
      'src/broadcast/lists/recipients.ts',
      'src/broadcast/lists/member.ts',
    ],
    work: (text) =>
      drained(readRecipients(Readable.from(bytes(`chat,name\n${text}`, SMALL)), 'csv')),
    words: LISTS,
  },
  'lists in JSON': {
    files: ['src/broadcast/lists/recipients.ts'],
    work: (text) => drained(readRecipients(Readable.from(bytes(text, SMALL)), 'ndjson')),
    words: LISTS,
  },
  'lists of chats': {
    files: ['src/broadcast/lists/recipients.ts'],
    work: (text) => drained(readRecipients(Readable.from(bytes(text, SMALL)), 'text')),
    words: LISTS,
  },
  feeds: {
    files: [
      'src/streams/feed/lines.ts',
      'src/streams/feed/event-stream.ts',
      'src/streams/feed/json-feed.ts',
      'src/streams/feed/json-values.ts',
      'src/streams/feed/data-stream.ts',
      'src/streams/feed/thoughts.ts',
      'src/streams/feed/wording.ts',
      'src/streams/feed/unnamed.ts',
    ],
    work: (text) => {
      for (const type of ['text/event-stream', 'application/x-ndjson', 'text/plain', undefined]) {
        const feed = feedOf(type)!;
        for (const chunk of bytes(text, SMALL)) feed.push(chunk);
        feed.end();
      }
    },
    words: [
      '\r',
      '\n',
      '\r\n',
      'data: ',
      'data: {"text":"a"}\n\n',
      '{',
      '{"text":"a"}\n',
      '[{"',
      '"<think>"\n',
      '"</"\n',
      '0:"a"\n',
      ':',
      ' ',
      'event: ',
    ],
  },
  'finished paragraphs': {
    files: ['src/streams/render/chunks.ts'],
    work: (text) => finishedTo(text, 0),
    words: ['\n', '```', '~~~\n', ' ', 'a', 'a\n\n'],
  },
  'events for the CLI': {
    files: ['src/cli/terminal/server-events.ts'],
    work: (text) => drained(serverEvents(Readable.from(bytes(text, SMALL)))),
    words: ['\n', 'event: ', 'data: ', 'event: a\ndata: 1\n\n', 'a', '\r'],
  },
  'events of other nodes': {
    files: ['src/http/fleet/events.ts'],
    async work(text) {
      for await (const event of eventsIn(Readable.from([text]))) if (event === '') return;
    },
    words: ['data: a', '\n', '\n\n', ':', ' '],
  },
  'rows of the CLI': {
    files: [
      'src/cli/terminal/width.ts',
      'src/cli/terminal/table.ts',
      'src/cli/terminal/harmless.ts',
    ],
    work: (text) => [rowsOf(text, 80), fitted(text, 80), table(['a'], [[text]])],
    words: ['a', ' ', '\n', '中', '👍🏽', '\u0301', '\u001b[', '🇩🇪'],
  },
  'public pages of channels': {
    files: ['src/platforms/telegram/history/page-html.ts'],
    work: readChannelPage,
    words: [
      '<div class="tgme_widget_message" data-post="a/1">',
      '<div class="js-message_text">',
      '</div>',
      '<b>',
      '<br>',
      'a',
    ],
  },
  addresses: {
    files: ['src/platforms/telegram/dialect/dialect.ts'],
    work: (text) =>
      [`/bot1:${text}`, `/file/bot1:a/${text}`].map((url) =>
        DIALECT.locate({ verb: 'GET', url, headers: {} }),
      ),
    words: ['/', 'a', '%', '%2e', '.', '1:'],
  },
};

// Where a loop over something else than a text, or over one of our own, looks like a reader.
export const NO_PARSERS: Readonly<Record<string, string>> = {
  'src/broadcast/feeder.ts': 'looks for a broadcast in a list of bounded length',
  'src/cluster/rendezvous.ts': 'hashes the id of an account, one step a character',
  'src/domain/ids.ts': 'looks for one colon, once',
  'src/ingest/plan/plan.ts': 'hashes the id of a source, one step a character',
  'src/system/fault.ts': 'reads a stack of bounded depth',
};

// RegExp is called in these; what it makes is tried by the parser that is named, or cannot be slow for that reason.
export const COMPOSED: Readonly<Record<string, string>> = {
  'src/cli/terminal/width.ts': 'rows of the CLI',
  'src/http/watch/reasons.ts': 'a name of the registry, in sentences of the code',
  'src/platforms/discord/credentials.ts': 'tokens and paths of Discord',
  'src/platforms/discord/routes.ts': 'tokens and paths of Discord',
  'src/platforms/telegram/credentials.ts': 'tokens of bots',
  'src/platforms/whatsapp/credentials.ts': 'tokens and paths of WhatsApp',
  'src/sim/discord/paths.ts': 'segments of a path, anchored at both ends',
  'src/platforms/telegram/text/html.ts': 'Telegram HTML',
  'src/platforms/telegram/methods.ts': 'a choice of fixed words, anchored',
  'src/sim/body.ts': 'the head of a part of a form, of the simulator',
  'src/system/log.ts': 'secrets in the log',
};

// Many small ones, many around all, many that begin together, many that overlap.
function* manyEntities(length: number) {
  const text = 'word '.repeat(length / 5);
  const count = Math.floor(length / 50);
  const places = [
    (n: number) => ({ offset: n * 5, length: 4 }),
    () => ({ offset: 0, length: text.length }),
    (n: number) => ({ offset: 0, length: n * 5 }),
    (n: number) => ({ offset: n * 5, length: 250 }),
  ];
  for (const type of ['bold', 'url', 'blockquote', 'pre']) {
    for (const place of places) {
      const entities = Array.from({ length: count }, (_, n) => ({ type, ...place(n) }));
      yield { text, entities };
    }
  }
}

function* bytes(text: string, size: number): Generator<Buffer> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

async function drained(source: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of source);
  } catch {
    // Refusing a text is an answer, too.
  }
}

function answerOf(description: string) {
  const body = JSON.stringify({ ok: false, error_code: 400, description });
  return { kind: 'answered' as const, status: 400, headers: {}, body };
}
