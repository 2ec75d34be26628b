// One stream as it is in memory: what was asked, the text as known and as durable, the messages it has, and what of
// it is under way. Changes that are not on disk yet are kept apart, so that one the store refused can be taken back.

import type { LiveTransport, StreamState } from '../domain/live.ts';
import { NO_EPOCH, type Owner } from '../store/ports/ownership.ts';
import type { Part } from './plan.ts';
import type { NewStream, StreamChange } from './streams.ts';

export interface Op {
  readonly change: StreamChange;
  // Nobody waits for it to be durable: it stays when the store refuses it, and goes with the next save.
  readonly isLazy: boolean;
}

// A delivery of the final, and which message it makes or changes.
export interface Final {
  readonly seq: number;
  readonly part: number;
}

// A showing between its submission and its end.
export type Frame =
  | { kind: 'call'; seq: number; part: number; isSend: boolean }
  | { kind: 'draft'; done: Promise<unknown> };

export class Stream {
  readonly id: string;
  readonly asked: NewStream & { readonly correlation: string };
  readonly openedAt: number;
  state: StreamState = 'open';
  reason: string | null = null;
  transport: LiveTransport;
  text = '';
  // As on disk.
  durable = '';
  ops: Op[] = [];
  parts: Part[] = [];
  // Messages ever asked for: the next one's number, by which a repeated ask is known after a crash.
  made = 0;
  // Of chunks: where in the text each message ends.
  cuts: number[] = [];
  finals: Final[] = [];
  // The parts whose final was sent once more, as a new message.
  resent: number[] = [];
  changedAt: number;
  endedAt: number | null = null;
  shownUnits = 0;
  superseded = 0;

  // Of this process only. Under which epoch of its account it is written; of one that is only looked at: none.
  epoch = NO_EPOCH;
  // Another process has it by now, or soon: nothing more of it is done here.
  isLeft = false;
  // It is being cancelled, and the disk does not know it yet.
  isCancelling = false;
  // When the producer last wrote, for the watchdog.
  fedAt: number;
  // The oldest change that is not shown yet; null: all is shown.
  staleSince: number | null = null;
  frame: Frame | null = null;
  // A showing that is being accepted: its number is not known yet.
  submitting: Promise<unknown> | null = null;
  // Previews are refused for good; the final is tried all the same.
  isMuted = false;
  faults = 0;
  draftDigest: string | null = null;
  draftedAt = 0;
  typedAt = 0;

  constructor(id: string, asked: NewStream, transport: LiveTransport, now: number) {
    this.id = id;
    this.asked = { ...asked, correlation: asked.correlation ?? id };
    this.transport = transport;
    this.openedAt = now;
    this.changedAt = now;
    this.fedAt = now;
  }

  // Order and turns are per session; without one a stream is a session of its own.
  get session(): string {
    return this.asked.session ?? this.id;
  }

  get owner(): Owner {
    return { account: this.asked.account, epoch: this.epoch };
  }

  apply(op: Op): void {
    this.ops.push(op);
    this.text = applied(this.text, op.change);
  }

  // The first `count` changes are on disk with `text`.
  settle(count: number, text: string): void {
    this.ops.splice(0, count);
    this.durable = text;
  }

  // The store refused the first `count` changes: whoever waited for one hears of it, and it never was.
  revert(count: number): void {
    const kept = this.ops.slice(0, count).filter(({ isLazy }) => isLazy);
    this.ops = [...kept, ...this.ops.slice(count)];
    this.text = this.ops.reduce((text, { change }) => applied(text, change), this.durable);
  }
}

// A sign of life, and no more.
export function isNothing({ kind, text }: StreamChange): boolean {
  return kind === 'append' && text === '';
}

export function applied(text: string, change: StreamChange): string {
  return change.kind === 'append' ? text + change.text : change.text;
}
