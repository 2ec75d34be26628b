// Accounts that are logging in from afar: the platform asks, a person answers in their own time, and between two
// answers the conversation is held here, in the memory of this process. What is typed goes to the platform alone, the
// session that comes of it to whoever keeps it; neither is told to anyone else.

import type { LoginOutcome, LoginQuestions, ReaderKind } from '../../platforms/history.ts';
import type { Clock, Timer } from '../../system/clock.ts';

// Each holds a connection.
export const LOGINS_MAX = 8;
// Who has not answered by then is gone; a code is hardly good for longer.
export const ANSWER_MS_MAX = 600_000;

export type LoginQuestion = 'code' | 'password';

export type LoginStep =
  // `isAgain`: what was answered before was wrong. `hint`: to the password, by its owner.
  | {
      readonly kind: 'asks';
      readonly question: LoginQuestion;
      readonly hint: string | null;
      readonly isAgain: boolean;
    }
  | { readonly kind: 'logged_in'; readonly id: string; readonly name: string }
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'refused'; readonly detail: string };

type LoggedIn = Extract<LoginOutcome, { readonly kind: 'logged_in' }>;
export type LoginKind = Pick<ReaderKind, 'kind'> & Required<Pick<ReaderKind, 'logIn'>>;

export interface LoginsParts {
  readonly clock: Clock;
  // Nobody may guess it: who knows it answers.
  readonly newId: () => string;
  readonly keep: (kind: string, account: LoggedIn) => Promise<void>;
}

export interface LoginNow {
  readonly id: string;
  readonly kind: string;
  readonly step: LoginStep;
}

interface UnderWay {
  readonly kind: string;
  readonly talk: Conversation;
}

export class Logins {
  readonly #parts: LoginsParts;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(parts: LoginsParts) {
    this.#parts = parts;
  }

  // Up to the first question, or as far as it came; null: as many as may be are under way.
  async begin(kind: LoginKind, phone: string): Promise<LoginNow | null> {
    if (this.#underWay.size >= LOGINS_MAX) return null;
    const id = this.#parts.newId();
    const talk = new Conversation(this.#parts.clock, phone);
    this.#underWay.set(id, { kind: kind.kind, talk });
    void this.#run(id, kind, talk);
    return { id, kind: kind.kind, step: await talk.step };
  }

  // Up to the next question, or to the end. An answer to what is not asked, as one that is sent twice, is dropped.
  // null: there is no such login, or no more.
  async answer(id: string, question: LoginQuestion, text: string): Promise<LoginNow | null> {
    const found = this.#underWay.get(id);
    if (found === undefined) return null;
    return { id, kind: found.kind, step: await found.talk.answer(question, text) };
  }

  // false: there is no such login, or no more.
  end(id: string): boolean {
    const found = this.#underWay.get(id);
    found?.talk.giveUp();
    return this.#underWay.delete(id);
  }

  stop(): void {
    for (const id of this.#underWay.keys()) this.end(id);
  }

  async #run(id: string, kind: LoginKind, talk: Conversation): Promise<void> {
    try {
      const outcome = await kind.logIn(talk.questions);
      // Who has given up meanwhile does not want it.
      const isWanted = this.#underWay.has(id);
      if (outcome.kind === 'logged_in' && isWanted) await this.#parts.keep(kind.kind, outcome);
      talk.conclude(stepOf(outcome));
    } catch (error) {
      talk.fail(error);
    } finally {
      this.#underWay.delete(id);
    }
  }
}

function stepOf(outcome: LoginOutcome): LoginStep {
  switch (outcome.kind) {
    case 'logged_in':
      return { kind: 'logged_in', id: outcome.id, name: outcome.name };
    case 'wait':
      return { kind: 'wait', waitMs: outcome.waitMs };
    case 'failed':
    case 'refused':
    case 'logged_out':
      return { kind: 'refused', detail: outcome.detail };
  }
}

interface Asked {
  readonly question: LoginQuestion;
  readonly timer: Timer;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

// One login: what is asked now, and what comes next.
class Conversation {
  readonly questions: LoginQuestions;
  readonly #clock: Clock;
  #asked: Asked | null = null;
  #last: LoginQuestion | null = null;
  #isOver = false;
  #next = newStep();

  constructor(clock: Clock, phone: string) {
    this.#clock = clock;
    this.questions = {
      phone: async () => phone,
      code: () => this.#ask('code', null),
      password: (hint) => this.#ask('password', hint),
    };
  }

  get step(): Promise<LoginStep> {
    return this.#next.promise;
  }

  answer(question: LoginQuestion, text: string): Promise<LoginStep> {
    const asked = this.#asked;
    if (asked?.question === question) {
      this.#next = newStep();
      this.#settle()?.resolve(text);
    }
    return this.step;
  }

  giveUp(): void {
    this.#isOver = true;
    this.#settle()?.reject(new Error('given up'));
  }

  conclude(step: LoginStep): void {
    this.#next.resolve(step);
  }

  fail(error: unknown): void {
    this.#next.reject(error);
  }

  #ask(question: LoginQuestion, hint: string | null): Promise<string> {
    if (this.#isOver) return Promise.reject(new Error('given up'));
    const isAgain = this.#last === question;
    this.#last = question;
    return new Promise((resolve, reject) => {
      const timer = this.#clock.schedule(this.#clock.now() + ANSWER_MS_MAX, () => this.giveUp());
      this.#asked = { question, timer, resolve, reject };
      this.#next.resolve({ kind: 'asks', question, hint, isAgain });
    });
  }

  #settle(): Asked | null {
    const asked = this.#asked;
    asked?.timer.cancel();
    this.#asked = null;
    return asked;
  }
}

// A failure that nobody waits for any more is nobody's.
function newStep(): PromiseWithResolvers<LoginStep> {
  const step = Promise.withResolvers<LoginStep>();
  step.promise.catch(() => {});
  return step;
}
