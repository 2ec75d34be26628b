// Asking the gateway. A refusal is thrown as what the gateway said; a gateway that does not answer as `Away`.

import { session } from './session-store.ts';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor(status: number, code: string, detail: string, problems: readonly Problem[] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}

// A place in what was sent, and what would be right there.
export interface Problem {
  readonly path: string;
  readonly expected: string;
}

export class Away extends Error {
  override readonly name = 'Away';

  constructor() {
    super('The gateway does not answer.');
  }
}

// Asked for by a session that has ended since: the answer is nobody's, whoever may be in now.
export class Ended extends Error {
  override readonly name = 'Ended';

  constructor() {
    super('The session has ended before the gateway answered.');
  }
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export async function ask<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const asker = session.value;
  const answer = await request(method, path, body, signal);
  const said = (await answer.json()) as T;
  if (asker !== session.value) throw new Ended();
  return said;
}

// The answer as it comes, if it is a good one. A key that is known no more ends the session.
export async function request(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const asker = session.value;
  const proof = asker.kind === 'in' ? asker.proof : {};
  const answer = await send(method, path, body, proof, signal);
  if (answer.ok) return answer;
  if (answer.status === 401 && asker.kind === 'in' && asker === session.value) {
    session.set({ kind: 'out', why: 'The session has ended. Sign in again.' });
  }
  throw await refusalOf(answer);
}

export async function send(
  method: Method,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    return await fetch(path, {
      method,
      headers: { ...headers, ...json },
      cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch {
    throw new Away();
  }
}

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly problems?: readonly Problem[];
}

async function refusalOf(answer: Response): Promise<Refused> {
  try {
    const { code, detail, problems } = (await answer.json()) as Refusal;
    return new Refused(answer.status, code, detail, problems);
  } catch {
    return new Refused(answer.status, 'unknown', `The gateway answered ${answer.status}.`);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// A path with its query; what is empty is left out.
export function pathOf(path: string, query: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
