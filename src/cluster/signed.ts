// Who writes where nodes find each other (Redis, or the table of nodes) is not a node by that: nodes send the secret of
// the fleet and what callers send to the address of each member. So each record carries a proof of the secret over
// whose address it is, and one without a right proof is no member's. That is said once for each.

import { createHmac } from 'node:crypto';
import { isSameSecret } from '../system/same-secret.ts';
import type { Coordination, FleetNode } from './coordination.ts';

type Proven = Pick<FleetNode, 'name' | 'incarnation' | 'url'>;

// Who writes there may write as many as it likes: of more nothing is said.
const SAID_MAX = 1_000;

export function proofOf(secret: string, { name, incarnation, url }: Proven): string {
  const said = JSON.stringify(['node', name, incarnation, url]);
  return createHmac('sha256', secret).update(said).digest('base64url');
}

export class SignedCoordination implements Coordination {
  readonly #board: Coordination;
  readonly #secret: string;
  readonly #onForged: (node: Proven) => void;
  readonly #said = new Set<string>();

  constructor(board: Coordination, secret: string, onForged: (node: Proven) => void) {
    this.#board = board;
    this.#secret = secret;
    this.#onForged = onForged;
  }

  join(node: FleetNode, ttlMs: number): Promise<void> {
    return this.#board.join({ ...node, proof: proofOf(this.#secret, node) }, ttlMs);
  }

  leave(): Promise<void> {
    return this.#board.leave();
  }

  async members(): Promise<readonly FleetNode[]> {
    const members = await this.#board.members();
    return members.flatMap(({ proof = '', ...node }) => {
      if (isSameSecret(proof, proofOf(this.#secret, node))) return [node];
      this.#sayForged(node);
      return [];
    });
  }

  claim(lease: Parameters<Coordination['claim']>[0]): ReturnType<Coordination['claim']> {
    return this.#board.claim(lease);
  }

  release(lease: Parameters<Coordination['release']>[0]): Promise<boolean> {
    return this.#board.release(lease);
  }

  publish(topic: string, message: string): Promise<void> {
    return this.#board.publish(topic, message);
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    return this.#board.subscribe(topic, listener);
  }

  close(): Promise<void> {
    return this.#board.close();
  }

  #sayForged(node: Proven): void {
    const whose = `${node.incarnation} ${node.url}`;
    if (this.#said.has(whose) || this.#said.size >= SAID_MAX) return;
    this.#said.add(whose);
    this.#onForged(node);
  }
}
