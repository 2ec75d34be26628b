// A platform's contract against its simulator, in process and over real HTTP: the two were written apart from the same
// facts, and must agree. The same for every platform; what differs is the fixture.

import { afterEach } from 'vitest';
import { type PlatformFixture, platformContract } from '../../src/platforms/platform.contract.ts';
import {
  type FaultScript,
  type SimCall,
  type SimModel,
  type SimulatorKind,
  scriptedFaults,
  serveModel,
  simTransport,
} from '../../src/sim/sim.ts';
import { type Clock, systemClock } from '../../src/system/clock.ts';
import { undiciTransport } from '../../src/system/http/http.ts';
import type { Transport } from '../../src/system/http/transport.ts';
import { systemRandom } from '../../src/system/random.ts';

export interface SimulatedWire<Model> {
  readonly transport: Transport;
  readonly model: Model;
  readonly faults: FaultScript;
  // From now on nobody is there to connect to.
  unplug(): void;
}

const real = systemClock();
const NOW = real.now();
// Time stands still for the simulator, so that a wait is to the second however busy the machine is.
export const stoppedClock: Clock = {
  now: () => NOW,
  schedule: (at, run) => real.schedule(real.now() + at - NOW, run),
};

export function simulatedContract<Options, Call extends SimCall, Model extends SimModel<Call>>(
  name: string,
  kind: SimulatorKind<Options, Call, Model>,
  fixtureOf: (wire: SimulatedWire<Model>) => PlatformFixture,
): void {
  const clock = stoppedClock;
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  platformContract(`${name}, simulated in process,`, async () => {
    const model = kind.create({});
    const faults = scriptedFaults([]);
    const network = { latencyMs: 0, jitterMs: 0 };
    const ports = { model, clock, random: systemRandom(), network, faults };
    const unplug = () => faults.add({ fault: { kind: 'reset_before' } });
    return fixtureOf({ transport: simTransport(ports), model, faults, unplug });
  });

  platformContract(`${name}, simulated over HTTP,`, async () => {
    const faults = scriptedFaults([]);
    const sim = await serveModel(kind, { host: '127.0.0.1', port: 0, faults, clock });
    let closed: Promise<void> | null = null;
    const close = () => {
      closed ??= sim.close();
      return closed;
    };
    closers.push(close);
    const transport = undiciTransport({ baseUrl: sim.url, connectionsMax: 1 });
    return fixtureOf({ transport, model: sim.model, faults, unplug: () => void close() });
  });
}
