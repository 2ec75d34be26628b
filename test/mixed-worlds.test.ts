// Worlds of all platforms on one engine, in virtual time: the checkers over each of them, and the same seed with and
// without a trouble of one. Each checker is shown a mistake that was made on purpose.

import { describe, expect, test } from 'vitest';
import { worldEngine, worldEngineWith } from '../src/app/simulated.ts';
import { defaultConfig } from '../src/config/config.ts';
import {
  checkApart,
  type EngineFactory,
  formatReport,
  MIXED_PLATFORMS,
  type MixedOptions,
  type MixedReport,
  runMixedWorld,
  TROUBLES,
} from '../src/sim/sim.ts';
import type { Transport } from '../src/system/http/transport.ts';
import { TEST_SEED } from './seed.ts';

const SIZE = { minutes: 6, accounts: 2, chats: 7, makeEngine: worldEngine };
// Nothing of one platform is timed by what another puts on disk, and nothing else goes wrong.
const QUIET = { ...SIZE, minutes: 5, chats: 4, crashes: 0, faults: {}, commitMsMax: 0 };

async function kept(options: MixedOptions): Promise<MixedReport> {
  const report = await runMixedWorld(options);
  const again = `npx sluice sim world --platforms all --seed ${options.seed} --minutes ${options.minutes}`;
  expect(report.ok, `${formatReport(report)}\nagain: ${again}\n`).toBe(true);
  return report;
}

describe('four platforms on one engine', () => {
  const seeds = [1, 2, 3, TEST_SEED];

  test.each(seeds)('keep every promise through faults and crashes, seed %i', async (seed) => {
    const { counts, fates } = await kept({ ...SIZE, seed, crashes: 3 });
    expect(counts.faults).toBeGreaterThan(0);
    expect(counts.crashes).toBe(3);
    expect(counts.flood).toBe(0);
    expect([...fates.keys()].sort()).toEqual(MIXED_PLATFORMS.map(({ name }) => name).sort());
    for (const each of fates.values()) {
      expect(each.filter((fate) => fate.includes(' sent at ')).length).toBeGreaterThan(100);
    }
  });

  test('chats that have more to say than they may: no limit is exceeded', async () => {
    const { counts } = await kept({ ...SIZE, seed: 4, minutes: 2, crashes: 1, pauseMsMax: 8000 });
    expect(counts.calls).toBeGreaterThan(1000);
    expect(counts.flood).toBe(0);
  });

  test('the same seed is the same world', async () => {
    const run = () => runMixedWorld({ ...SIZE, seed: 9, crashes: 2 });
    expect(await run()).toEqual(await run());
  });
});

describe('a trouble of one platform changes nothing for the others', () => {
  const calm = kept({ ...QUIET, seed: 5 });
  const troubles = MIXED_PLATFORMS.flatMap(({ name }) => TROUBLES.map((kind) => [name, kind]));

  test.each(troubles as [string, (typeof TROUBLES)[number]][])('%s: %s', async (platform, kind) => {
    const troubled = await kept({ ...QUIET, seed: 5, trouble: { platform, kind } });
    const { fates } = await calm;
    expect(checkApart(fates, troubled.fates, platform)).toEqual([]);
    // It was a trouble: nothing is as it was where it struck.
    expect(troubled.fates.get(platform)).not.toEqual(fates.get(platform));
  });
});

// All wires of the engine, made worse on purpose.
function through(worsen: (wire: Transport, name: string) => Transport): EngineFactory {
  return (ports) => {
    const wires = [...ports.wires!].map(([name, wire]) => [name, worsen(wire, name)] as const);
    return worldEngine({ ...ports, wires: new Map(wires) });
  };
}

describe('a mistake made on purpose is found', () => {
  const brokenBy = async (makeEngine: EngineFactory, more: Partial<MixedOptions> = {}) => {
    const report = await runMixedWorld({ ...QUIET, seed: 5, ...more, makeEngine });
    return Object.keys(report.broken);
  };

  test.each([
    ['slack', { slackChannelBurst: 30 }],
    ['whatsapp', { whatsappPairBurst: 500, whatsappPairEachMs: 1 }],
    ['telegram', { privatePerS: 100 }],
  ])('a limit that is believed too high on %s', async (platform, settings) => {
    const makeEngine = worldEngineWith({ ...defaultConfig(), ...settings });
    const one = { platforms: [platform], accounts: 1, chats: 1, minutes: 30, pauseMsMax: 5000 };
    expect(await brokenBy(makeEngine, one)).toContain('counted');
  });

  test('one pool of connections for all: the outage of one is the others’ as well', async () => {
    let free = 2;
    const waiting: (() => void)[] = [];
    const pooled = through((wire) => ({
      ...wire,
      async request(asked) {
        if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
        else free -= 1;
        const reply = await wire.request(asked);
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
        return reply;
      },
    }));
    const options = { ...QUIET, seed: 5, makeEngine: pooled };
    const calm = await runMixedWorld(options);
    const trouble = { platform: 'whatsapp', kind: 'outage' } as const;
    const troubled = await runMixedWorld({ ...options, trouble });
    const found = checkApart(calm.fates, troubled.fates, 'whatsapp');
    expect(found.map(({ facts }) => facts.split(':')[0]).sort()).toEqual(
      ['discord', 'slack', 'telegram'].sort(),
    );
  });

  test('a message that is sent twice', async () => {
    const twice = through((wire, name) => ({
      ...wire,
      async request(asked) {
        if (name === 'slack') await wire.request(asked);
        return wire.request(asked);
      },
    }));
    expect(await brokenBy(twice)).toContain('duplicates');
  });

  test('a wait that is not believed', async () => {
    const deaf = through((wire) => ({
      ...wire,
      async request(asked) {
        const reply = await wire.request(asked);
        if (reply.kind !== 'answered' || reply.status !== 429) return reply;
        return { kind: 'unsent', reason: 'reset', detail: 'not heard' };
      },
    }));
    for (const platform of ['discord', 'slack', 'telegram']) {
      const trouble = { platform, kind: 'penalty' } as const;
      expect([platform, await brokenBy(deaf, { trouble })]).toEqual([
        platform,
        expect.arrayContaining(['freezes']),
      ]);
    }
  });

  test('a success that the platform never gave', async () => {
    let calls = 0;
    const made = through((wire, name) => ({
      ...wire,
      async request(asked) {
        calls += 1;
        if (name !== 'whatsapp' || calls % 9 !== 0) return wire.request(asked);
        const body = JSON.stringify({ messages: [{ id: `wamid.${calls}` }] });
        return { kind: 'answered', status: 200, headers: {}, body };
      },
    }));
    expect(await brokenBy(made)).toContain('loss');
  });
});
