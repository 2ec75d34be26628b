// Simulated channels: posts, edits, deletions, albums, and the count of changes (pts) by which a reader goes on from
// where it was. Plain data on an injected clock: the simulators that serve it put it into their own forms.

import type { Clock } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';

export interface SimPost {
  readonly id: number;
  // ms, as the clock tells them; the forms they are served in know seconds only.
  readonly date: number;
  readonly editedAt: number | null;
  readonly text: string;
  readonly author: string | null;
  // Shared by the posts of an album.
  readonly groupId: bigint | null;
  readonly media: SimMedia | null;
  // A note of the platform ("channel created", "pinned"): it takes an id, and is no post.
  readonly isService: boolean;
}

export interface SimMedia {
  readonly kind: 'photo' | 'video' | 'document';
  readonly name: string | null;
  readonly bytes: number;
}

export interface NewSimPost {
  readonly text: string;
  readonly author?: string;
  readonly media?: SimMedia;
  readonly groupId?: bigint;
}

// `pts`: the count after it.
export type ChannelChange =
  | { readonly kind: 'posted'; readonly pts: number; readonly id: number }
  | { readonly kind: 'edited'; readonly pts: number; readonly id: number }
  // Each id counts.
  | { readonly kind: 'deleted'; readonly pts: number; readonly ids: readonly number[] };

export interface SimChannelPorts {
  readonly clock: Clock;
  readonly random: Random;
}

export interface SimChannelFacts {
  readonly id: bigint;
  readonly name: string;
  readonly title: string;
  // Nobody who is not in it can read it.
  readonly isPrivate?: boolean;
}

export class SimChannel {
  readonly id: bigint;
  readonly title: string;
  readonly name: string;
  readonly createdAt: number;
  // What a caller has to know beside the id.
  readonly accessHash: bigint;
  isPrivate: boolean;
  readonly #ports: SimChannelPorts;
  // By id - 1; null: deleted.
  readonly #posts: (SimPost | null)[] = [];
  readonly #changes: ChannelChange[] = [];
  #pts = 1;
  #count = 0;

  constructor(facts: SimChannelFacts, ports: SimChannelPorts) {
    this.id = facts.id;
    this.title = facts.title;
    this.name = facts.name;
    this.isPrivate = facts.isPrivate ?? false;
    this.#ports = ports;
    this.createdAt = ports.clock.now();
    this.accessHash = randomLong(ports.random);
    this.note();
  }

  get pts(): number {
    return this.#pts;
  }

  // How many are left.
  get count(): number {
    return this.#count;
  }

  // The highest id that was ever given away.
  get lastId(): number {
    return this.#posts.length;
  }

  post(made: NewSimPost): SimPost {
    const { text, author = null, media = null, groupId = null } = made;
    return this.#add({ text, author, media, groupId, isService: false });
  }

  // Its parts have neighbouring ids, unless posts are made between them by hand with a `newGroup`.
  album(parts: readonly NewSimPost[]): SimPost[] {
    const groupId = this.newGroup();
    return parts.map((part) => this.post({ ...part, groupId }));
  }

  newGroup(): bigint {
    return randomLong(this.#ports.random);
  }

  note(): SimPost {
    const nothing = { text: '', author: null, media: null, groupId: null };
    return this.#add({ ...nothing, isService: true });
  }

  // false: there is no such post any more.
  edit(id: number, text: string): boolean {
    const post = this.get(id);
    if (post === null || post.isService) return false;
    this.#posts[id - 1] = { ...post, text, editedAt: this.#ports.clock.now() };
    this.#changes.push({ kind: 'edited', pts: ++this.#pts, id });
    return true;
  }

  // Those that were there.
  delete(ids: readonly number[]): number[] {
    const gone = [...new Set(ids)].filter((id) => this.get(id) !== null);
    if (gone.length === 0) return gone;
    for (const id of gone) this.#posts[id - 1] = null;
    this.#count -= gone.length;
    this.#pts += gone.length;
    this.#changes.push({ kind: 'deleted', pts: this.#pts, ids: gone });
    return gone;
  }

  get(id: number): SimPost | null {
    return this.#posts[id - 1] ?? null;
  }

  // Ascending, without notes.
  posts(): SimPost[] {
    return this.#posts.filter((post) => post !== null && !post.isService) as SimPost[];
  }

  // The first with a count above `pts` and all after it.
  changesAfter(pts: number): readonly ChannelChange[] {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#changes[middle]!.pts <= pts) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }

  #add(fields: Omit<SimPost, 'id' | 'date' | 'editedAt'>): SimPost {
    const id = this.#posts.length + 1;
    const post = { ...fields, id, date: this.#ports.clock.now(), editedAt: null };
    this.#posts.push(post);
    this.#count++;
    this.#changes.push({ kind: 'posted', pts: ++this.#pts, id });
    return post;
  }
}

function randomLong(random: Random): bigint {
  const half = () => BigInt(Math.floor(random.next() * 2 ** 32));
  return BigInt.asIntN(64, (half() << 32n) | half());
}
