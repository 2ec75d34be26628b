// What nodes of a fleet need of each other: who is alive, who may do a thing that only one may do, and a word to all.
// Nothing here is durable and safety never hangs on it: which node an account belongs to is a row with an epoch in the
// store (store/ports/ownership.ts), and every write of the road is checked against it. A wrong answer here costs a
// needless take-over or a late one, never two senders. Every call but `subscribe` may reject with
// CoordinationUnavailable, and none waits for ever.

export interface Coordination {
  // This node is a member from now on, until it leaves or has not renewed for `ttlMs`. Also how it renews, and how it
  // publishes a changed address.
  join(node: FleetNode, ttlMs: number): Promise<void>;
  // Only what this node joined as: a successor of the same name stays.
  leave(): Promise<void>;
  // Those whose time has not run out, by name; this one among them once it has joined. Of one name there may be two for
  // a while, a process and its successor.
  members(): Promise<readonly FleetNode[]>;
  // A lease of which there is one in the fleet (maintenance, a reader): taken when free or run out, renewed by its
  // token, refused while it is another's.
  claim(lease: FleetLease): Promise<LeaseClaim>;
  // By its token alone; whether it was held.
  release(lease: Pick<FleetLease, 'name' | 'token'>): Promise<boolean>;
  // To every node that subscribes at this moment, this one included; at most once, in no order between nodes. Who must
  // not miss it re-reads the store every few seconds. Rejects with MessageTooLong above MESSAGE_BYTES_MAX.
  publish(topic: string, message: string): Promise<void>;
  // Answers how to stop. What comes is any text: others may write there, too.
  subscribe(topic: string, listener: (message: string) => void): () => void;
  close(): Promise<void>;
}

export interface FleetNode {
  // One name, one process: random, made anew at every start (`incarnation`), beside the name that people read.
  readonly name: string;
  readonly incarnation: string;
  // Where other nodes reach its internal listener.
  readonly url: string;
  // ms since the epoch by its own clock: shown, and which of two of one name is the successor.
  readonly startedAt: number;
  readonly state: NodeState;
  // Where Redis and Postgres coordinate together (fallback.ts): what Redis says of it counts for nothing.
  readonly withoutRedis?: true;
  // That it knows the secret of the fleet; see signed.ts.
  readonly proof?: string;
  // It has missed a renewal, and is a member still; set where that is known.
  readonly isOverdue?: true;
}

// `ready`: it owns accounts and takes more. `leaving`: it hands over what it owns, and takes nothing. `cut_off`: it
// does not reach the store, so it can do nothing for what it owns, and others may take it.
export type NodeState = 'ready' | 'leaving' | 'cut_off';

export interface FleetLease {
  readonly name: string;
  // Random: whoever shows it is who took it, which a host's name does not prove.
  readonly token: string;
  readonly ttlMs: number;
}

export type LeaseClaim = { readonly kind: 'held' } | { readonly kind: 'busy' };

// What Postgres takes as one notice, with room for its topic.
export const MESSAGE_BYTES_MAX = 7_000;

export class MessageTooLong extends RangeError {
  override readonly name = 'MessageTooLong';
}

export function checkMessage(message: string): void {
  const bytes = Buffer.byteLength(message);
  if (bytes <= MESSAGE_BYTES_MAX) return;
  throw new MessageTooLong(`${bytes} bytes to publish, at most ${MESSAGE_BYTES_MAX}`);
}

// Coordination cannot be reached: nothing is known of the others until it can.
export class CoordinationUnavailable extends Error {
  override readonly name = 'CoordinationUnavailable';
}
