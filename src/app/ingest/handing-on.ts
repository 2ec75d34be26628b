// Hands a post on to where its source says: signed to a webhook, or into a chat, where it is a delivery like any other.
// The id of a post is that of its hand-over, so that a receiver (and the road) can tell a repetition.

import { prepare, submit } from '../../accept/submit.ts';
import { HOLDERS } from '../../domain/idempotency.ts';
import { platformOf } from '../../domain/ids.ts';
import type { HttpParts } from '../../http/context.ts';
import { showPost } from '../../http/ingest/view.ts';
import type { Handed } from '../../ingest/forwarding.ts';
import type { ForwardTarget, SourceView } from '../../ingest/ingest.ts';
import type { StoredPost } from '../../store/ports/ingest.ts';
import { undiciPosting } from '../../system/http/post.ts';
import { derivedSigningSecret, signedHeaders } from '../../updates/signature.ts';
import type { Resources } from '../resources.ts';

export interface HandingOn {
  hand(target: ForwardTarget, source: SourceView, post: StoredPost): Promise<Handed>;
  // What posts to webhooks are signed with.
  readonly secret: string;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 16;
const POST_MS_MAX = 30_000;
// Refusals that pass.
const PASSING = ['queue_full', 'disk_full', 'journal_failed', 'shutting_down', 'not_owner'];

export function openHandingOn(resources: Resources, options: () => HttpParts): HandingOn {
  const { clock, log, secret: gatewaySecret, secretPrevious } = resources;
  const secret = derivedSigningSecret(gatewaySecret, 'ingest');
  const former = secretPrevious === null ? [] : [derivedSigningSecret(secretPrevious, 'ingest')];
  const posting = undiciPosting(CONNECTIONS_MAX);

  const toWebhook = async (url: string, source: SourceView, post: StoredPost): Promise<Handed> => {
    const { id, name, kind } = source;
    const body = JSON.stringify({ source: { id: String(id), name, kind }, post: showPost(post) });
    const signed = { id: handOverId(post), at: clock.now(), body, secrets: [secret, ...former] };
    const reply = await posting.post(url, body, signedHeaders(signed), POST_MS_MAX);
    if (reply.kind === 'answered' && reply.status >= 200 && reply.status < 300) return 'taken';
    const why = reply.kind === 'answered' ? `HTTP ${reply.status}` : reply.reason;
    log.warn({ source: id, channel: name, why }, 'a webhook did not take a post; trying again');
    return 'later';
  };

  const toChat = async (
    target: Extract<ForwardTarget, { kind: 'chat' }>,
    source: SourceView,
    post: StoredPost,
  ): Promise<Handed> => {
    const { account, chat, thread } = target;
    const platform = resources.platforms.get(platformOf(account));
    if (platform === undefined) return 'dropped';
    const to = { platform: platform.name, account, chat, ...(thread === null ? {} : { thread }) };
    const body = platform.calls.textParams(textOf(post));
    const message = { to, body, idempotencyKey: handOverId(post) };
    const headers = { correlation: null, idempotencyKey: null, holder: HOLDERS.sluice };
    const submitted = await submit(options(), await prepare(options(), message, headers));
    if (submitted.kind === 'accepted') return 'taken';
    const { code, detail } = submitted.problem;
    if (PASSING.includes(code)) return 'later';
    const where = { platform: platform.name, account, chat };
    const about = { source: source.id, channel: source.name, why: `${code}: ${detail}` };
    log.warn({ ...where, ...about }, 'a post could not be put into its chat');
    return 'dropped';
  };

  return {
    hand: (target, source, post) =>
      target.kind === 'webhook'
        ? toWebhook(target.url, source, post)
        : toChat(target, source, post),
    secret,
    close: () => posting.close(),
  };
}

function handOverId({ source, id }: StoredPost): string {
  return `ingest:${source}:${id}`;
}

// Of a post without words, what it shows.
function textOf({ text, media }: StoredPost): string {
  if (text !== '') return text;
  const shown = JSON.parse(media) as readonly { kind: string; name: string | null }[];
  return `[${shown.map(({ kind, name }) => name ?? kind).join(', ') || 'post'}]`;
}
