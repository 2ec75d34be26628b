// One message to an origin and its observers. The origin is submitted first and alone, so that a refused message
// reaches no observer, and no observer can delay or fail it. Each copy is a delivery of its own; what goes wrong with
// one stands at its index in `observers`. A copy whose account must first be looked up at its platform is `pending` in
// the answer, and is submitted when the platform has answered. A call that changes a message is not copied: it follows
// to the copies of that message (see follow-up.ts), and an observer without a body of its own gets what became of its
// copy.

import { changesMessage, type NewDelivery } from '../domain/delivery.ts';
import { type Problem, problem } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Platform } from '../platforms/platform.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { drained } from '../system/service.ts';
import {
  journalProblem,
  NOT_POSSIBLE,
  type NotPossible,
  type ObserverReceipt,
  type Pending,
  refused,
  type Submitted,
  submitOne,
} from './callers.ts';
import { type AcceptContext, OBSERVERS_LATE_MAX, OBSERVERS_MS_MAX } from './context.ts';
import {
  type Drafted,
  draft,
  type FromHeaders,
  paramsOf,
  platformFor,
  textParts,
} from './draft.ts';
import { identityProblem, invalid } from './problems.ts';
import type { FanOutRequest } from './schema.ts';

type Observer = FanOutRequest['to']['observers'][number];
type Content = Required<Pick<Observer, 'body' | 'method'>>;

// A message of its own, several where its platform takes no text so long, or what becomes of its copy of a message that
// the origin changes.
export type DraftedObserver =
  | Drafted
  | { kind: 'parts'; parts: readonly Drafted[] }
  | { kind: 'follows'; account: AccountId; chat: string };

// As the log names it.
type AboutCopy = Pick<ObserverDraft, 'platform'> &
  Pick<NewDelivery, 'correlation'> &
  Partial<Pick<NewDelivery, 'account' | 'chat'>>;

export interface ObserverDraft {
  // null: it names none that is known here.
  readonly platform: string | null;
  readonly drafted: Promise<DraftedObserver>;
}

const PENDING: Pending = Object.freeze({
  state: 'pending',
  detail: 'its platform is being asked for the account; it is accepted when that is known',
});
const NO_COPY: NotPossible = Object.freeze({
  state: NOT_POSSIBLE,
  detail: 'no copy of that message is in its chat',
});
const REPEATED: Pending = Object.freeze({
  state: 'pending',
  detail: 'the same call was accepted before, and followed then',
});
// Other calls refer to something that only the origin's chat has (a button press).
const COPIED = ['send', 'typing', 'draft'];

// Begins to draft; nobody has to wait for it. The promises never reject.
export function draftObservers(
  options: AcceptContext,
  request: FanOutRequest,
  origin: NewDelivery,
  headers: FromHeaders,
): ObserverDraft[] {
  return request.to.observers.map((observer, i) => {
    const platform = platformNamed(options, observer);
    const about = { platform, correlation: origin.correlation };
    return { platform, drafted: draftOne(options, request, origin, headers, i, about) };
  });
}

function draftOne(
  options: AcceptContext,
  request: FanOutRequest,
  origin: NewDelivery,
  headers: FromHeaders,
  i: number,
  about: AboutCopy,
): Promise<DraftedObserver> {
  const { to, text: _text, ...rest } = request;
  const key = rest.idempotencyKey ?? headers.idempotencyKey;
  const observer = to.observers[i]!;
  const { method: _method, body: _body, ...target } = observer;
  if (changesMessage(origin) && observer.body === undefined) {
    return draftInTime(options, about, () => followerOf(options, observer, headers));
  }
  const content = contentFor(options, request, origin, i);
  if ('code' in content) return Promise.resolve(refused(content));
  // Parts must not replace each other in the queue.
  const { coalesce: _coalesce, ...apart } = rest;
  const shared = content.length === 1 ? rest : apart;
  const copies = content.map((part, n) => {
    // Each copy is a message of its own: one key for all of them would be a conflict.
    const ownKey = n === 0 ? `${key}#${i + 1}` : `${key}#${i + 1}.${n + 1}`;
    return {
      ...shared,
      ...part,
      ...(key === null ? {} : { idempotencyKey: ownKey }),
      to: target,
    };
  });
  return draftInTime(options, about, async () => {
    const parts = [await draft(options, copies[0]!, headers)];
    for (const copy of copies.slice(1)) parts.push(await draft(options, copy, headers));
    return parts.length === 1 ? parts[0]! : { kind: 'parts', parts };
  });
}

// Whose copy it is.
async function followerOf(
  options: AcceptContext,
  { chat, ...to }: Observer,
  { bounds = null }: FromHeaders,
): Promise<DraftedObserver> {
  const platform = platformFor(options, to);
  if ('code' in platform) return refused(platform);
  if (bounds?.isNarrow) return refused(problem('forbidden_scope', ''));
  const identity = await options.accounts.resolve(platform.name, String(to.account));
  if (identity.kind !== 'known') return refused(identityProblem(identity));
  return { kind: 'follows', account: identity.id, chat: String(chat).toLowerCase() };
}

async function draftInTime(
  options: AcceptContext,
  about: AboutCopy,
  start: () => DraftedObserver | Promise<DraftedObserver>,
): Promise<DraftedObserver> {
  const { late } = options;
  if (late.observers >= OBSERVERS_LATE_MAX) {
    return refused(problem('platform_unreachable', 'Too many observers wait for a platform.'));
  }
  late.observers += 1;
  try {
    return await start();
  } catch (error) {
    return refused(troubleOf(options, error, about));
  } finally {
    late.observers -= 1;
  }
}

// What the observer gets: its own, the origin's, or on another platform the origin's in plain words.
function contentFor(
  options: AcceptContext,
  request: FanOutRequest,
  origin: NewDelivery,
  index: number,
): readonly Content[] | Problem {
  const observer = request.to.observers[index]!;
  const path = `/to/observers/${index}`;
  const platform = platformFor(options, observer);
  if ('code' in platform) return platform;
  const own = observer.method ?? platform.calls.textMethod;
  if (observer.body !== undefined) return [{ method: own, body: observer.body }];
  if (!COPIED.includes(origin.family)) {
    const expected = `a body of its own: ${origin.method} is about a message of the origin`;
    return invalid('invalid_message', [{ path, expected }]);
  }
  const from = options.platforms.get(origin.platform)!;
  const body = paramsOf(from, request) ?? {};
  if (platform.name === origin.platform) {
    const copied = withoutReply(platform, origin.method, body);
    return [{ method: observer.method ?? origin.method, body: copied }];
  }
  const text = request.text ?? from.content?.wording(origin.method, body) ?? null;
  if (text !== null) return textParts(platform, text).map((part) => ({ method: own, body: part }));
  const expected = `a body of its own: ${origin.method} cannot be put in words for ${platform.name}`;
  return invalid('invalid_message', [{ path, expected }]);
}

// What the origin's message replies to is not in the observer's chat.
export function withoutReply(
  platform: Platform,
  method: string,
  body: Content['body'],
): Content['body'] {
  const alone =
    platform.repairs?.cure({ kind: 'drop_reply' }, method, JSON.stringify(body)) ?? null;
  return alone === null ? body : (JSON.parse(alone.body) as Content['body']);
}

export async function fanOut(
  options: AcceptContext,
  origin: Drafted,
  observers: readonly ObserverDraft[],
): Promise<Submitted> {
  const submitted = await submitOne(options, origin);
  if (submitted.kind === 'refused') return submitted;
  const { seq, receipt } = submitted;
  const receipts: ObserverReceipt[] = observers.map(() => PENDING);
  let isAnswered = false;
  const copies = observers.map(async ({ platform, ...observer }, i) => {
    const drafted = await observer.drafted;
    const result =
      drafted.kind === 'follows'
        ? await followed(options, origin, drafted, receipt.repeated === true)
        : await submitCopy(options, drafted, seq);
    receipts[i] = result;
    if (isAnswered && 'code' in result) {
      const { code } = result;
      const { id, correlation } = receipt;
      options.log.warn(
        { origin: id, correlation, platform, ...accountIn(drafted), observer: i, code },
        'a copy for an observer was not accepted',
      );
    }
  });
  await drained(options.clock, copies, OBSERVERS_MS_MAX);
  isAnswered = true;
  return { ...submitted, receipt: { ...submitted.receipt, observers: receipts } };
}

async function submitCopy(
  options: AcceptContext,
  drafted: Exclude<DraftedObserver, { kind: 'follows' }>,
  origin: number,
): Promise<ObserverReceipt> {
  if (drafted.kind === 'parts') {
    const [first, ...others] = drafted.parts;
    const result = await submitCopy(options, first!, origin);
    for (const part of others) {
      const next = 'code' in result ? result : await submitCopy(options, part, origin);
      // The first part that failed is the result.
      if ('code' in next) return next;
    }
    return result;
  }
  if (drafted.kind === 'refused') return drafted.problem;
  // Only a new message can be changed later.
  const isMessage = drafted.delivery.family === 'send';
  const delivery = isMessage ? { ...drafted.delivery, copyOf: origin } : drafted.delivery;
  try {
    const submitted = await submitOne(options, { kind: 'drafted', delivery });
    return submitted.kind === 'accepted' ? submitted.receipt : submitted.problem;
  } catch (error) {
    const { platform, account, chat, correlation } = delivery;
    return troubleOf(options, error, { platform, account, chat, correlation });
  }
}

// null where it could not be found out.
function accountIn(drafted: DraftedObserver): { account: AccountId | null } {
  switch (drafted.kind) {
    case 'follows':
      return { account: drafted.account };
    case 'drafted':
      return { account: drafted.delivery.account };
    case 'parts':
      return accountIn(drafted.parts[0]!);
    case 'refused':
      return { account: null };
  }
}

async function followed(
  { followUps }: AcceptContext,
  origin: Drafted,
  { account, chat }: Extract<DraftedObserver, { kind: 'follows' }>,
  isRepeated: boolean,
): Promise<ObserverReceipt> {
  if (isRepeated) return REPEATED;
  if (followUps === undefined || origin.kind === 'refused') return NO_COPY;
  const all = await followUps.of(origin.delivery);
  return (
    all.find((one) => one.account === account && one.chat.toLowerCase() === chat)?.receipt ??
    NO_COPY
  );
}

// For the log. null: none that is known here.
export function platformNamed(
  options: AcceptContext,
  to: Pick<Observer, 'account' | 'platform'>,
): string | null {
  const platform = platformFor(options, to);
  return 'code' in platform ? null : platform.name;
}

// Not even an exception of ours may fail the origin.
function troubleOf(
  options: AcceptContext,
  error: unknown,
  { platform, ...about }: AboutCopy,
): Problem {
  if (error instanceof JournalUnavailable) return journalProblem(error);
  options.log.error(
    { err: error, platform, ...about },
    'a copy for an observer failed with an exception',
  );
  return problem('internal', '');
}
