// Why has it not gone out? One line for a person at night: what decides, what is before it, when it is expected.

import type { Explained } from '../scheduler/scheduler.ts';

type Why = Explained['causes'][number];

// A wait of these kinds does not pass by itself with the next few calls: it is told first.
const GRAVE: readonly Why['kind'][] = ['held', 'freeze', 'due'];
const TOGETHER_MS = 1000;
const MINUTE_S = 60;
const HOUR_S = 3600;

export function summaryOf(explained: Explained, now: number): string {
  const { causes, eta } = explained;
  if (causes.length === 0) return 'nothing holds it: it goes in this turn';
  const ahead = causes.find(({ kind }) => kind === 'ahead');
  const others = causes.filter((cause) => cause !== ahead);
  const decisive = others.find(({ kind }) => kind === 'held') ?? longest(others);
  const parts = [decisive, ahead].filter((part) => part !== undefined).map(inWords);
  if (decisive !== undefined && !GRAVE.includes(decisive.kind)) parts.reverse();
  return `${parts.join('; ')}; ${eta === null ? 'no end is known' : `expected in ${left(eta - now)}`}`;
}

// A retry waits for its chat's freeze: of two that end together the freeze is the reason.
function longest(causes: readonly Why[]): Why | undefined {
  const last = causes.toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0))[0];
  const end = (last?.until ?? 0) - TOGETHER_MS;
  return causes.find(({ kind, until }) => kind === 'freeze' && (until ?? 0) >= end) ?? last;
}

function inWords(cause: Why): string {
  switch (cause.kind) {
    case 'held':
      return `its account is held: ${cause.detail}`;
    case 'freeze':
      return `${frozenOf(cause)} is frozen: ${cause.detail}`;
    case 'window':
      return `the limit ${cause.name} is used up: ${cause.detail}`;
    default:
      return cause.detail;
  }
}

function frozenOf({ scope, name }: Extract<Why, { scope: string }>): string {
  switch (scope) {
    case 'chat':
      return `chat ${name}`;
    case 'family':
      return `its chat, for calls of the kind ${name},`;
    case 'gate':
      return `the account, for ${name} messages,`;
    default:
      return 'the account';
  }
}

function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 2 * MINUTE_S) return `${seconds} s`;
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`;
  return `${Math.round(seconds / HOUR_S)} h`;
}
