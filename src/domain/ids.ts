// Public ids. A store draws a random tag when it is made; a delivery's id is `<tag>-<number>`.
// So an id costs no column and no index, ids sort by acceptance, and an id of another store
// (an older data folder, another node's spill) is recognised instead of naming the wrong message.

const ID = /^([0-9a-z]{5})-([0-9a-z]{1,11})$/;

export function formatId(tag: string, seq: number): string {
  return `${tag}-${seq.toString(36)}`;
}

export function parseId(tag: string, id: string): number | null {
  const match = ID.exec(id);
  if (match === null || match[1] !== tag) return null;
  const seq = Number.parseInt(match[2]!, 36);
  return Number.isSafeInteger(seq) && seq > 0 ? seq : null;
}

// The platform's id of a message that is not sent yet: its delivery's number, below zero. No platform uses such ids,
// they fit into 32 bits as long as a store has taken fewer than two thousand million deliveries, and no table is
// needed to know what they mean, also after a restart.
export function provisionalId(seq: number): number {
  return -seq;
}

// null: not a provisional id.
export function seqOfProvisional(id: unknown): number | null {
  const number = typeof id === 'string' && /^-\d+$/.test(id) ? Number(id) : id;
  return typeof number === 'number' && Number.isSafeInteger(number) && number < 0 ? -number : null;
}
