// What HTTP needs of a fleet: whether this node answers for an account, who does otherwise, and a line to it.

import type { Where } from '../../cluster/accounts.ts';
import type { FleetNode } from '../../cluster/coordination.ts';
import type { PeerAnswer, PeerRequest, PeerValue } from '../../cluster/peers.ts';
import type { FleetRates } from '../../cluster/rates.ts';
import type { MovedTogether } from '../../cluster/road.ts';
import type { NodeView } from '../../cluster/views.ts';
import type { NewDelivery } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { MoveOrder } from '../../road/road.ts';
import type { Appended, Moved } from '../../store/ports/delivery.ts';
import type { HandedOver, SpillPart } from '../../store/ports/hand-over.ts';

export interface FleetPort {
  // What nodes prove to each other that they are of one fleet.
  readonly secret: string;
  isHere(account: AccountId): boolean;
  // Whether there is such an account; what another node has just made is looked for in the store.
  isKnown(account: AccountId): Promise<boolean>;
  whereIs(account: AccountId): Promise<Where>;
  // What this node says when another asks it for the account.
  claim(account: AccountId): Promise<Where>;
  // Whom to ask after one that does not have it, who may name another; null: nobody just now.
  next(account: AccountId, named: string | null, asked: ReadonlySet<string>): FleetNode | null;
  isStoreAway(): boolean;
  // This node's own internal listener, for a request whose body was read before it was known to be this node's to
  // answer.
  readonly self: Pick<FleetNode, 'url'>;
  forward(node: Pick<FleetNode, 'url'>, request: PeerRequest): Promise<PeerAnswer>;
  ask(node: Pick<FleetNode, 'url'>, path: string, question: object): Promise<PeerValue>;
  // What a route of the node's own answers, in JSON.
  read(
    node: Pick<FleetNode, 'url'>,
    path: string,
    headers: PeerRequest['headers'],
    msMax: number,
  ): Promise<PeerValue>;
  pause(ms: number): Promise<void>;
  // How this node stands, and how all do; see cluster/views.ts.
  view(): NodeView;
  refresh(): Promise<void>;
  nodes(): readonly NodeStanding[];
  // Of an account of this node.
  submit(delivery: NewDelivery): Promise<Appended>;
  move(order: MoveOrder): Promise<Moved>;
  moveTogether(orders: readonly MoveOrder[]): Promise<MovedTogether>;
  // Of a node that is cut from the store; null: this one does not reach it either.
  handOver(part: SpillPart): Promise<readonly HandedOver[] | null>;
  // How often keys are used, over all nodes.
  readonly rates: Pick<FleetRates, 'grant' | 'usesOf'>;
  // Something was written for the account without this node.
  look(account: AccountId): Promise<void>;
}

export interface NodeStanding extends FleetNode {
  readonly isSelf: boolean;
  // null: it did not answer.
  readonly view: NodeView | null;
}

// `outer`: callers ask, and what is another's is forwarded. `inner`: nodes ask, and what is another's is said to be so.
export interface FleetSide {
  readonly side: 'outer' | 'inner';
  readonly port: FleetPort;
}
