// What a person at `sluice top` has chosen to see, and what each key makes of that choice.

export const SORTS = ['trouble', 'waiting', 'name'] as const;
export const SECTIONS = [
  'accounts',
  'waits longest',
  'frozen',
  'streams',
  'broadcasts',
  'dead letters',
] as const;
export type SectionName = (typeof SECTIONS)[number];

export interface Choice {
  readonly sort: (typeof SORTS)[number];
  // null: all of them.
  readonly only: SectionName | null;
  // Rows that do not hold it are left out; '': none are.
  readonly filter: string;
  readonly isTyping: boolean;
  // What is shown stands still.
  readonly isHeld: boolean;
}

const FILTER_LENGTH_MAX = 64;
const ESCAPE = '\u001b';
const ENTER = ['\r', '\n'];
const ERASE = ['\u007f', '\b'];
const QUIT = ['q', 'Q', '\u0003', '\u0004'];
const BACKWARDS = '\u001b[Z';

export function firstChoice(): Choice {
  return { sort: 'trouble', only: null, filter: '', isTyping: false, isHeld: false };
}

export function press(choice: Choice, key: string): Choice | 'quit' {
  if (choice.isTyping) return typed(choice, key);
  if (QUIT.includes(key)) return 'quit';
  switch (key) {
    case 's':
      return { ...choice, sort: after(SORTS, choice.sort, 1)! };
    case '\t':
      return { ...choice, only: after([null, ...SECTIONS], choice.only, 1)! };
    case BACKWARDS:
      return { ...choice, only: after([null, ...SECTIONS], choice.only, -1)! };
    case '/':
      return { ...choice, isTyping: true };
    case ' ':
      return { ...choice, isHeld: !choice.isHeld };
    case ESCAPE:
      return { ...choice, filter: '', only: null };
    default:
      return choice;
  }
}

function typed(choice: Choice, key: string): Choice | 'quit' {
  if (key === '\u0003') return 'quit';
  if (ENTER.includes(key)) return { ...choice, isTyping: false };
  if (key === ESCAPE) return { ...choice, isTyping: false, filter: '' };
  if (ERASE.includes(key)) return { ...choice, filter: choice.filter.slice(0, -1) };
  const isText = !/\p{Cc}/u.test(key) && choice.filter.length < FILTER_LENGTH_MAX;
  return isText ? { ...choice, filter: choice.filter + key } : choice;
}

function after<T>(all: readonly T[], one: T, step: number): T {
  return all[(all.indexOf(one) + step + all.length) % all.length]!;
}
