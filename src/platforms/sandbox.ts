// The two wires of a platform that has a simulator: its own, and that of the simulator in this process. A credential of
// the sandbox never reaches the platform; where the sandbox is off it reaches nothing.

import { SANDBOX } from '../domain/ids.ts';
import type { Transport } from '../system/http/transport.ts';
import type { Host } from './platform.ts';

export interface Wires {
  readonly transport: Transport;
  // null: the sandbox is off.
  readonly sandbox: Transport | null;
}

const REAL: Host = Object.freeze({ name: '', vouches: true, isOff: false });
const SANDBOX_ON: Host = Object.freeze({ name: SANDBOX, vouches: false, isOff: false });
const SANDBOX_OFF: Host = Object.freeze({ name: SANDBOX, vouches: false, isOff: true });

const UNSERVED = { kind: 'unsent', reason: 'refused', detail: 'the sandbox is off' } as const;
const NOWHERE: Transport = {
  request: async () => UNSERVED,
  stream: async () => UNSERVED,
  close: async () => {},
};

export function hostFor({ sandbox }: Wires, isSandbox: boolean): Host {
  if (!isSandbox) return REAL;
  return sandbox === null ? SANDBOX_OFF : SANDBOX_ON;
}

export function wireFor({ transport, sandbox }: Wires, isSandbox: boolean): Transport {
  return isSandbox ? (sandbox ?? NOWHERE) : transport;
}

export async function closeWires({ transport, sandbox }: Wires): Promise<void> {
  await Promise.all([transport.close(), sandbox?.close()]);
}
