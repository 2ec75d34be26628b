// The two wires of a platform that has a simulator: its own, and that of the simulator in this process. A credential of
// the sandbox never reaches the platform; where the sandbox is off it reaches nothing.

import { SANDBOX } from '../domain/ids.ts';
import type { Outcome } from '../domain/outcome.ts';
import { lineInWords } from '../system/http/http-words.ts';
import type { HttpRequest, Reply, Transport } from '../system/http/transport.ts';
import type { Host, Identified } from './platform.ts';

export interface Wires {
  readonly transport: Transport;
  // null: the sandbox is off.
  readonly sandbox: Transport | null;
}

export interface CredentialLook {
  isShaped(credential: string): boolean;
  isSandbox(credential: string): boolean;
}

// Which of them a credential is for, told by its look alone.
export interface HostedWires {
  of(credential: string): Transport;
  hostOf(credential: string): Host;
  // No credential at all, or one of the simulator in this process: nobody outside is asked.
  isLocal(credential: string): boolean;
  // Whose it is, asked by a request that changes nothing; what cannot be one is refused without asking.
  identify(credential: string, question: Question): Promise<Identified>;
  close(): Promise<void>;
}

export interface Question {
  // How the platform itself refuses a wrong credential.
  readonly refusal: string;
  readonly request: Omit<HttpRequest, 'deadlineMs'>;
  read(reply: Extract<Reply, { kind: 'answered' }>): Identified;
}

// As a call that changes nothing was answered.
export function identifiedBy(outcome: Outcome, id: string): Identified {
  if (outcome.kind === 'sent') return { kind: 'known', id };
  if (outcome.kind === 'refused') return { kind: 'refused', status: 401, detail: outcome.detail };
  return { kind: 'unreachable', detail: 'detail' in outcome ? outcome.detail : outcome.kind };
}

// A caller waits for it before its first message is taken.
export const IDENTIFY_DEADLINE_MS = 5000;

const REAL: Host = Object.freeze({ name: '', vouches: true, isOff: false });
const SANDBOX_ON: Host = Object.freeze({ name: SANDBOX, vouches: false, isOff: false });
const SANDBOX_OFF: Host = Object.freeze({ name: SANDBOX, vouches: false, isOff: true });

const UNSERVED = { kind: 'unsent', reason: 'refused', detail: 'the sandbox is off' } as const;
const NOWHERE: Transport = {
  request: async () => UNSERVED,
  stream: async () => UNSERVED,
  close: async () => {},
};

export function hostedWires({ transport, sandbox }: Wires, look: CredentialLook): HostedWires {
  const of = (credential: string) =>
    look.isSandbox(credential) ? (sandbox ?? NOWHERE) : transport;
  const hostOf = (credential: string) => {
    if (!look.isSandbox(credential)) return REAL;
    return sandbox === null ? SANDBOX_OFF : SANDBOX_ON;
  };
  return {
    of,
    hostOf,
    isLocal: (credential) => !look.isShaped(credential) || look.isSandbox(credential),
    async identify(credential, { refusal, request, read }) {
      if (!look.isShaped(credential) || hostOf(credential).isOff) {
        return { kind: 'refused', status: 401, detail: refusal };
      }
      const deadlineMs = IDENTIFY_DEADLINE_MS;
      const reply = await of(credential).request({ ...request, deadlineMs });
      if (reply.kind === 'answered') return read(reply);
      return { kind: 'unreachable', detail: lineInWords(reply) };
    },
    async close() {
      await Promise.all([transport.close(), sandbox?.close()]);
    },
  };
}
