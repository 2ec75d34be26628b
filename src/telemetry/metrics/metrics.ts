// Prometheus metrics as folds over the events that are published, plus gauges read when they are asked for.
// There is no second bookkeeping: what the events do not say is not counted.

import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RoadListener } from '../../domain/event.ts';
import { FAULT_STAGES, type FaultStage } from '../../domain/fault.ts';
import { type AccountId, platformOf } from '../../domain/ids.ts';
import type { LiveListener, LiveReading } from '../../domain/live.ts';
import { type CountedMinute, sumMinute } from '../history/minute-sums.ts';
import { Board, CommitCounts, RoadMetrics, StatusCounts } from './counters.ts';
import { expose } from './exposition.ts';
import { type FleetReading, type GaugeReading, showGauges, tally } from './gauges.ts';
import { exposeSamples, type IngestSample } from './ingest-metrics.ts';
import { METRICS, type MetricName } from './metric-table.ts';
import { LiveMetrics, showLive } from './stream-metrics.ts';

export { type FleetReading, type GaugeReading, METRICS, type MetricName };

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  // Shows the platform's numbers before anything happened there.
  meet(platform: string): void;
  readonly listen: RoadListener;
  // What was counted since it was last asked for: once a minute, by whoever keeps the sums of a day.
  takeMinute(): CountedMinute[];
  // What the minute that runs has by now.
  minuteSoFar(): CountedMinute[];
  // Called once, when there is something to read.
  gauges(read: () => Promise<GaugeReading>): void;
  countRequest(route: string, status: number): void;
  // A call was passed straight through. null: there was no answer.
  countPassed(account: AccountId, status: number | null): void;
  countUpdate(account: AccountId, end: string): void;
  // A message was refused because a queue is full.
  countFull(account: AccountId): void;
  // An exception within the gateway was contained.
  countFault(stage: FaultStage): void;
  // A recipient of a broadcast came to an end.
  countRecipient(platform: string, end: string): void;
  // A batch of commands is written, so long after it was handed to the store.
  countCommit(commands: number, tookMs: number): void;
  readonly countLive: LiveListener;
  // Called once, like `gauges`.
  liveGauges(read: () => { now: number; readings: readonly LiveReading[] }): void;
  broadcastGauges(read: () => readonly BroadcastReading[]): void;
  // What ingest has counted.
  samples(read: () => readonly IngestSample[]): void;
}

const BROADCAST_STATES = ['running', 'paused'];
const UPDATE_ENDS = ['received', 'repeated', 'taken', 'failed', 'expired'];

// One for each that is not over.
export interface BroadcastReading {
  readonly platform: string;
  readonly state: string;
}

// `process`: with the usual metrics of the process and of Node.
export function createMetrics(options: { process: boolean } = { process: true }): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const board = new Board();
  const road = new RoadMetrics(board);
  const live = new LiveMetrics(board);
  const requests = new StatusCounts(board);
  const commits = new CommitCounts(board);
  for (const stage of FAULT_STAGES) board.count('sluice_internal_faults_total', { stage });
  const platforms: string[] = [];
  let read: (() => Promise<GaugeReading>) | null = null;
  let readLive: Parameters<Metrics['liveGauges']>[0] = () => ({ now: 0, readings: [] });
  let readSamples: () => readonly IngestSample[] = () => [];
  let readBroadcasts: () => readonly BroadcastReading[] = () => [];
  return {
    contentType: registry.contentType,
    async text() {
      if (read !== null) showGauges(board, await read());
      const { readings, now } = readLive();
      showLive(board, readings, now);
      board.show(
        'sluice_broadcasts',
        tally(readBroadcasts(), BROADCAST_STATES, stateOf, platforms),
      );
      const own = expose(board.families()) + exposeSamples(readSamples());
      const numbers = own + (await registry.metrics());
      return `${numbers.trimEnd()}\n${expose(road.describedNames())}`;
    },
    meet(platform) {
      platforms.push(platform);
      road.meet(platform);
      live.meet(platform);
      board.count('sluice_queue_full_total', { platform });
      for (const end of UPDATE_ENDS) board.count('sluice_updates_total', { platform, end });
    },
    listen: road.listen,
    takeMinute: () => sumMinute(road.takeMinute()),
    minuteSoFar: () => sumMinute(road.minuteSoFar()),
    gauges(reader) {
      read = reader;
    },
    countLive: (event) => live.listen(event),
    liveGauges(reader) {
      readLive = reader;
    },
    broadcastGauges(reader) {
      readBroadcasts = reader;
    },
    samples(reader) {
      readSamples = reader;
    },
    countRequest: requests.add,
    countPassed: road.passed,
    countUpdate(account, end) {
      board.count('sluice_updates_total', { platform: platformOf(account), end }).value += 1;
    },
    countFull(account) {
      board.count('sluice_queue_full_total', { platform: platformOf(account) }).value += 1;
    },
    countFault(stage) {
      board.count('sluice_internal_faults_total', { stage }).value += 1;
    },
    countRecipient(platform, end) {
      board.count('sluice_broadcast_recipients_total', { platform, end }).value += 1;
    },
    countCommit: commits.add,
  };
}

function stateOf({ state }: BroadcastReading): string {
  return state;
}
