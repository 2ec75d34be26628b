// What can be done to dead letters. By filter it is done in steps, as long as the gateway says that there are more.

import { ask, messageOf } from './api.ts';
import { plural } from './format.ts';
import type { DeadDone } from './wire/more.ts';

export type Deed = 'retry' | 'discard';
export type DeadFilter = Readonly<Record<string, string>>;

const DONE: Readonly<Record<Deed, string>> = { retry: 'queued again', discard: 'given up' };
// A step does up to a thousand; more steps than this are another day's work.
const STEPS_MAX = 10_000;

// Both answer what was done, in words; so does what is thrown half-way.
export async function doToSome(deed: Deed, ids: readonly string[]): Promise<string> {
  const { done, failed, failures } = await ask<DeadDone>('POST', `/v1/dead/${deed}`, { ids });
  return inWords(deed, done, failed, failures[0]?.detail ?? '');
}

export async function doToAll(
  deed: Deed,
  filter: DeadFilter,
  onStep: (done: number) => void,
): Promise<string> {
  let [done, failed] = [0, 0];
  let why = '';
  let cursor: string | null = null;
  try {
    for (let step = 0; step < STEPS_MAX; step++) {
      const body = cursor === null ? { filter } : { filter, cursor };
      const said: DeadDone = await ask<DeadDone>('POST', `/v1/dead/${deed}`, body);
      done += said.done;
      failed += said.failed;
      why ||= said.failures[0]?.detail ?? '';
      onStep(done);
      cursor = said.next;
      if (cursor === null) break;
    }
  } catch (error) {
    if (done === 0) throw error;
    throw new Error(`${inWords(deed, done, failed, why)} Then: ${messageOf(error)}`);
  }
  return inWords(deed, done, failed, why);
}

function inWords(deed: Deed, done: number, failed: number, why: string): string {
  const good = `${plural(done, 'letter is', 'letters are')} ${DONE[deed]}.`;
  if (failed === 0) return good;
  const bad = `${plural(failed, 'was', 'were')} not: ${why}`;
  return done === 0 ? bad : `${good} ${bad}`;
}

export async function editLetter(id: string, body: unknown): Promise<string> {
  await ask('PATCH', `/v1/dead/${encodeURIComponent(id)}`, { body });
  return `${id} is changed and queued again.`;
}
