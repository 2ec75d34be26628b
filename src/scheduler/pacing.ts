// What the scheduler needs of the limits of one account, declared by the one who needs it.

import type { Ahead, Cause, Charge, Ticket } from '../limits/limits.ts';

export interface Pacing {
  // ≤ now: open. Infinity: not before a call in flight has settled.
  earliestChat(charge: Charge, now: number): number;
  earliestAccount(charge: Charge, now: number): number;
  take(charge: Charge, now: number): Ticket;
  // Estimates: when could a call go that has `ahead` like it before it?
  project(charge: Charge, ahead: number, now: number): number;
  projectAccount(charge: Charge, ahead: number, now: number): number;
  // Everything that holds such a call back now, and the window that decides when it goes.
  explain(charge: Charge, now: number): Cause[];
  decisive(charge: Charge, ahead: Ahead, now: number): Cause | null;
}
