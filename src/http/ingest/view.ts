// Sources and posts as the routes show them.

import { showTime, showTimeOrNull } from '../../accept/time.ts';
import type { ForwardTarget, LoginNow, SourceView } from '../../ingest/ingest.ts';
import type { PostVersion, StoredPost } from '../../store/ports/ingest.ts';
import type { ReaderAccountView } from './port.ts';

export function showSource(source: SourceView, now: number) {
  const { settings, failure, run } = source;
  return {
    id: String(source.id),
    source: source.name,
    kind: source.kind,
    state: source.state,
    account: settings.account,
    priority: settings.weight,
    forwardTo: showTarget(settings.forwardTo),
    createdAt: showTime(source.createdAt),
    mode: source.mode,
    cursor: { lastId: source.lastId },
    lastSuccessAt: showTimeOrNull(source.succeededAt),
    lastPostAt: showTimeOrNull(source.parsedAt),
    newestPostDate: showTimeOrNull(source.newestDate),
    freshnessSeconds:
      Math.max(0, Math.round(now - (source.succeededAt ?? source.createdAt))) / 1000,
    nextLookAt: source.nextLookAt === null ? null : showTime(Math.max(now, source.nextLookAt)),
    nextLookReason: source.nextLookReason,
    gaps: source.gaps,
    failure: failure === null ? null : { ...failure, since: showTime(failure.since) },
    trouble: source.trouble,
    run: run === null ? null : { ...run, startedAt: showTime(run.startedAt) },
  };
}

function showTarget(target: ForwardTarget | null) {
  if (target === null) return null;
  if (target.kind === 'webhook') return { url: target.url };
  const { account, chat, thread } = target;
  return { account, chat, thread };
}

export function showPost(post: StoredPost) {
  const { source, id, date, storedAt, versions } = post;
  return {
    source: String(source),
    messageId: id,
    date: showTime(date),
    ...showContent(post),
    storedAt: showTime(storedAt),
    versions,
  };
}

export function showVersion(version: PostVersion) {
  return { until: showTime(version.until), ...showContent(version) };
}

type Content = Pick<StoredPost, 'text' | 'author' | 'groupId' | 'media' | 'editedAt' | 'deletedAt'>;

function showContent({ text, author, groupId, media, editedAt, deletedAt }: Content) {
  return {
    ...{ text, author, groupId, media: JSON.parse(media) as unknown },
    editedAt: showTimeOrNull(editedAt),
    deletedAt: showTimeOrNull(deletedAt),
  };
}

export function showReader({ readerKind, account, name, state, isOpen, waits }: ReaderAccountView) {
  return {
    ...{ kind: readerKind, id: account, name, state, connected: isOpen },
    waits: waits.map(({ method, at, until }) => ({
      method,
      since: showTime(at),
      until: showTimeOrNull(until),
    })),
  };
}

export function showLogin({ id, kind, step }: LoginNow) {
  const said = { again: false, hint: null, account: null, detail: null, waitSeconds: null };
  const about = { id, kind };
  switch (step.kind) {
    case 'asks':
      return { ...about, state: step.question, ...said, again: step.isAgain, hint: step.hint };
    case 'logged_in':
      return { ...about, state: step.kind, ...said, account: { id: step.id, name: step.name } };
    case 'refused':
      return { ...about, state: step.kind, ...said, detail: step.detail };
    case 'wait': {
      const waitSeconds = Math.ceil(step.waitMs / 1000);
      const detail = `the platform asks to wait for ${waitSeconds} s before the next try`;
      return { ...about, state: 'refused', ...said, detail, waitSeconds };
    }
  }
}
