// What the simulators offer: each platform as a model, as a wire, and as an HTTP server.
// They are written from what is known of the platforms and import nothing of the code they test.

import { type ServedModel, type ServeOptions, serveModel } from './serve.ts';
import type { SimTelegramOptions } from './telegram/options.ts';
import type { JudgedCall, TelegramModel } from './telegram/port.ts';
import { TELEGRAM_SIMULATOR } from './telegram/simulator.ts';

export {
  type ChannelChange,
  type NewSimPost,
  SimChannel,
  type SimMedia,
  type SimPost,
} from './channel/channel.ts';
export { type ChannelOptions, type ChannelPost, LivingChannel } from './channel/living.ts';
export {
  ModelServer,
  NO_SERVER_FAULTS,
  type ServerFaults,
  type WaitViolation,
} from './channel/server.ts';
export { createDiscordModel, type DiscordCall, type DiscordModel } from './discord/model.ts';
export { DISCORD_DEFAULTS, type SimDiscordOptions } from './discord/options.ts';
export { DISCORD_SIMULATOR } from './discord/simulator.ts';
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
export { checkApart } from './mixed/checks.ts';
export {
  type MixedOptions,
  type MixedReport,
  type MixedTrouble,
  runMixedWorld,
  TROUBLES,
  type TroubleKind,
} from './mixed/mixed.ts';
export { MIXED_PLATFORMS } from './mixed/platforms.ts';
export type { SimCall, SimModel, SimPeople, SimulatorKind } from './model.ts';
export {
  type MtprotoCall,
  type MtprotoFault,
  MtprotoModel,
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
export { type ServedModel, type ServeOptions, serveModel } from './serve.ts';
export { openSimulator, SIMULATORS, type Simulator } from './simulators.ts';
export { createSlackModel, type SlackCall, type SlackModel } from './slack/model.ts';
export { SLACK_SIMULATOR } from './slack/simulator.ts';
export type { ChatState } from './telegram/chats.ts';
export { createTelegramModel, type JudgedCall, type TelegramModel } from './telegram/model.ts';
export { type SimTelegramOptions, TELEGRAM_DEFAULTS } from './telegram/options.ts';
export { TELEGRAM_SIMULATOR } from './telegram/simulator.ts';
export { type Exchange, type Network, simTransport } from './transport.ts';
export type { WhatsappCall } from './whatsapp/calls.ts';
export { createWhatsappModel, type WhatsappModel } from './whatsapp/model.ts';
export type { SimWhatsappOptions } from './whatsapp/options.ts';
export { WHATSAPP_SIMULATOR } from './whatsapp/simulator.ts';
export { signatureOf, type WebhookPost } from './whatsapp/webhooks.ts';
export type {
  EngineFactory,
  EngineSubmitted,
  WorldDisk,
  WorldEnd,
  WorldEngine,
  WorldFleet,
  WorldLearnedRate,
  WorldMessage,
  WorldPorts,
  WorldRecord,
  WorldTrouble,
} from './world/engine.ts';
export { formatReport, type WorldReport } from './world/report.ts';
export { runWorld, WORLD_FAULTS, type WorldOptions } from './world/world.ts';

// The simulated Telegram over HTTP.
export type ServedSim = ServedModel<TelegramModel>;
export type ServeSimOptions = ServeOptions<SimTelegramOptions, JudgedCall>;

export function serveSim(given: ServeSimOptions): Promise<ServedSim> {
  return serveModel(TELEGRAM_SIMULATOR, given);
}
