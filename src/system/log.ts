// The log: JSON lines on stderr, readable lines on a terminal.
// The one hard thing is what must never be in it. Known fields are removed by name; whatever else looks like
// a credential is struck out of the finished line, so that no careless message can leak one.

import { type DestinationStream, destination, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  // What else is struck out: how the credentials of the platforms look.
  readonly secrets?: readonly RegExp[];
  // Where finished lines go; stderr when left out.
  readonly sink?: DestinationStream;
}

const SECRET_FIELDS = ['token', 'credential', 'key', 'secret', 'authorization', 'cookie', 'body'];
const STDERR = 2;
const STRUCK = '[secret]';

const CREDENTIALS = [
  // A number with a secret (`123456:AA…`), virtual tokens among them, and those of the sandbox: struck out also where
  // no platform is at hand to say how its own look.
  /(?<!\d)\d+(?::|%3A)(?:sandbox[\w-]*|[A-Za-z0-9_-]{20,})/,
  // Keys, and what logs a browser in.
  /\bsluice_(?:session=)?[\w-]{20,}/,
  /\btoken=[\w-]{20,}/,
  // Whatever follows Bearer or Bot in a header.
  /\b(?:Bearer|Bot)\s+[\w.:~+/=-]{8,}/,
];
const CREDENTIAL = patternOf(CREDENTIALS);

export function strikeSecrets(text: string): string {
  return text.replace(CREDENTIAL, STRUCK);
}

function patternOf(patterns: readonly RegExp[]): RegExp {
  const sources = new Set(patterns.map(({ source }) => source));
  return new RegExp([...sources].join('|'), 'gi');
}

export function createLog(options: LogOptions): Log {
  const sink = options.sink ?? stderrSink();
  const struck = patternOf([...CREDENTIALS, ...(options.secrets ?? [])]);
  return pino(
    {
      level: options.level,
      base: null,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: STRUCK },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    { write: (line: string) => sink.write(line.replace(struck, STRUCK)) },
  );
}

function stderrSink(): DestinationStream {
  if (!process.stderr.isTTY) return destination({ dest: STDERR, sync: true });
  const oneLine = { singleLine: true, translateTime: 'SYS:HH:MM:ss.l' };
  return pretty({ destination: STDERR, sync: true, ...oneLine });
}
