// Round robin: a queue whose members know their neighbours, so that leaving from the middle is free.
// A member is in at most one ring of its kind at a time.

import { assert } from '../system/assert.ts';

export abstract class RingMember {
  ring: Ring<RingMember> | null = null;
  ringNext: RingMember | null = null;
  ringPrev: RingMember | null = null;
  // What it was served beyond its turn (an album of ten is ten turns); paid off turn by turn.
  debt = 0;
}

export class Ring<T extends RingMember> {
  #head: T | null = null;
  #tail: T | null = null;
  size = 0;

  get head(): T | null {
    return this.#head;
  }

  push(member: T): void {
    assert(member.ring === null, 'a member joins one ring at a time');
    member.ring = this as unknown as Ring<RingMember>;
    member.ringPrev = this.#tail;
    member.ringNext = null;
    if (this.#tail === null) this.#head = member;
    else this.#tail.ringNext = member;
    this.#tail = member;
    this.size += 1;
  }

  remove(member: T): void {
    assert(member.ring === (this as unknown), 'a member leaves the ring it is in');
    const { ringPrev, ringNext } = member;
    if (ringPrev === null) this.#head = ringNext as T | null;
    else ringPrev.ringNext = ringNext;
    if (ringNext === null) this.#tail = ringPrev as T | null;
    else ringNext.ringPrev = ringPrev;
    member.ring = null;
    member.ringNext = null;
    member.ringPrev = null;
    this.size -= 1;
  }

  // The next member whose turn it is. Members in debt pay one turn and go to the end.
  turn(): T | null {
    let member = this.#head;
    while (member !== null && member.debt > 0 && this.size > 1) {
      member.debt -= 1;
      this.remove(member);
      this.push(member);
      member = this.#head;
    }
    return member;
  }
}

export function leaveRing(member: RingMember): void {
  member.ring?.remove(member);
}
