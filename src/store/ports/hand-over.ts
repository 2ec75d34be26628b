// The port of a store that may be away, and then takes over what a node accepted meanwhile; see store/spill/.

import type { NewDelivery, Queued } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { MoveCommand } from './delivery.ts';
import type { Doubt } from './unavailable.ts';

export interface HandOverStore {
  // Rejects with JournalUnavailable while the store is away, or does not know what became of its last commands.
  reach(): Promise<void>;
  // So many numbers of deliveries, which nobody else is given.
  drawNumbers(count: number): Promise<number[]>;
  // In order, all of it or nothing. What this spill has handed over before is known, however often it comes.
  // `by`: the node whose spill it is; left out: this one.
  handOver(spill: string, records: readonly SpilledRecord[], by?: string): Promise<HandedOver[]>;
  // The spill is over: nobody hands it over again.
  forgetSpill(spill: string): Promise<void>;
  // Those of the accounts that no other node owns.
  unowned(accounts: readonly AccountId[]): Promise<AccountId[]>;
  // Those that nobody has taken up yet.
  stillLeft(seqs: readonly number[]): Promise<number[]>;
  // What others than their owner wrote into accounts that this one owns, in order. Each is returned until it is said to
  // be taken up: it is accepted, and the answer to this question may be lost.
  strays(): Promise<Stray[]>;
  forgetStrays(strays: readonly Stray[]): Promise<void>;
}

export interface Stray {
  readonly no: number;
  // null: it does not wait any more.
  readonly queued: Queued | null;
}

// Of the spill of a node, the next ones.
export interface SpillPart {
  readonly node: string;
  readonly spill: string;
  readonly records: readonly SpilledRecord[];
}

export type SpilledRecord = SpilledAppend | SpilledMove;

export interface SpilledAppend {
  readonly kind: 'append';
  readonly n: number;
  readonly seq: number;
  readonly delivery: NewDelivery;
  // The store may have taken it before it went away, under a number of its own.
  readonly doubt?: Doubt;
  // The node that hands it over does not have it on its road: whoever owns the account takes it up, be it that node.
  readonly isOffRoad?: true;
}

export interface SpilledMove {
  readonly kind: 'move';
  readonly n: number;
  readonly account: AccountId;
  readonly command: MoveCommand;
}

// What became of it in the store. Of a move nobody needs to know.
export type HandedOver =
  | { kind: 'known' | 'moved' }
  // `isStray`: another node owns the account by now.
  | { kind: 'accepted'; replaced: number | null; isStray: boolean }
  // `found`: the store had taken it before it went away, as `by`, and it waits.
  | { kind: 'superseded'; by: number; found: Queued | null }
  | { kind: 'dead'; reason: string };
