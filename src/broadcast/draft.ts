// An audience while it is being filled. Members come as fast as the store takes them; one batch is being written while
// the next is read, and never more.

import { createHash } from 'node:crypto';
import type { BroadcastStore, StoredAudience } from '../store/ports/broadcasts.ts';
import type { Clock } from '../system/clock.ts';
import { type AudienceDraft, MEMBERS_MAX, type NewMember } from './types.ts';

export interface DraftBounds {
  readonly recipientsMax: number;
}

// Names of fields in one audience; a message cannot name further ones.
const FIELDS_MAX = 256;

const AUDIENCES_MAX = 100_000;
// Being filled at once.
const DRAFTS_MAX = 4;

type Store = Pick<BroadcastStore, 'open' | 'fill' | 'seal' | 'drop'>;

export interface DraftsParts {
  readonly clock: Clock;
  readonly broadcasts: Store;
  readonly bounds: DraftBounds;
}

export class Drafts {
  readonly #parts: DraftsParts;
  readonly #open = new Set<number>();
  #opening = 0;

  constructor(parts: DraftsParts) {
    this.#parts = parts;
  }

  // null: too many are being filled, or kept.
  async open(name: string | null): Promise<AudienceDraft | null> {
    const { clock, broadcasts, bounds } = this.#parts;
    if (this.#open.size + this.#opening >= DRAFTS_MAX) return null;
    this.#opening += 1;
    try {
      const at = clock.now();
      const id = await broadcasts.open({ name, at, audiencesMax: AUDIENCES_MAX });
      if (id === null) return null;
      this.#open.add(id);
      return new Draft(id, broadcasts, bounds, () => this.#open.delete(id));
    } finally {
      this.#opening -= 1;
    }
  }
}

class Draft implements AudienceDraft {
  readonly id: number;
  count = 0;
  repeated = 0;
  readonly #store: Store;
  readonly #bounds: DraftBounds;
  readonly #closed: () => void;
  readonly #fields = new Set<string>();
  readonly #hash = createHash('sha256');
  #taken = 0;
  #filling: Promise<void> = Promise.resolve();

  constructor(id: number, store: Store, bounds: DraftBounds, closed: () => void) {
    this.id = id;
    this.#store = store;
    this.#bounds = bounds;
    this.#closed = closed;
  }

  get fields(): readonly string[] {
    return [...this.#fields];
  }

  get digest(): string {
    return this.#hash.copy().digest('base64');
  }

  async add(members: readonly NewMember[]): Promise<'added' | 'too_many'> {
    for (let from = 0; from < members.length; from += MEMBERS_MAX) {
      const batch = members.slice(from, from + MEMBERS_MAX).map((member) => this.#take(member));
      if (this.#taken > this.#bounds.recipientsMax) return 'too_many';
      this.#hash.update(batch.map(({ chat, fields }) => `${chat}\0${fields}`).join('\n'));
      await this.#filling;
      this.#filling = this.#fill(batch);
      // Told by the next `add`, or by `filled`.
      this.#filling.catch(() => {});
    }
    return 'added';
  }

  filled(): Promise<void> {
    return this.#filling;
  }

  async seal(): Promise<StoredAudience | null> {
    await this.#filling;
    const sealed = await this.#store.seal({ audience: this.id, fields: this.fields });
    this.#closed();
    return sealed;
  }

  async drop(): Promise<void> {
    await this.#filling.catch(() => {});
    this.#closed();
    await this.#store.drop({ audience: this.id });
  }

  given(): void {
    this.#closed();
  }

  #take({ chat, fields }: NewMember): { chat: string; fields: string } {
    this.#taken += 1;
    let given = 0;
    let empty = 0;
    for (const name in fields) {
      given += 1;
      if (fields[name] === '') empty += 1;
      if (this.#fields.size < FIELDS_MAX) this.#fields.add(name);
    }
    if (given === empty) return { chat, fields: '' };
    return { chat, fields: JSON.stringify(empty === 0 ? fields : withoutEmpty(fields)) };
  }

  async #fill(members: readonly { chat: string; fields: string }[]): Promise<void> {
    const { added, repeated } = await this.#store.fill({ audience: this.id, members });
    this.count += added;
    this.repeated += repeated;
  }
}

function withoutEmpty(fields: NewMember['fields']): NewMember['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
