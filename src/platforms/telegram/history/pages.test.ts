import { describe, expect, test } from 'vitest';
import type { FilePart } from '../../../system/http/public-files.ts';
import type { HttpRequest, Reply, Transport } from '../../../system/http/transport.ts';
import { channelName, createPageReader } from './pages.ts';

const HEADER = `<div class="tgme_channel_info_header_title"><span dir="auto">Daily &amp; News</span></div>
<div class="tgme_channel_info_header_username"><a href="https://t.me/daily_news">@daily_news</a></div>`;

function post(id: number, inner: string, more = ''): string {
  return `<div class="tgme_widget_message_wrap js-widget_message_wrap">
    <div class="tgme_widget_message text_not_supported_wrap js-widget_message ${more}" data-post="daily_news/${id}">
      <div class="tgme_widget_message_bubble">${inner}
        <span class="tgme_widget_message_meta"><span class="tgme_widget_message_from_author" dir="auto">Ann</span>
        <a class="tgme_widget_message_date" href="https://t.me/daily_news/${id}">
        <time datetime="2026-01-02T03:04:05+00:00" class="time">03:04</time></a></span>
      </div></div></div>`;
}

const text = (words: string) =>
  `<div class="tgme_widget_message_text js-message_text">${words}</div>`;
const page = (...posts: string[]) => `<!DOCTYPE html><html><body>${HEADER}${posts.join('')}`;

function answering(reply: Reply): { transport: Transport; asked: HttpRequest[] } {
  const asked: HttpRequest[] = [];
  const transport: Transport = {
    async request(request) {
      asked.push(request);
      return reply;
    },
    stream: () => Promise.reject(new Error('nothing is streamed')),
    async close() {},
  };
  return { transport, asked };
}

const ok = (body: string): Reply => ({ kind: 'answered', status: 200, headers: {}, body });
const CHANNEL = { id: 'daily_news', access: null, name: 'daily_news', title: 'Daily & News' };

async function historyOf(body: string, after = '0', limit = 100) {
  const read = await createPageReader(answering(ok(body)).transport).history(CHANNEL, after, limit);
  if (read.kind !== 'read') throw new Error(read.kind);
  return read.value;
}

describe('posts of a page', () => {
  test('are ascending, with text, date and author', async () => {
    const { posts } = await historyOf(
      page(
        post(12, text('later')),
        post(9, text('a<br/>b &lt;c&gt; <b>d</b><i class="emoji"><b>😀</b></i>')),
      ),
    );
    expect(posts.map(({ id }) => id)).toEqual(['9', '12']);
    expect(posts[0]).toEqual({
      ...{ id: '9', date: Date.parse('2026-01-02T03:04:05Z'), editedAt: null, author: 'Ann' },
      ...{ text: 'a\nb <c> d😀', groupId: null, media: [] },
    });
  });

  test('of long ones, whose text is nested in itself, the outer is taken once', async () => {
    const { posts } = await historyOf(page(post(1, text(`begin ${text('inner')}`))));
    expect(posts[0]?.text).toBe('begin inner');
  });

  test('name their media', async () => {
    const photo = `<a class="tgme_widget_message_photo_wrap" style="width:8px;background-image:url('https://cdn.example/p.jpg')"></a>`;
    const document = [
      '<a class="tgme_widget_message_document_wrap">',
      '<div class="tgme_widget_message_document_title">plan.pdf</div></a>',
    ].join('');
    const { posts } = await historyOf(page(post(1, photo + document)));
    expect(posts[0]).toMatchObject({
      text: '',
      media: [
        { kind: 'photo', reference: 'https://cdn.example/p.jpg' },
        { kind: 'document', name: 'plan.pdf', reference: null },
      ],
    });
  });

  test('are none of service messages, and none without a date or an id', async () => {
    const dateless = post(2, text('x')).replace('datetime', 'other');
    const { posts } = await historyOf(
      page(
        post(1, text('pinned'), 'service_message'),
        dateless,
        post(3, text('y')).replace('/3"', '/x"'),
      ),
    );
    expect(posts).toEqual([]);
  });
});

describe('paging', () => {
  test('asks for what is above an id, and takes nothing else', async () => {
    const { transport, asked } = answering(
      ok(page(post(5, text('old')), post(6, text('a')), post(8, text('b')))),
    );
    const read = await createPageReader(transport).history(CHANNEL, '5', 1);
    expect(asked.map(({ path }) => path)).toEqual(['/s/daily_news?after=5']);
    expect(read).toMatchObject({ kind: 'read', value: { posts: [{ id: '6' }], newestId: null } });
  });

  test('ends where nothing is above the id', async () => {
    expect(await historyOf(page(post(5, text('old'))), '5')).toEqual({
      ...{ posts: [], newestId: '5', mark: null },
    });
  });
});

describe('a channel', () => {
  test('is found by its page', async () => {
    const { transport, asked } = answering(ok(page()));
    const read = await createPageReader(transport).resolve('https://t.me/s/Daily_News');
    expect(asked[0]?.path).toBe('/s/Daily_News');
    expect(read).toEqual({ kind: 'read', value: CHANNEL });
  });

  test.each([
    ['a page without posts', ok('<html><div class="tgme_page">Preview channel</div></html>')],
    ['a redirect', { kind: 'answered', status: 302, headers: {}, body: '' } satisfies Reply],
  ])('without a preview (%s) is refused, by resolve and by history', async (_, reply) => {
    const reader = createPageReader(answering(reply).transport);
    expect(await reader.resolve('daily_news')).toMatchObject({
      kind: 'refused',
      reason: 'no_preview',
    });
    expect(await reader.history(CHANNEL, '0', 10)).toMatchObject({ kind: 'refused' });
  });

  test.each([
    '',
    'a',
    'ab c',
    '../x',
    'https://example.com/name',
    '@9digits',
    `@${'x'.repeat(99)}`,
  ])('%j is no name, and nothing is asked', async (name) => {
    const { transport, asked } = answering(ok(page()));
    expect(await createPageReader(transport).resolve(name)).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual([]);
  });

  test.each(['@daily_news', 'daily_news', 't.me/daily_news', 'https://t.me/s/daily_news/'])(
    '%s is one',
    (given) => expect(channelName(given)).toBe('daily_news'),
  );
});

test.each<[string, Reply, object]>([
  [
    'a wait',
    { kind: 'answered', status: 429, headers: { 'retry-after': '7200' }, body: '' },
    { kind: 'wait', waitMs: 7_200_000 },
  ],
  [
    'a wait of unknown length',
    { kind: 'answered', status: 429, headers: {}, body: '' },
    { kind: 'wait', waitMs: 60_000 },
  ],
  [
    'a fault',
    { kind: 'answered', status: 502, headers: {}, body: '' },
    { kind: 'failed', reason: 'server' },
  ],
  [
    'no answer',
    { kind: 'lost', reason: 'timeout', detail: 'x' },
    { kind: 'failed', reason: 'timeout' },
  ],
  [
    'no connection',
    { kind: 'unsent', reason: 'ECONNREFUSED', detail: 'x' },
    { kind: 'failed', reason: 'connection' },
  ],
])('%s is a value', async (_, reply, read) => {
  expect(
    await createPageReader(answering(reply).transport).history(CHANNEL, '0', 10),
  ).toMatchObject(read);
});

describe('files', () => {
  const part = { bytes: Buffer.from('abc'), isLast: true, contentType: 'image/jpeg' };
  const asked: string[] = [];
  const reader = (answer: FilePart) =>
    createPageReader(answering(ok('')).transport, {
      get: async (url) => {
        asked.push(url);
        return answer;
      },
      close: async () => {},
    });
  const from = 'https://cdn4.example/file/a.jpg';

  test('come from where the page says, if that is an address of https', async () => {
    const read = await reader({ kind: 'part', ...part }).download!(from, 0);
    expect(read).toMatchObject({ kind: 'read', value: part });
    for (const bad of ['http://10.0.0.1/a', 'file:///etc/passwd', 'nonsense']) {
      expect(await reader({ kind: 'part', ...part }).download!(bad, 0)).toMatchObject({
        ...{ kind: 'refused', reason: 'no_file' },
      });
    }
    expect(asked).toEqual([from]);
  });

  test.each([
    [{ kind: 'refused', status: null, detail: 'not public' }, { kind: 'refused' }],
    [{ kind: 'refused', status: 404, detail: 'HTTP 404' }, { kind: 'refused' }],
    [
      { kind: 'refused', status: 503, detail: 'HTTP 503' },
      { kind: 'failed', reason: 'server' },
    ],
    [
      { kind: 'refused', status: 429, detail: 'HTTP 429' },
      { kind: 'wait', waitMs: 60_000 },
    ],
    [
      { kind: 'failed', reason: 'dns', detail: '' },
      { kind: 'failed', reason: 'connection' },
    ],
  ] as const)('%j is %j', async (answer, expected) =>
    expect(await reader(answer).download!(from, 0)).toMatchObject(expected),
  );
});
