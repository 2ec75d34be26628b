// Watches updates go by: reads each once, remembers who wrote, notes it in the journal so that a restart forgets
// nothing, and finds out by what name the bot is mentioned.

import { type AccountId, platformOf } from '../domain/ids.ts';
import type { BotIdentity, Platform, UpdateReading, UpdateSummary } from '../platforms/platform.ts';
import type { NewIncoming, UpdateStore } from '../store/ports/updates.ts';
import type { Clock } from '../system/clock.ts';
import { type AnsweringCall, Updates } from './seen.ts';

export interface WatchParts {
  // Whose updates they are; undefined: no such platform, or one that tells nothing.
  readonly platformOf: (
    account: AccountId,
  ) => Pick<Platform, 'calls' | 'budgets' | 'updates'> | undefined;
  readonly clock: Clock;
  readonly incoming: Pick<UpdateStore, 'record' | 'since'>;
  readonly replyWindowMsOf: (account: AccountId) => number;
  // The bot's own name, without the @; null: the platform does not say.
  readonly usernameOf: (account: AccountId) => Promise<string | null>;
  readonly log: { warn(fields: object, message: string): void };
}

// How much of the past a start reads per account.
const RESTORED_MAX = 50_000;
const ASK_NAME_EVERY_MS = 60_000;

export class Watch {
  readonly #parts: WatchParts;
  readonly #updates: Updates;
  readonly #nameAskedAt = new Map<string, number>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#updates = new Updates((account) => {
      const platform = parts.platformOf(account);
      if (platform === undefined) return undefined;
      return { replyTarget: platform.calls.replyTarget, budgets: platform.budgets };
    });
  }

  // Who wrote before the restart still wrote.
  async restore(account: AccountId): Promise<void> {
    const { clock, incoming, replyWindowMsOf } = this.#parts;
    const since = clock.now() - replyWindowMsOf(account);
    for (const { at, ...seen } of await incoming.since({ account, since, max: RESTORED_MAX })) {
      this.#updates.remember(account, { ...seen, saidAt: null }, at);
    }
  }

  // The account is no more.
  forget(account: AccountId): void {
    this.#updates.forget(account);
    this.#nameAskedAt.delete(account);
  }

  // What they are; whatever is no update is left out.
  look(account: AccountId, updates: readonly unknown[]): UpdateSummary[] {
    const reading = this.#parts.platformOf(account)?.updates;
    if (reading === undefined) return [];
    const username = this.#updates.usernameOf(account);
    if (username === null && updates.some((each) => this.#namesSomeone(account, reading, each))) {
      void this.#askName(account, updates);
    }
    const bot = { id: reading.idOf(account), username };
    const summaries = updates.flatMap((update) => this.#summary(account, reading, update, bot));
    const now = this.#parts.clock.now();
    for (const summary of summaries) this.#updates.remember(account, summary, now);
    return summaries;
  }

  #namesSomeone(account: AccountId, reading: UpdateReading, update: unknown): boolean {
    try {
      return reading.namesSomeone(update);
    } catch (error) {
      this.#parts.log.warn(
        { err: error, platform: platformOf(account), account },
        'an update cannot be read',
      );
      return false;
    }
  }

  // One update that cannot be read must not keep the others from the app.
  #summary(
    account: AccountId,
    reading: UpdateReading,
    update: unknown,
    bot: BotIdentity,
  ): UpdateSummary[] {
    try {
      const summary = reading.read(update, bot);
      return summary === null ? [] : [summary];
    } catch (error) {
      this.#parts.log.warn(
        { err: error, platform: platformOf(account), account },
        'an update cannot be read',
      );
      return [];
    }
  }

  // Looks and takes a note; nobody waits for it, because a lost note only costs pace.
  note(account: AccountId, updates: readonly unknown[]): void {
    const { clock, incoming, log } = this.#parts;
    const batch = this.look(account, updates)
      .filter(({ voice }) => voice !== 'none')
      .map((summary) => rowOf(account, summary, clock.now(), 'seen', ''));
    if (batch.length === 0) return;
    incoming.record(batch).catch((error: unknown) => {
      log.warn(
        { err: error, platform: platformOf(account), account },
        'could not save the updates that were seen',
      );
    });
  }

  get seen(): { has(account: AccountId): boolean } {
    return this.#updates.seen;
  }

  nameOf(account: AccountId, chat: string): string | null {
    return this.#updates.nameOf(account, chat);
  }

  budgetFor(account: AccountId, call: AnsweringCall): string {
    const { clock, replyWindowMsOf } = this.#parts;
    return this.#updates.budgetFor(account, call, clock.now(), replyWindowMsOf(account));
  }

  priorityFor(account: AccountId, call: AnsweringCall): 'high' | null {
    return this.#updates.priorityFor(account, call, this.#parts.clock.now());
  }

  authorOf(account: AccountId, call: Pick<AnsweringCall, 'chat' | 'params'>): string | null {
    return this.#updates.authorOf(account, call);
  }

  // Whom a mention means is only known by the bot's name; then the same updates say more.
  async #askName(account: AccountId, updates: readonly unknown[]): Promise<void> {
    const now = this.#parts.clock.now();
    const askedAt = this.#nameAskedAt.get(account) ?? Number.NEGATIVE_INFINITY;
    if (now - askedAt < ASK_NAME_EVERY_MS) return;
    this.#nameAskedAt.set(account, now);
    const username = await this.#parts.usernameOf(account);
    if (username === null) return;
    this.#updates.nameBot(account, username);
    this.look(account, updates);
  }
}

export function rowOf(
  account: AccountId,
  summary: UpdateSummary,
  at: number,
  state: NewIncoming['state'],
  body: string,
): NewIncoming {
  const { id: updateId, order, chat, messageId, voice } = summary;
  return { account, updateId, order, at, chat, messageId, voice, state, body };
}
