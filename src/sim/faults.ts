// What goes wrong between a caller and the platform, as data: drawn by chance or written as a script.
// A fault is decided when a request leaves; what it does to the request is told in one place, `undergo`.

import type { Random } from '../system/random.ts';
import type { SimAnswer, SimAskedCall, SimCall, SimModel } from './model.ts';

export type WireFault =
  // The connection breaks before anything was written.
  | { kind: 'reset_before' }
  // The call takes effect, and its answer never arrives.
  | { kind: 'answer_lost' }
  // No answer, ever; the call may have taken effect all the same.
  | { kind: 'hang'; delivered: boolean }
  // The front's HTML instead of an answer.
  | { kind: 'bad_gateway'; delivered: boolean }
  | { kind: 'internal_error' }
  | { kind: 'too_large' }
  // The server restarts: everyone is sent away for so long.
  | { kind: 'restart'; ms: number };

export type FaultKind = WireFault['kind'];

export const FAULT_KINDS: readonly FaultKind[] = [
  'reset_before',
  'answer_lost',
  'hang',
  'bad_gateway',
  'internal_error',
  'too_large',
  'restart',
];

export interface FaultTarget {
  readonly token: string;
  readonly method: string;
  readonly chat: string;
}

export interface Faults {
  next(target: FaultTarget, now: number): WireFault | null;
}

export const NO_FAULTS: Faults = { next: () => null };

// Chance of each kind per call, in [0, 1].
export type FaultRates = Partial<Record<FaultKind, number>>;

const RESTART_MS = 4000;

export function randomFaults(random: Random, rates: FaultRates): Faults {
  const kinds = Object.entries(rates) as [FaultKind, number][];
  return {
    next() {
      let left = random.next();
      for (const [kind, chance] of kinds) {
        if (left < chance) return faultOf(kind, random);
        left -= chance;
      }
      return null;
    },
  };
}

function faultOf(kind: FaultKind, random: Random): WireFault {
  if (kind === 'hang') return { kind, delivered: random.next() < 0.5 };
  if (kind === 'bad_gateway') return { kind, delivered: random.next() < 0.2 };
  return kind === 'restart' ? { kind, ms: RESTART_MS } : { kind };
}

export interface ScriptedFault {
  readonly fault: WireFault;
  // Which calls it strikes; what is left out matches all.
  readonly method?: string;
  readonly chat?: string;
  readonly token?: string;
  // How often; then it is spent. Left out: once.
  readonly times?: number;
}

export interface FaultScript extends Faults {
  add(line: ScriptedFault): void;
  clear(): void;
}

export function scriptedFaults(script: readonly ScriptedFault[]): FaultScript {
  const lines: { line: ScriptedFault; left: number }[] = [];
  const add = (line: ScriptedFault) => lines.push({ line, left: line.times ?? 1 });
  script.forEach(add);
  return {
    next(target) {
      const hit = lines.find(({ line, left }) => left > 0 && strikes(line, target));
      if (hit === undefined) return null;
      hit.left -= 1;
      return hit.line.fault;
    },
    add,
    clear() {
      lines.length = 0;
    },
  };
}

function strikes(line: ScriptedFault, target: FaultTarget): boolean {
  return (
    (line.method === undefined || line.method.toLowerCase() === target.method.toLowerCase()) &&
    (line.chat === undefined || line.chat === target.chat) &&
    (line.token === undefined || line.token === target.token)
  );
}

// What the caller will see, `holdMs` after the call arrived. `cut`: the connection breaks without an answer.
export type Fate<Call extends SimCall = SimCall> = {
  readonly holdMs: number;
  readonly call: Call | null;
} & (
  | { readonly kind: 'answer'; readonly answer: SimAnswer }
  | { readonly kind: 'cut' }
  | { readonly kind: 'silence' }
);

export function undergo<Call extends SimCall>(
  fault: WireFault | null,
  model: SimModel<Call>,
  asked: SimAskedCall<Call>,
  now: number,
): Fate<Call> {
  if (fault?.kind === 'restart') model.restart(now + fault.ms);
  if (fault === null || fault.kind === 'restart') {
    const { answer, holdMs, call } = asked.judge(now);
    return { kind: 'answer', answer, holdMs, call };
  }
  const isJudged = fault.kind === 'answer_lost' || ('delivered' in fault && fault.delivered);
  const verdict = isJudged ? asked.judge(now) : null;
  const base = { holdMs: verdict?.holdMs ?? 0, call: verdict?.call ?? null };
  switch (fault.kind) {
    case 'reset_before':
    case 'answer_lost':
      return { kind: 'cut', ...base };
    case 'hang':
      return { kind: 'silence', ...base };
    case 'bad_gateway':
      return { kind: 'answer', answer: model.broken.badGateway, ...base };
    case 'internal_error':
      return { kind: 'answer', answer: model.broken.internalError, ...base };
    case 'too_large':
      return { kind: 'answer', answer: model.broken.tooLarge, ...base };
  }
}
