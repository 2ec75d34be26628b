// The door of the simulator's room: Telegram as a model, as a wire, as an HTTP server, and as one of MTProto.
// It is written from what is known of the platform and imports nothing of the code it tests.

export { type ChannelOptions, type ChannelPost, ModelChannel } from './channel/channel.ts';
export {
  ModelServer,
  NO_SERVER_FAULTS,
  type ServerFaults,
  type WaitViolation,
} from './channel/server.ts';
export {
  type ChannelChange,
  type NewSimPost,
  SimChannel,
  type SimMedia,
  type SimPost,
} from './channels.ts';
export {
  FAULT_KINDS,
  type FaultRates,
  type FaultScript,
  type Faults,
  NO_FAULTS,
  randomFaults,
  scriptedFaults,
  type WireFault,
} from './faults.ts';
export {
  type MtprotoFault,
  MtprotoModel,
  type SimCall,
  type SimMtprotoOptions,
} from './mtproto/model.ts';
export { type ServedMtproto, type ServeMtprotoOptions, serveMtproto } from './mtproto/server.ts';
export { SimPages } from './pages.ts';
export {
  type DayFigures,
  FINAL_LATE_MS,
  recordedFigures,
  type WaitFigures,
} from './replay/figures.ts';
export { type Recording, readRecording } from './replay/recording.ts';
export { type ReplayOptions, replay, replayable } from './replay/replay.ts';
export { type ServedSim, type ServeSimOptions, serveSim } from './serve.ts';
export { SIMULATORS, type Simulator } from './simulators.ts';
export type { ChatState } from './telegram/chats.ts';
export { createTelegramModel, type JudgedCall, type TelegramModel } from './telegram/model.ts';
export { type SimTelegramOptions, TELEGRAM_DEFAULTS } from './telegram/options.ts';
export { type Exchange, type Network, simTransport } from './transport.ts';
export type {
  EngineFactory,
  EngineSubmitted,
  WorldDisk,
  WorldEnd,
  WorldEngine,
  WorldLearnedRate,
  WorldMessage,
  WorldPorts,
  WorldRecord,
} from './world/engine.ts';
export { formatReport, type WorldReport } from './world/report.ts';
export { runWorld, WORLD_FAULTS, type WorldOptions } from './world/world.ts';
