// Which chats are in an audience while it is being filled, so that nobody is in it twice. Exact, and small: an
// index on disk would write a page for nearly every member. Chats are numbers nearly always, and a number takes
// eight bytes in an open table that is at most three quarters full; names are kept as they are.

const SLOTS_MIN = 1024;
const FILL_MAX = 0.75;
// Never a chat: no platform has such a number, and it is what a fresh table holds.
const EMPTY = 0;
const WHOLE = /^(?:-?[1-9]\d{0,14})$/;

export class ChatSet {
  readonly #names = new Set<string>();
  #slots = new Float64Array(SLOTS_MIN);
  #count = 0;

  // False: it was in it already.
  add(chat: string): boolean {
    if (WHOLE.test(chat)) return this.#addNumber(Number(chat));
    const before = this.#names.size;
    return this.#names.add(chat).size > before;
  }

  #addNumber(number: number): boolean {
    if ((this.#count + 1) / this.#slots.length > FILL_MAX) this.#grow();
    const at = place(this.#slots, number);
    if (this.#slots[at] === number) return false;
    this.#slots[at] = number;
    this.#count += 1;
    return true;
  }

  #grow(): void {
    const slots = new Float64Array(this.#slots.length * 2);
    for (const number of this.#slots) if (number !== EMPTY) slots[place(slots, number)] = number;
    this.#slots = slots;
  }
}

// Where it is, or would be.
function place(slots: Float64Array, number: number): number {
  const last = slots.length - 1;
  // The low half and the rest, mixed, so that neighbours do not crowd.
  const low = number | 0;
  const high = ((number - low) / 4_294_967_296) | 0;
  let at = (Math.imul(low ^ (high + 0x9e37), 0x9e37_79b1) >>> 7) & last;
  while (slots[at] !== EMPTY && slots[at] !== number) at = (at + 1) & last;
  return at;
}
