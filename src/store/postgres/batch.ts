// A batch as the server's `run` takes it, and its answers one by one. Commands that one statement can do together go as
// one run; whatever is between them keeps its place. Plain messages go as columns, and large texts beside the commands:
// nothing is escaped here to be read character by character there.

import { type SqlValue, storableText } from '../../system/databases/postgres.ts';
import { float8Array, int8Array, textArray } from '../../system/databases/postgres-arrays.ts';
import { NOT_OWNER } from '../ports/ownership.ts';

export const RUN = `SELECT run($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
  $17, $18, $19, $20) AS answers`;
// What the server would refuse in a text.
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

export interface PlainRow {
  readonly account: string;
  readonly platform: string;
  readonly chat: string;
  readonly method: string;
  readonly family: string;
  readonly budget: string;
  readonly priority: number;
  readonly acceptedAt: number;
  readonly held: number;
  readonly print: string | null;
  readonly epoch: number;
  readonly queueMax: number;
  readonly beginAt: number | null;
  readonly body: string;
}

interface Writes {
  readonly account: string;
  // Of a command that writes to more than one.
  readonly accounts?: readonly string[];
  // See `joins`; null: it is run by itself.
  readonly run: string | null;
  readonly bytes: number;
}

export interface PlainCommand extends Writes {
  readonly op: 'append_plain';
  readonly row: PlainRow;
}

export interface OtherCommand extends Writes {
  readonly op:
    | 'append'
    | 'begin'
    | 'settle'
    | 'settle_ended'
    | 'move'
    | 'receipt'
    | 'caller'
    | 'save_limits'
    | 'save_stream'
    | 'open_account'
    | 'close_account'
    | 'hand_over';
  // Of an attempt that ends: what the platform answered goes beside the commands, in their order.
  readonly text?: string | null;
  encode(): object;
}

export type WriteCommand = PlainCommand | OtherCommand;

interface PlainRun {
  readonly op: 'append_plain';
  readonly rows: PlainRow[];
}

interface OtherRun {
  readonly op: OtherCommand['op'];
  readonly commands: object[];
}

type Run = PlainRun | OtherRun;

export interface EncodedBatch {
  // Whose rows are locked.
  readonly accounts: readonly string[];
  readonly commands: string;
  readonly columns: readonly SqlValue[];
  // `told`: run by run, as the server keeps them.
  answersOf(told: unknown): unknown[];
}

export function encodeBatch(batch: readonly WriteCommand[]): EncodedBatch {
  const named = new Set<string>();
  const texts: (string | null)[] = [];
  for (const command of batch) {
    if (command.accounts === undefined) named.add(command.account);
    else for (const each of command.accounts) named.add(each);
    if (command.op === 'settle_ended') texts.push(command.text ?? null);
  }
  const runs = runsOf(batch);
  return {
    accounts: [...new Set([...named].map(storableText))],
    commands: encoded(runs),
    columns: [textArray(texts), ...columnsOf(runs)],
    answersOf: (told) =>
      runs.flatMap((run, i) => {
        const answers = (told as unknown[])[i];
        return 'rows' in run ? plainAnswers(run.rows, answers as Lists) : (answers as unknown[]);
      }),
  };
}

function runsOf(batch: readonly WriteCommand[]): Run[] {
  const runs: Run[] = [];
  let joined = new Map<string, string>();
  for (const command of batch) {
    let last = runs.at(-1);
    if (last?.op !== command.op || !joins(joined, command)) {
      last =
        command.op === 'append_plain'
          ? { op: command.op, rows: [] }
          : { op: command.op, commands: [] };
      runs.push(last);
      joined = new Map();
      joins(joined, command);
    }
    if (command.op === 'append_plain') (last as PlainRun).rows.push(command.row);
    else (last as OtherRun).commands.push(command.encode());
  }
  return runs;
}

// Whether one statement can do it with those before it: of plain messages, those of an account have one epoch and one
// bound; of beginnings and ends of attempts, each is of another delivery.
function joins(joined: Map<string, string>, { op, account, run }: WriteCommand): boolean {
  if (run === null) return true;
  const key = op === 'append_plain' ? account : run;
  const known = joined.get(key);
  joined.set(key, run);
  return known === undefined || (op === 'append_plain' && known === run);
}

function encoded(runs: readonly Run[]): string {
  const small = runs.map((run) => ('rows' in run ? { op: run.op, size: run.rows.length } : run));
  const text = JSON.stringify(small);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(small, (_key, value) =>
    typeof value === 'string' ? storableText(value) : value,
  );
}

// In the order of the server's parameters; see functions/run.ts.
function columnsOf(runs: readonly Run[]): Uint8Array[] {
  const rows = runs.flatMap((run) => ('rows' in run ? run.rows : []));
  const texts = (column: (row: PlainRow) => string | null) => textArray(rows.map(column));
  const numbers = (column: (row: PlainRow) => number) => int8Array(rows.map(column));
  return [
    texts(({ account }) => account),
    texts(({ platform }) => platform),
    texts(({ chat }) => chat),
    texts(({ method }) => method),
    texts(({ family }) => family),
    texts(({ budget }) => budget),
    numbers(({ priority }) => priority),
    float8Array(rows.map(({ acceptedAt }) => acceptedAt)),
    numbers(({ held }) => held),
    texts(({ print }) => print),
    numbers(({ epoch }) => epoch),
    numbers(({ queueMax }) => queueMax),
    int8Array(runs.flatMap((run) => ('rows' in run ? placesOf(run.rows) : []))),
    float8Array(rows.map(({ beginAt }) => beginAt)),
    texts(({ body }) => body),
  ];
}

// Of each among those of its account in the run: 1, 2, …
function placesOf(rows: readonly PlainRow[]): number[] {
  const last = new Map<string, number>();
  return rows.map(({ account }) => {
    const place = (last.get(account) ?? 0) + 1;
    last.set(account, place);
    return place;
  });
}

interface Lists {
  readonly seqs: string;
  readonly ranks: string;
}

// See functions/append.ts for the two lists.
function plainAnswers(rows: readonly PlainRow[], { seqs, ranks }: Lists): unknown[] {
  const [numbers, places] = [seqs.split(','), ranks.split(',')];
  return rows.map(({ queueMax, acceptedAt }, i) => {
    const [seq, rank] = [Number(numbers[i]), Number(places[i])];
    if (seq !== 0) {
      return {
        ...{ kind: 'accepted', seq: Math.abs(seq), rank },
        ...{ enterAt: acceptedAt, begun: seq < 0 },
      };
    }
    return rank < 0 ? NOT_OWNER : { kind: 'full', queueMax, waiting: rank };
  });
}
