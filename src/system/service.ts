// Start and stop as a contract: start once, stop as often as you like, stop waits for the work to drain
// until the deadline. One stress suite (service.contract.ts) runs over every service.

export interface Service {
  start(): Promise<void>;
  // Resolves when nothing of the service runs any more, at the latest at `deadlineMs` from now.
  stop(deadlineMs: number): Promise<void>;
}
