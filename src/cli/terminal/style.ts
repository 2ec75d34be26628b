// Colours that mean something, and none where nobody can see them: in a file, in a pipe, or when NO_COLOR says so.

export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'warning' | 'bad' | 'bar';

export type Paint = (tone: Tone, text: string) => string;

const RESET = '\u001b[0m';
const CODES: Readonly<Record<Tone, string>> = {
  plain: '',
  strong: '\u001b[1m',
  faint: '\u001b[2m',
  good: '\u001b[32m',
  warning: '\u001b[33m',
  bad: '\u001b[31m',
  bar: '\u001b[7m',
};

export function paintFor(isColoured: boolean): Paint {
  if (!isColoured) return (_, text) => text;
  return (tone, text) => (tone === 'plain' ? text : `${CODES[tone]}${text}${RESET}`);
}
