// The room one call has taken, and what its neighbourhood looked like then. Opaque to everyone outside.

import type { Branch } from './branch.ts';
import type { Charge, Plan, Ticket } from './words.ts';

export class Booking implements Ticket {
  readonly charge: Charge;
  readonly plan: Plan;
  readonly chat: Branch;
  readonly takenAt: number;
  departedAt: number;
  // One bit per rule of the plan: whose use would explain a refusal of this call.
  pressedChat = 0;
  pressedAccount = 0;
  isSettled = false;

  constructor(charge: Charge, plan: Plan, chat: Branch, now: number) {
    this.charge = charge;
    this.plan = plan;
    this.chat = chat;
    this.takenAt = now;
    this.departedAt = now;
  }
}
