// Runs batches of commands in the worker: all of them in one transaction, one fsync for all.
// Either every command is durable when its answer leaves, or none of them happened. Two kinds are answered a moment
// sooner, when they are written and so outlive the process. A settlement is forced to the disk with the next commit
// that must be, or soon after: a power cut in between finds the attempt begun and not settled, and that is what
// `uncertain` is for. A message that goes at once is forced while its call is under way; only then is anyone told that
// it is accepted.

import type { AccountId } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';
import type { AccountRename } from '../ports/accounts.ts';
import type { BroadcastCommand } from '../ports/broadcasts.ts';
import type { IngestCommand } from '../ports/ingest.ts';
import type { KeyCommand } from '../ports/keys.ts';
import type { TimeShift } from '../ports/maintenance.ts';
import type { MinuteCommand } from '../ports/minutes.ts';
import type { StreamCommand } from '../ports/streams.ts';
import type { IncomingCommand } from '../ports/updates.ts';
import { APPEND_WORDS, Appender } from './append.ts';
import { SqliteBroadcasts } from './broadcasts/broadcasts.ts';
import { SqliteCallers } from './callers.ts';
import { SqliteCommands } from './commands.ts';
import type { OpenStore } from './files/open.ts';
import { SqliteIncoming } from './incoming.ts';
import { SqliteIngest } from './ingest/ingest.ts';
import { SqliteKeys } from './keys.ts';
import { SqliteMinutes } from './minutes.ts';
import { prune } from './prune.ts';
import { SqliteReads } from './reads.ts';
import { renameAccounts } from './renames.ts';
import { SqliteStreams } from './streams.ts';
import { lastCallAt, shiftTimes } from './times.ts';
import {
  OP,
  OWN_WORDS,
  readLimits,
  readMove,
  readOwner,
  readReceipt,
  readSettlement,
  SHARED_WORDS,
  WireReader,
  writeBegun,
  writeSettled,
} from './wire.ts';

type Words = (string | number | null)[];

// Under settlements alone, without a pause: at least every so many commits are forced to the disk.
const UNFORCED_COMMITS_MAX = 8;

export class BatchRunner {
  readonly #store: OpenStore;
  readonly #commands: SqliteCommands;
  readonly #appender: Appender;
  readonly #reads: SqliteReads;
  readonly #incoming: SqliteIncoming;
  readonly #streams: SqliteStreams;
  readonly #broadcasts: SqliteBroadcasts;
  readonly #keys: SqliteKeys;
  readonly #ingest: SqliteIngest;
  readonly #minutes: SqliteMinutes;
  readonly #callers: SqliteCallers;
  // Commits that the disk may not have yet.
  #unforced = 0;
  #mustForce = false;
  // Whether this commit has messages that go at once; and whether their callers are to be told.
  #begins = false;
  #hasBegun = false;
  // Where in the batch the words stand that plain messages share with the last one that told them.
  #shared = 0;

  constructor(store: OpenStore) {
    const { db } = store;
    this.#store = store;
    this.#commands = new SqliteCommands(db);
    this.#appender = new Appender(db, this.#commands);
    this.#reads = new SqliteReads(db);
    this.#incoming = new SqliteIncoming(db);
    this.#streams = new SqliteStreams(db, this.#commands.owners);
    this.#broadcasts = new SqliteBroadcasts(db);
    this.#keys = new SqliteKeys(db);
    this.#ingest = new SqliteIngest(db);
    this.#minutes = new SqliteMinutes(db);
    this.#callers = new SqliteCallers(db, this.#commands.presence.inheritedTo);
  }

  // The answers of each batch, in the order of its commands. Throws when the store could not be written.
  run(batches: readonly Words[]): unknown[][] {
    const { db, owner, mark } = this.#store;
    this.#mustForce = false;
    this.#begins = false;
    db.exec('BEGIN IMMEDIATE');
    try {
      const answers = batches.map((words) => this.#batch(words));
      this.#appender.flush();
      this.#commands.tallies.save();
      owner.commit();
      db.exec('COMMIT');
      mark.committed(owner.commits, this.#appender.seqLast, this.#commands.tallies.live);
      this.#unforced += 1;
      this.#hasBegun ||= this.#begins;
      if (this.#mustForce || this.#unforced >= UNFORCED_COMMITS_MAX) this.force();
      else mark.save();
      return answers;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      this.#appender.rollback();
      this.#commands.tallies.reload();
      this.#commands.owners.reload();
      owner.rollback();
      throw error;
    }
  }

  // Commands that only read are no part of a commit: they are answered when nothing can be written, too.
  read(words: Words): unknown[] {
    const answers = this.#batch(words);
    // Nothing is told that the disk may lose.
    this.force();
    return answers;
  }

  // In order: nobody is owed an answer that was given.
  end(): void {
    this.#callers.allAnswered();
    this.force();
  }

  get isForced(): boolean {
    return this.#unforced === 0;
  }

  // All that was answered is on the disk after this.
  force(): void {
    if (this.#unforced === 0) return;
    this.#store.sync();
    this.#unforced = 0;
  }

  // What goes at once is on the disk after this; whether there is any.
  forceBegun(): boolean {
    if (!this.#hasBegun) return false;
    this.force();
    this.#hasBegun = false;
    return true;
  }

  #batch(words: Words): unknown[] {
    const out: unknown[] = [];
    const reader = new WireReader(words, 0);
    while (reader.at < words.length) this.#command(words, reader, out);
    return out;
  }

  #command(words: Words, reader: WireReader, out: unknown[]): void {
    const op = reader.number();
    if (op === OP.appendPlain || op === OP.appendAlike) {
      if (op === OP.appendPlain) {
        this.#shared = reader.at;
        reader.at += SHARED_WORDS;
      }
      const hasBegun = this.#appender.appendPlain(words, this.#shared, reader.at, out);
      reader.at += OWN_WORDS;
      if (hasBegun) this.#begins = true;
      else this.#mustForce = true;
      return;
    }
    this.#appender.flush();
    if (op !== OP.settle) this.#mustForce = true;
    switch (op) {
      case OP.append:
        this.#appender.append(words, reader.at, out);
        reader.at += APPEND_WORDS;
        return;
      case OP.begin: {
        const [owner, seq, at] = [readOwner(reader), reader.number(), reader.number()];
        writeBegun(out, this.#commands.begin(owner, seq, at, reader.stringOrNull()));
        return;
      }
      case OP.settle:
        writeSettled(out, this.#commands.settle(readOwner(reader), readSettlement(reader)));
        return;
      case OP.move:
        out.push(this.#commands.move(readOwner(reader), readMove(reader)));
        return;
      case OP.receipt:
        out.push(this.#commands.receipt(readOwner(reader), readReceipt(reader)));
        return;
      case OP.caller:
        out.push(this.#commands.caller(readOwner(reader), reader.number(), reader.boolean()));
        return;
      case OP.prune:
        out.push(
          prune(this.#commands, this.#appender.seqLast, {
            endedBefore: reader.number(),
            deadBefore: reader.number(),
            max: reader.number(),
          }),
        );
        return;
      default:
        this.#rareCommand(op, reader, out);
    }
  }

  #rareCommand(op: number, reader: WireReader, out: unknown[]): void {
    switch (op) {
      case OP.saveLimits:
        out.push(this.#commands.saveLimits(readOwner(reader), readLimits(reader)));
        return;
      case OP.saveAccount:
        this.#commands.statements.saveAccount.run(
          reader.string(),
          reader.string(),
          reader.string(),
          reader.number(),
          reader.stringOrNull(),
          reader.number(),
        );
        out.push(null);
        return;
      case OP.removeAccount:
        this.#commands.statements.dropAccount.run(reader.string());
        out.push(null);
        return;
      case OP.filesInUse:
        out.push(this.#commands.filesInUse());
        return;
      case OP.limits:
        out.push(this.#reads.limits(JSON.parse(reader.string()) as AccountId[]));
        return;
      case OP.accounts:
        out.push(this.#reads.accounts());
        return;
      case OP.incoming:
        out.push(this.#incoming.run(JSON.parse(reader.string()) as IncomingCommand));
        return;
      case OP.broadcasts:
      case OP.broadcastReads:
        out.push(this.#broadcasts.run(JSON.parse(reader.string()) as BroadcastCommand));
        return;
      case OP.streams:
        out.push(this.#streams.run(JSON.parse(reader.string()) as StreamCommand));
        return;
      case OP.keys:
        out.push(this.#keys.run(JSON.parse(reader.string()) as KeyCommand));
        return;
      case OP.ingest:
        out.push(this.#ingest.run(JSON.parse(reader.string()) as IngestCommand));
        return;
      case OP.minutes:
        out.push(this.#minutes.run(JSON.parse(reader.string()) as MinuteCommand));
        return;
      case OP.unanswered:
        out.push(this.#callers.unanswered({ endedMsMax: reader.number(), max: reader.number() }));
        return;
      case OP.renameAccounts:
        out.push(this.#renameAccounts(JSON.parse(reader.string()) as AccountRename[]));
        return;
      case OP.callsSince:
        out.push(
          this.#reads.callsSince(JSON.parse(reader.string()) as AccountId[], reader.number()),
        );
        return;
      case OP.lastCallAt:
        out.push(lastCallAt(this.#store.db));
        return;
      case OP.shiftTimes:
        this.#shiftTimes(JSON.parse(reader.string()) as TimeShift);
        out.push(null);
        return;
      default:
        this.#ownership(op, reader, out);
    }
  }

  #ownership(op: number, reader: WireReader, out: unknown[]): void {
    const { owners, tallies } = this.#commands;
    switch (op) {
      case OP.openAccount:
        out.push(owners.open(reader.string(), reader.string()));
        return;
      case OP.closeAccount:
        owners.close(readOwner(reader), reader.string());
        out.push(null);
        return;
      case OP.epochs:
        out.push(owners.all());
        return;
      case OP.knownAccounts:
        out.push(this.#reads.knownAccounts(tallies));
        return;
      default:
        assert(false, `no command ${op}`);
    }
  }

  #shiftTimes(shift: TimeShift): void {
    shiftTimes(this.#store.db, shift);
    this.#commands.writeLimits(shift.limits);
  }

  // The counts of each account are in memory too.
  #renameAccounts(renames: readonly AccountRename[]): readonly string[] {
    const { tallies } = this.#commands;
    tallies.save();
    const taken = renameAccounts(this.#store.db, renames);
    tallies.reload();
    this.#commands.owners.reload();
    this.#appender.renamed();
    return taken;
  }
}
