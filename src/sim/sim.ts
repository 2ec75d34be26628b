// The door of the simulator's room: Telegram as a model, as a wire, and as an HTTP server.
// It is written from what is known of the platform and imports nothing of the code it tests.

export {
  type Fault,
  type FaultRates,
  type FaultScript,
  type Faults,
  NO_FAULTS,
  randomFaults,
  scriptedFaults,
} from './faults.ts';
export { type ServedSim, type ServeSimOptions, serveSim } from './serve.ts';
export type { ChatState } from './telegram/chats.ts';
export { createTelegramModel, type JudgedCall, type TelegramModel } from './telegram/model.ts';
export { TELEGRAM_DEFAULTS, type TelegramOptions } from './telegram/options.ts';
export { type Exchange, type Network, simTransport } from './transport.ts';
