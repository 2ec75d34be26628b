// The loop as a service: a platform that answers when the test says so, on a store whose commits take time.

import type { Platform } from '../platforms/platform.ts';
import { CREDENTIALS } from '../platforms/terminal/credentials.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { aDelivery } from '../store/contract/journal.fixture.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { sleep } from '../system/clock.ts';
import type { Reply } from '../system/http/transport.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { serviceContract } from '../system/service.contract.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Dispatch, type Profile } from './loop.ts';
import { append } from './road.ts';

const COMMIT_MS = 3;
const BREAKER = { failuresMax: 3, openMs: 10_000, openMsMax: 60_000 };
const ANSWER: Reply = { kind: 'answered', status: 200, headers: {}, body: '{}' };

class CountingScheduler extends Scheduler {
  asked = 0;
  override next(now: number) {
    this.asked += 1;
    return super.next(now);
  }
}

function silentPlatform(answer: Promise<void>): Platform {
  return {
    name: 'fake',
    credentials: CREDENTIALS,
    calls: {
      describe: () => ({ kind: 'invalid', detail: '' }),
      address: (params) => ({ ...params }),
      textMethod: 'send',
      textParams: (text) => ({ text }),
      isIdempotent: () => false,
      plainParams: (params) => ({ kind: 'plain', params }),
      targets: () => ({ kind: 'unknown' }),
    },
    budgets: { names: ['open'], unsolicited: 'open' },
    limits: { planOf: () => ({ account: [], chat: [] }) },
    wire: {
      identify: async () => ({ kind: 'known', id: '1' }),
      send: () => answer.then(() => ANSWER),
      classify: () => ({ kind: 'sent', messageId: '7', result: '{}' }),
      close: async () => {},
    },
  };
}

function profileOf(platform: Platform): Profile {
  const retry = { baseMs: 1000, maxMs: 30_000, attemptsMax: 3, deadAgeMinMs: 60_000 };
  return {
    platform,
    priors: platform.limits,
    host: 'fake',
    retry: { ...retry, uncertain: 'resend' },
    breaker: BREAKER,
    deadlineMs: 1000,
    queueMax: 100,
    queueBytesMax: 1_000_000,
    isStranger: false,
    inFlightMax: 10,
    order: 'lane',
    splits: false,
  };
}

serviceContract('dispatch', async () => {
  const clock = virtualClock(1_700_000_000_000);
  const answer = Promise.withResolvers<void>();
  const profile = profileOf(silentPlatform(answer.promise));
  const scheduler = new CountingScheduler();
  const commit = () => sleep(clock, COMMIT_MS);
  const { journal, ledger } = createMemoryStore(undefined, {
    beforeApply: commit,
    afterApply: commit,
  });
  const service = new Dispatch({
    journal,
    ledger,
    clock,
    periodic: new Periodic(clock),
    scheduler,
    random: seededRandom(1),
    breaker: BREAKER,
    accounts: {
      profileOf: () => profile,
      stateOf: () => ({ paused: false, refused: null }),
      credentialOf: () => 'secret',
      setRefused: async () => {},
    },
    report: (_stage, error) => {
      throw error;
    },
    fatal: (error) => {
      throw error;
    },
  });
  const work = {
    async begin() {
      const delivery = aDelivery({ account: 'fake:1', platform: 'fake' });
      void append(service, delivery, delivery.body.length, (appended) => appended);
      await clock.run(clock.now() + 5 * COMMIT_MS);
    },
    finish: answer.resolve,
  };
  return { service, clock, deeds: () => scheduler.asked, work };
});
