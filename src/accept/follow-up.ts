// What is done to a message that has observers is done to their copies of it: an edit, a deletion, a reaction, by
// whichever API it came. The origin's call is accepted first and waits for nothing; then each copy is found in the
// ledger and gets a delivery of its own. What its platform cannot do, or what came too late, is on record as well: a
// delivery that is cancelled at once, with the reason.

import { bodyOf, NO_FILES, withoutExact } from '../domain/body.ts';
import { changesMessage, type Delivery, type NewDelivery } from '../domain/delivery.ts';
import { HOLDERS } from '../domain/idempotency.ts';
import { type AccountId, formatId, provisionalId, seqOfProvisional } from '../domain/ids.ts';
import type { ChangeCall, MessageChange, Platform } from '../platforms/platform.ts';
import type { AskedRoad } from '../road/road.ts';
import type { Appended } from '../store/ports/delivery.ts';
import { type FollowUp, NOT_POSSIBLE, type Submitted, submitOne } from './callers.ts';
import type { AcceptContext } from './context.ts';
import { compose, NO_SEND_OPTIONS, textParts } from './draft.ts';

type Params = Readonly<Record<string, unknown>>;
type Ports = Pick<AcceptContext, 'clock' | 'ledger' | 'tag' | 'platforms' | 'log'> & {
  readonly followingMax?: number;
  readonly leftOutMax?: number;
};

const NONE: readonly FollowUp[] = [];
// Changes that wait for a look at the ledger at once, over all chats.
const FOLLOWING_MAX = 10_000;
// Of so many more only what they change is kept, and that they were not applied is put on record; of others nothing is.
const LEFT_OUT_MAX = 20_000;
// A delivery that only records why nothing is done is due and expires this late, should cancelling it at once fail.
const HELD_BACK_MS = 60_000;
// States of a copy that has no message, and will have none.
const NEVER_SHOWN: readonly Delivery['state'][] = ['dead', 'expired', 'cancelled'];

const BUSY = 'too many changes were waiting to be applied to copies';
const IN_ALBUM = 'of an album only the first message is followed';

// What a record of a call says of it.
type Told = Pick<
  NewDelivery,
  'account' | 'platform' | 'chat' | 'method' | 'family' | 'priority' | 'correlation'
>;

// One call of an origin, as far as all of its copies need it.
interface OriginChange {
  readonly delivery: NewDelivery;
  readonly seq: number;
  readonly params: Params;
  readonly change: MessageChange;
}

export class FollowUps {
  readonly #p: Ports;
  readonly #inner: AskedRoad;
  readonly #following = new WeakMap<NewDelivery, Promise<readonly FollowUp[]>>();
  // The last under way of each chat: two edits of one message follow in the order they came.
  readonly #turns = new Map<string, Promise<unknown>>();
  #underWay = 0;
  #leftOut = 0;
  // Read once: where nobody ever observed, no call costs a look-up. In a fleet others make copies, too: see `take`.
  #hasCopies: Promise<boolean> | null = null;

  constructor(ports: Ports, road: AskedRoad) {
    this.#p = ports;
    this.#inner = road;
  }

  // What followed to whom, once that is known; of a call that was handed to this road.
  of(delivery: NewDelivery): Promise<readonly FollowUp[]> {
    return this.#following.get(delivery) ?? Promise.resolve(NONE);
  }

  // As the road takes it.
  submit(delivery: NewDelivery): Promise<Appended> {
    const appended = this.#inner.submit(delivery);
    if (delivery.copyOf !== undefined) this.#hasCopies = Promise.resolve(true);
    if (!changesMessage(delivery) || delivery.isBounded === true) return appended;
    const { followingMax = FOLLOWING_MAX, leftOutMax = LEFT_OUT_MAX } = this.#p;
    if (this.#underWay < followingMax) {
      this.#underWay += 1;
      const turn = this.#inTurn(delivery, appended, (seq) => this.#follow(delivery, seq));
      this.#note(delivery, turn, () => {
        this.#underWay -= 1;
      });
    } else if (this.#leftOut < leftOutMax) {
      this.#leftOut += 1;
      this.#note(delivery, this.#leaveOut(delivery, appended), () => {
        this.#leftOut -= 1;
      });
    } else {
      this.#p.log.warn(
        lineOf(delivery),
        'too many edits wait to be applied to copies; this one is not',
      );
    }
    return appended;
  }

  #note(delivery: NewDelivery, turn: Promise<readonly FollowUp[]>, done: () => void): void {
    const following = turn
      .catch((error) => {
        this.#p.log.error(
          { err: error, ...lineOf(delivery) },
          'an edit could not be applied to the copies of its message',
        );
        return NONE;
      })
      .finally(done);
    this.#following.set(delivery, following);
  }

  async #inTurn(
    at: Told,
    appended: Promise<Appended>,
    run: (seq: number) => Promise<readonly FollowUp[]>,
  ): Promise<readonly FollowUp[]> {
    const taken = await appended.catch(() => null);
    if (taken?.kind !== 'accepted') return NONE;
    const place = `${at.account}\n${at.chat}`;
    const before = this.#turns.get(place) ?? Promise.resolve();
    const turn = before.then(() => run(taken.queued.seq));
    const settled = turn.then(
      () => {},
      () => {},
    );
    this.#turns.set(place, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(place) === settled) this.#turns.delete(place);
    }
  }

  async #follow(delivery: NewDelivery, seq: number): Promise<readonly FollowUp[]> {
    if (!(await this.#areThereCopies())) return NONE;
    const { params, change } = this.#read(delivery);
    if (change === null) return NONE;
    const found: FollowUp[] = [];
    for (const message of change.messages) {
      const origin = await this.#originOf(delivery, message);
      if (origin === null) {
        found.push(...(await this.#recordInAlbum(delivery, seq, message)));

        continue;
      }
      for (const parts of await this.#placesOf(origin)) {
        for (const [index, copy] of parts.entries()) {
          const receipt = await this.#changeCopy({ delivery, seq, params, change }, copy, index);
          found.push({ account: copy.account, chat: copy.chat, receipt });
        }
        await this.#sendMore({ delivery, seq, params, change }, parts, origin);
      }
    }
    return found;
  }

  // Neither the body nor the files of the call wait with it.
  async #leaveOut(
    delivery: NewDelivery,
    appended: Promise<Appended>,
  ): Promise<readonly FollowUp[]> {
    const { account, platform, chat, method, family, priority, correlation } = delivery;
    const told = { account, platform, chat, method, family, priority, correlation };
    const messages = this.#read(delivery).change?.messages ?? [];
    return this.#inTurn(told, appended, async (seq) => {
      if (!(await this.#areThereCopies())) return NONE;
      const found: FollowUp[] = [];
      for (const message of messages) {
        const origin = await this.#originOf(told, message);
        const made = origin ?? (await this.#albumOf(told, message));
        if (made !== null) found.push(...(await this.#recordAll(told, seq, made, BUSY)));
      }
      return found;
    });
  }

  async #recordInAlbum(delivery: Told, seq: number, message: string): Promise<FollowUp[]> {
    const album = await this.#albumOf(delivery, message);
    return album === null ? [] : this.#recordAll(delivery, seq, album, IN_ALBUM);
  }

  // Once for each place with copies.
  async #recordAll(delivery: Told, seq: number, origin: number, why: string): Promise<FollowUp[]> {
    const found: FollowUp[] = [];
    for (const [copy] of await this.#placesOf(origin)) {
      const receipt = await this.#record({ delivery, seq }, copy!, why);
      found.push({ account: copy!.account, chat: copy!.chat, receipt });
    }
    return found;
  }

  #read(delivery: NewDelivery): { params: Params; change: MessageChange | null } {
    const params = JSON.parse(withoutExact(delivery.body)) as Params;
    const { changes } = this.#p.platforms.get(delivery.platform) ?? {};
    return { params, change: changes?.read(delivery.method, params) ?? null };
  }

  // A long text is several messages where it is copied to.
  async #placesOf(origin: number): Promise<Delivery[][]> {
    const copies = await this.#p.ledger.copiesOf(origin);
    const places = Map.groupBy(copies, ({ account, chat }) => `${account}\n${chat}`);
    return Array.from(places.values(), (parts) => parts.sort((a, b) => a.seq - b.seq));
  }

  // An account has come to this node of a fleet: its messages may have copies that were made elsewhere.
  async take(): Promise<void> {
    const asked = this.#hasCopies;
    if ((await asked?.catch(() => false)) === false && this.#hasCopies === asked) {
      this.#hasCopies = null;
    }
  }

  async leave(): Promise<void> {}

  #areThereCopies(): Promise<boolean> {
    this.#hasCopies ??= this.#p.ledger.hasCopies().catch((error) => {
      this.#hasCopies = null;
      throw error;
    });
    return this.#hasCopies;
  }

  // The delivery that made the message: of those with its id the first.
  async #originOf({ account, chat }: Told, message: string): Promise<number | null> {
    const provisional = seqOfProvisional(message);
    if (provisional !== null) {
      const known = await this.#p.ledger.get(provisional);
      return known?.account === account ? provisional : null;
    }
    return (await this.#madeOf(account, chat, message))?.seq ?? null;
  }

  async #madeOf(account: AccountId, chat: string, messageId: string): Promise<Delivery | null> {
    const page = { limit: 1, after: 0 };
    const [first] = await this.#p.ledger.search({ account, chat, messageId }, page);
    return first ?? null;
  }

  // The delivery that made the message together with others before it.
  async #albumOf({ account, chat, platform }: Told, message: string): Promise<number | null> {
    const albums = this.#p.platforms.get(platform)?.changes?.albums;
    if (albums === undefined || seqOfProvisional(message) !== null) return null;
    for (const first of albums.firstsOf(message)) {
      const made = await this.#madeOf(account, chat, first);
      // Of the messages before it the nearest that is known: an album before that one ended there.
      if (made !== null) return albums.holds(made.result ?? '', message) ? made.seq : null;
    }
    return null;
  }

  async #changeCopy(
    origin: OriginChange,
    copy: Delivery,
    index: number,
  ): Promise<FollowUp['receipt']> {
    const drafted = this.#draft(origin, copy, index);
    if (typeof drafted === 'string') return this.#record(origin, copy, drafted);
    const submitted = await this.#hand(drafted);
    return submitted.kind === 'accepted' ? submitted.receipt : submitted.problem;
  }

  // A text: why it cannot be done.
  #draft(origin: OriginChange, copy: Delivery, index: number): NewDelivery | string {
    const { delivery, params, change } = origin;
    if (NEVER_SHOWN.includes(copy.state)) return 'its copy was never shown';
    if ((delivery.files?.length ?? 0) > 0) return 'files are not copied';
    const platform = this.#p.platforms.get(copy.platform);
    const changes = platform?.changes;
    if (platform === undefined || changes === undefined) return `not on ${copy.platform}`;
    const message = copy.messageId ?? String(provisionalId(copy.seq));
    // A deletion may name its messages in a list, of which the copy is none.
    const isSame = copy.platform === delivery.platform && change.kind !== 'delete';
    const call = isSame
      ? { method: delivery.method, params: changes.about(params, message) }
      : changeOf(platform, change, message, index);
    if (call === null) return `${copy.platform} has no such ${change.kind}`;
    return this.#compose(origin, copy, platform, call);
  }

  // The further messages that a longer text needs.
  async #sendMore(change: OriginChange, copies: readonly Delivery[], origin: number) {
    const last = copies.at(-1)!;
    const platform = this.#p.platforms.get(last.platform);
    if (platform === undefined || platform.name === change.delivery.platform) return;
    const { textMethod: method } = platform.calls;
    for (const params of partsOf(platform, change.change).slice(copies.length)) {
      const drafted = this.#compose(change, last, platform, { method, params });
      if (typeof drafted !== 'string') await this.#hand({ ...drafted, copyOf: origin });
    }
  }

  #compose(
    { delivery, seq }: OriginChange,
    copy: Delivery,
    platform: Platform,
    call: ChangeCall,
  ): NewDelivery | string {
    const addressed = platform.calls.address(call.params, { chat: copy.chat, thread: null });
    const described = platform.calls.describe(call.method, addressed);
    if (described.kind !== 'call') return `${copy.platform} does not take it`;
    const { clock, tag } = this.#p;
    const { account, session, thread } = copy;
    const to = { account, platform: platform.name, call: { ...described, thread } };
    const composed = compose(
      clock.now(),
      { ...to, body: bodyOf(addressed, NO_FILES) },
      { ...NO_SEND_OPTIONS, ...this.#asked(delivery, formatId(tag, seq)), session },
    );
    return 'path' in composed ? composed.expected : { ...composed, live: delivery.live };
  }

  #asked({ priority, final, correlation }: NewDelivery, id: string) {
    return { priority, final, correlation: correlation ?? id };
  }

  #hand(delivery: NewDelivery): Promise<Submitted> {
    const { ledger, tag } = this.#p;
    return submitOne({ road: this.#inner, ledger, tag }, { kind: 'drafted', delivery });
  }

  // Under the observer's account, where somebody would look for it.
  async #record(
    { delivery, seq }: { readonly delivery: Told; readonly seq: number },
    copy: Delivery,
    detail: string,
  ): Promise<FollowUp['receipt']> {
    const { clock, tag } = this.#p;
    const now = clock.now();
    const { account, platform, chat, thread, session } = copy;
    const { method, family, priority, correlation } = delivery;
    const submitted = await this.#hand({
      ...{ account, platform, chat, thread, session, user: null, method, family, priority },
      correlation: correlation ?? formatId(tag, seq),
      ...{
        budget: copy.budget,
        cost: 1,
        live: false,
        final: false,
        slot: null,
        idempotencyKey: null,
      },
      notBefore: now + HELD_BACK_MS,
      expiresAt: now + 2 * HELD_BACK_MS,
      acceptedAt: now,
      body: JSON.stringify({ note: detail }),
    });
    if (submitted.kind === 'refused') return submitted.problem;
    const by = HOLDERS.sluice;
    const why = { at: now, reason: NOT_POSSIBLE, by, body: null, queueMax: 0 };
    await this.#inner.move({ account, seq: submitted.seq, to: 'cancelled', ...why });
    const { receipt } = submitted;
    const nowhere = { position: null, eta: null, reason: NOT_POSSIBLE, detail };
    return { ...receipt, state: 'cancelled', ...nowhere };
  }
}

// What a line of the log says of it: of one that has no id yet its caller's own, if any.
function lineOf({ platform, account, chat, correlation }: NewDelivery) {
  return { platform, account, chat, ...(correlation === null ? {} : { correlation }) };
}

// Of an edit its part of the new text; a part that is not needed any more goes.
function changeOf(
  platform: Platform,
  change: MessageChange,
  message: string,
  index: number,
): ChangeCall | null {
  const make = (made: MessageChange) => platform.changes?.make(made, message) ?? null;
  const parts = partsOf(platform, change);
  if (parts.length < 2 && index === 0) return make(change);
  if (change.kind !== 'edit') return make(change);
  if (index >= parts.length) return make({ ...change, kind: 'delete', text: null });
  const call = make({ ...change, text: '' });
  return call === null ? null : { ...call, params: { ...call.params, ...parts[index] } };
}

// The messages that the new text needs there; none: the text is not what changes.
function partsOf(platform: Platform, { kind, text }: MessageChange): readonly Params[] {
  return kind === 'edit' && text !== null ? textParts(platform, text) : [];
}
