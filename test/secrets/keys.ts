// A run through all that gives out secrets: keys, virtual tokens, logins, links. What is given is told to the caller of
// this run once, in the answer that gives it; that one place is taken out of what is searched.

export interface Run {
  readonly url: string;
  readonly key: string;
  // Whoever learns of a secret says so.
  secret(value: string): void;
  said(where: string, text: string): void;
  cli(...args: string[]): Promise<string>;
}

interface Asked {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(run: Run, path: string, asked: Asked = {}): Promise<Answered> {
  const { method = 'GET', body, headers = {} } = asked;
  const answer = await fetch(`${run.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const shown = ({ headers, text }: Answered) => JSON.stringify([...headers]) + text;

// The answer that gives a secret: everything else of it is searched.
function given(run: Run, where: string, answer: string, secret: string): void {
  run.secret(secret);
  run.said(where, answer.replace(secret, ''));
}

async function looked(run: Run, path: string, asked: Asked = {}): Promise<Answered> {
  const answer = await ask(run, path, asked);
  run.said(`${asked.method ?? 'GET'} ${path.split('?', 1)[0]}`, shown(answer));
  return answer;
}

async function newKey(run: Run, body: object): Promise<{ id: string; secret: string }> {
  const asked = { method: 'POST', body, headers: bearer(run.key) };
  const answer = await ask(run, '/v1/keys', asked);
  const key = JSON.parse(answer.text) as { id: string; secret: string };
  given(run, 'POST /v1/keys', shown(answer), key.secret);
  return key;
}

export async function keysOfAllKinds(run: Run): Promise<void> {
  for (const role of ['viewer', 'sender', 'operator', 'admin']) {
    const { id, secret } = await newKey(run, { name: `of a ${role}`, role, perMinute: 600 });
    await everyRoute(run, bearer(secret));
    await looked(run, `/v1/keys/${id}`, { method: 'DELETE', headers: bearer(run.key) });
    await looked(run, '/v1/me', { headers: bearer(secret) });
  }
  // Said where it does not belong.
  const { secret } = await newKey(run, { name: 'lost', role: 'sender', chats: ['5'] });
  const headers = bearer(run.key);
  await looked(run, `/v1/messages?account=${secret}`, { headers });
  await looked(run, `/v1/keys/${secret}`, { method: 'DELETE', headers });
  const wrong = [
    { name: 'x', role: secret },
    { name: 'x', virtual: true, account: secret },
  ];
  for (const body of wrong) await looked(run, '/v1/keys', { method: 'POST', body, headers });
  const filter = { account: secret };
  await looked(run, '/v1/dead/retry', { method: 'POST', body: { filter }, headers });
}

// Those that never end are listened to elsewhere.
async function everyRoute(run: Run, headers: Readonly<Record<string, string>>): Promise<void> {
  const { text } = await ask(run, '/openapi.json');
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  for (const [path, verbs] of Object.entries(paths)) {
    if (!('get' in verbs) || /events|terminal/.test(path)) continue;
    await looked(run, path.replace(/\{\w+\}/g, 'x'), { headers });
  }
}

export async function virtualTokens(run: Run, account: string): Promise<void> {
  const bounds = { chats: ['42'], methods: ['sendMessage', 'getMe', 'getWebhookInfo'] };
  const { id, secret } = await newKey(run, { name: 'worker', virtual: true, account, ...bounds });
  const call = (method: string, chat_id: number | string) =>
    looked(run, `/bot${secret}/${method}`, { method: 'POST', body: { chat_id, text: 'hello' } });
  for (const method of ['sendMessage', 'sendPhoto', 'getMe', 'getWebhookInfo', 'getUpdates']) {
    await call(method, 42);
  }
  await call('sendMessage', 43);
  await call('sendMessage', secret);
  await looked(run, `/file/bot${secret}/photos/a.jpg`);
  await looked(run, '/v1/me', { headers: bearer(secret) });
  const rotating = { method: 'POST', body: { grace: 60 }, headers: bearer(run.key) };
  const rotated = await ask(run, `/v1/keys/${id}/rotate`, rotating);
  given(run, 'rotate', shown(rotated), (JSON.parse(rotated.text) as { secret: string }).secret);
  await looked(run, `/v1/keys/${id}`, { method: 'DELETE', headers: bearer(run.key) });
  await call('sendMessage', 42);
}

export async function logins(run: Run, link: string): Promise<void> {
  const token = new URL(link).searchParams.get('token')!;
  run.secret(token);
  const followed = await ask(run, `/login?token=${token}&confirmed=yes`);
  const cookie = cookieOf(followed);
  given(run, 'GET /login', shown(followed), cookie.split('=')[1]!);
  await looked(run, `/login?token=${token}&confirmed=yes`);
  const { csrf } = JSON.parse((await looked(run, '/v1/me', { headers: { cookie } })).text) as {
    csrf: string;
  };
  const pause = '/v1/accounts/telegram:9/pause';
  await looked(run, pause, { method: 'POST', headers: { cookie } });
  await looked(run, pause, { method: 'POST', headers: { cookie, 'x-csrf-token': csrf } });
  await everyRoute(run, { cookie });
  const body = { key: run.key };
  const entered = await ask(run, '/login', { method: 'POST', body });
  given(run, 'POST /login', shown(entered), cookieOf(entered).split('=')[1]!);
  for (const key of [`${run.key}x`, token])
    await looked(run, '/login', { method: 'POST', body: { key } });
  await looked(run, '/logout', { method: 'POST', headers: { cookie, 'x-csrf-token': csrf } });
  await looked(run, '/v1/me', { headers: { cookie } });
}

function cookieOf({ headers }: Answered): string {
  return headers.get('set-cookie')!.split(';', 1)[0]!;
}

export async function keysByHand(run: Run): Promise<void> {
  const made = await run.cli('keys', 'create', 'by hand', '--role', 'viewer', '--json');
  given(run, 'keys create', made, (JSON.parse(made) as { secret: string }).secret);
  for (const args of [['list'], ['list', '--json'], ['audit'], ['audit', '--json']]) {
    run.said(`keys ${args.join(' ')}`, await run.cli('keys', ...args));
  }
}
