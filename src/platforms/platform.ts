// The port every platform implements. Four parts each one has: what a call means (calls), what an account has limits
// for as a whole (budgets), how fast a call may go (limits), how it is made and what the answer says (wire). The others
// are capabilities: whoever wants one asks whether it is there, and does without it where it is not. A platform keeps
// no state of deliveries.

import type { Readable } from 'node:stream';
import type { Budgets, Described } from '../domain/call.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Strategy } from '../domain/live.ts';
import type { Cure, Outcome } from '../domain/outcome.ts';
import type { PlainParams, Targets } from '../domain/targets.ts';
import type { Charge, Priors } from '../limits/limits.ts';
import type { Reply, StreamedReply } from '../system/http/transport.ts';
import type { MessageChanges } from './changes.ts';
import type { Dialect, UpdatePolling } from './dialect.ts';
import type { ReaderKind } from './history.ts';
import type { LiveOutput } from './live-output.ts';
import type { PlatformTrouble } from './trouble.ts';
import type { UpdateReading } from './updates.ts';

export type { Budgets, Described, DescribedCall } from '../domain/call.ts';
export type { ChangeCall, MessageChange, MessageChanges } from './changes.ts';
export type {
  AnswerHeaders,
  Dialect,
  LocatedCall,
  LocatedFile,
  LocatedRequest,
  Params as DialectParams,
  UpdatePolling,
  ValueAnswer,
} from './dialect.ts';
export type {
  Changes,
  Channel,
  ChannelReader,
  HistoryPage,
  LoginOutcome,
  LoginQuestions,
  MediaReference,
  Read,
  ReaderAccount,
  ReaderKind,
  ReadFailure,
  ReadMethod,
  ReadPost,
} from './history.ts';
export type { LiveCall, LiveOutput, LivePlace, LiveRates } from './live-output.ts';
export type { PlatformTrouble, Warn } from './trouble.ts';
export type {
  BotIdentity,
  MessageReceipt,
  Poll,
  PostHeaders,
  UpdatePart,
  UpdateReading,
  UpdateSummary,
  Voice,
  WebhookCall,
} from './updates.ts';

type Params = Readonly<Record<string, unknown>>;

export interface Platform {
  readonly name: string;
  readonly credentials: CredentialRules;

  readonly calls: Calls;
  readonly budgets: Budgets;
  readonly limits: Priors;
  readonly wire: Wire;

  // Left out: nothing can be set, and all accounts share the plans.
  readonly tuning?: AccountTuning;
  // What can be done about a call that was refused, or that is too large for one message.
  readonly repairs?: Repairs;
  // Calls about messages that have no id yet.
  readonly references?: References;
  // What a call leaves in its messages; without it no edit is spared and observers elsewhere need bodies of their own.
  readonly content?: ContentCapability;
  // What is done to messages, for the copies that observers have; without it none is followed from here, or made here.
  readonly changes?: MessageChanges;
  // Of platforms whose own API is served as a drop-in: what its clients say and are told; how what is no delivery is
  // passed on; and, where clients may ask for updates, how they are told.
  readonly dialect?: Dialect;
  readonly passage?: Passage;
  readonly polling?: UpdatePolling;
  // Of platforms that can show a text while it grows.
  readonly live?: LiveOutput;
  // Of platforms that tell what people write.
  readonly updates?: UpdateReading;
  // Of platforms whose channels can be read: how, by the kinds of readers there are.
  readonly history?: readonly ReaderKind[];
  // What broadcasts know of it; without it values are written as they are, and no chat is known to refuse.
  readonly broadcast?: BroadcastRules;
  // What its reason codes mean, in words; left out: the codes must do.
  readonly reasons?: Readonly<Record<string, string>>;
  // Whom answers name, for people; without it they see ids alone.
  readonly names?: NameReading;
  // Of platforms whose chats are shown by the gateway itself.
  readonly screens?: ScreenWatch;
  // Of platforms that hold calls back for a reason of their own: what is wrong now, the worst first.
  troubles?(): readonly PlatformTrouble[];
}

export interface CredentialRules {
  // There is none: an account's name stands in its place, and naming one makes it.
  readonly byName: boolean;
  // What is right in the configuration, for people: `a bot token, <digits>:<letters>`.
  readonly expected: string;
  isShaped(credential: string): boolean;
  // An id of an account, not a credential: what is unknown under it stays unknown, whatever the platform would say.
  isAccountId(name: string): boolean;
  // The account that a credential says it is of, whether or not anybody vouches for it.
  claimedId(credential: string): string;
  // How a virtual one looks, which stands for the account's own; left out: there are none.
  virtual?(account: AccountId, secret: string): string;
  // What the log strikes out, wherever in a line it stands.
  readonly secrets: readonly RegExp[];
}

export interface Calls {
  // Reads a call's parameters once, at the wall.
  describe(method: string, params: Params): Described;
  // The same call, its target set (REST names chat and thread apart from the body).
  address(params: Params, to: { chat: string; thread: string | null }): Record<string, unknown>;
  // A message of plain text: what is called where nobody names a method, and what observers of other platforms get.
  readonly textMethod: string;
  textParams(text: string): Record<string, unknown>;
  // Repeating it changes nothing more (edits, deletes): an uncertain one is repeated without a doubt.
  isIdempotent(method: string): boolean;
  // For so long the platform recognises a repeat of this very call by the key it was made with, and carries it out no
  // second time; 0: it does not. Left out: of no call.
  recognisedMs?(method: string, body: string): number;
  // It costs money each time: one whose answer was lost is never repeated, whatever the policy. `budget`: left out of
  // what is passed straight through. Left out: none does.
  spends?(method: string, budget?: string): boolean;
  // Its answer is what it is made for (the id of a new topic): who does not say otherwise waits for it. Left out: none.
  isAwaited?(method: string): boolean;
  // The message it replies to, if that is of the same chat; null: none. Left out: its calls do not tell.
  replyTarget?(chat: string, params: Params): string | null;
  // The person of a private chat, as updates name who wrote; null: it is no private chat. Left out: nobody can tell.
  personIn?(chat: string): string | null;
  // For keys with bounds: the parameters as the platform will read them, and what the call touches then. Left out: it
  // reads them as they are, and no text among them a second time.
  plainParams?(params: Params): PlainParams;
  targets(method: string, params: Params): Targets;
}

// What the settings of an account change.
export interface AccountTuning {
  limits(settings: Params): Priors;
  // Of live output.
  strategy(settings: Params): Strategy;
}

export interface Wire {
  // Which of the platform's hosts a credential is for, told by its look alone; left out: there is only the platform.
  hostOf?(credential: string): Host;
  // Whose credential is it? Asks the platform when it must. `isLocal`: this one is answered without asking anybody
  // outside; none is when left out.
  isLocal?(credential: string): boolean;
  identify(credential: string): Promise<Identified>;
  // `credential` is the account's token; `body` is JSON text of the parameters.
  send(call: OutgoingCall): Promise<Reply>;
  // `isRepeat`: an earlier try of the same delivery may have arrived, and this may be what it left.
  classify(method: string, reply: Reply, isRepeat?: boolean): Outcome;
  // So long after an uncertain send its receipt may still tell what became of it: it is not repeated before. Left out:
  // the platform tells nothing afterwards.
  readonly reconciledMs?: number;
  // The `Date` of an answer, to a call that changes nothing; null: none came. Left out: it has no clock of its own.
  timeAt?(credential: string): Promise<string | null>;
  // Left out: there is nothing to close.
  close?(): Promise<void>;
}

export interface Repairs {
  // The call, changed as the cure says; null when the cure does not fit it.
  cure(cure: Cure, method: string, body: string): { chat: string | null; body: string } | null;
  // Under which id the chat goes on, if the answer tells; null: under the same.
  chatAfter(chat: string, outcome: Outcome): { chat: string; moved: boolean } | null;
  // A body that is no longer than this fits one message, whatever it says.
  readonly wholeUnitsMax: number;
  // A call too large for one message, as a call of several; null: it fits, or cannot be cut.
  split(method: string, body: string): string | null;
  // What the body of a call of several messages begins with.
  readonly partsMark: string;
  // One message of such a call was sent: what is left of it. null: it was a call of one message.
  rest(body: string, result: string): Rest | null;
}

export interface References {
  // The deliveries whose messages it mentions by provisional ids, and the same call with their real ids.
  mentions(body: string): number[];
  named(body: string, ids: ReadonlyMap<number, string>): string;
}

export interface ContentCapability {
  // Which messages the call changes, and what it leaves in them; null: no message's content is touched.
  touch(method: string, body: string): Touch | null;
  // What a new message says, without its markup, for observers on other platforms; null: it cannot be put in words.
  wording(method: string, params: Params): string | null;
}

// Each host has accounts of its own: a credential of one never reaches an account of another.
export interface Host {
  // Stands in the ids of its accounts (see domain/ids.ts); '': the platform itself.
  readonly name: string;
  // Whether it tells a right credential from a wrong one. If not, it takes any, and an account belongs to the
  // credential that named it first.
  readonly vouches: boolean;
  // It is not served: its credentials are refused, its deliveries wait.
  readonly isOff: boolean;
}

export type Escape = (value: string) => string;

export interface BroadcastRules {
  // How a value is written into the string under `key` of that object, so that it stays a value; `isWhole`: nothing
  // else stands in that string.
  escape(holder: Params, key: string, isWhole: boolean): Escape;
  // Reasons that say that the chat refuses the account, whatever is sent.
  readonly unreachable: readonly string[];
  // Any chat will do where it does not matter which: what an account as a whole may send.
  readonly sampleChat: string;
}

export interface NameReading {
  // Of the answer to a call that sent something.
  read(result: string): NamesInAnswer;
}

export interface NamesInAnswer {
  // `id` as deliveries name the chat; null: the answer names none.
  readonly chat: { readonly id: string; readonly name: string } | null;
  // The account's own.
  readonly account: string | null;
}

export interface ScreenWatch {
  // The account that somebody means by its id or its name; left out: the one that is meant where none is named.
  named(account?: string): { readonly id: string; readonly name: string };
  // What is on the screen now; from then on every change is told, until `leave`. `account`: its name.
  watch(
    account: string,
    chat: string,
    watcher: (event: ScreenEvent) => void,
  ): { readonly shown: readonly ScreenMessage[]; leave(): void };
}

export interface ScreenMessage {
  readonly id: string;
  readonly thread: string | null;
  readonly text: string;
  readonly at: number;
  readonly editedAt: number | null;
}

export type ScreenEvent =
  | { kind: 'message' | 'edited'; message: ScreenMessage }
  | { kind: 'deleted'; id: string; at: number }
  | { kind: 'typing'; at: number };

// Straight through, without the journal; answers flow as they come. `hangUp` ends the call.
export interface Passage {
  pass(call: OutgoingCall, hangUp: AbortSignal): Promise<StreamedReply>;
  // What it counts for in the account's limits, though it waits for none; null: nothing. Left out: no call does.
  chargeOf?(method: string): Charge | null;
  download(file: Download, hangUp: AbortSignal): Promise<StreamedReply>;
}

export interface Download {
  readonly credential: string;
  // Only what the headers of its answer say.
  readonly isHead?: boolean;
  // As the platform named it, safe to stand in a path.
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
}

// Where uploaded files are read from.
export interface FileSource {
  has(id: string): boolean;
  read(id: string): Readable;
}

export interface OutgoingCall {
  readonly credential: string;
  readonly method: string;
  // It may name files of the spool; see domain/body.ts.
  readonly body: string;
  readonly deadlineMs: number;
  // Of a delivery: its id, the same for each of its tries, and no other's.
  readonly key?: string;
}

export interface Rest {
  // null: nothing is left.
  readonly body: string | null;
  // The answer to what was sent so far, as the caller would get it.
  readonly messageId: string | null;
  readonly result: string;
}

export interface Touch {
  // None for a new message: its id comes with the answer.
  readonly messages: readonly string[];
  // Equal when the content is; null: it cannot be compared.
  readonly content: string | null;
}

export type Identified =
  // `id` without the platform's name.
  | { kind: 'known'; id: string }
  | { kind: 'refused'; status: number; detail: string }
  | { kind: 'unreachable'; detail: string };
