// The wire and the passage of a platform whose calls are requests of HTTP, one each: which of its two wires a call
// takes, and what there is instead of an answer where no request can be made of it.

import { Readable } from 'node:stream';
import type { HttpRequest, Reply } from '../../system/http/transport.ts';
import type { OutgoingCall, Passage, Platform, Wire } from '../platform.ts';
import { type CredentialLook, hostedWires, type Question, type Wires } from '../sandbox.ts';

export interface WebCalls extends Pick<Wire, 'classify' | 'reconciledMs'> {
  // An answer instead: nobody outside is asked (a file that is not at hand any more).
  requestOf(call: OutgoingCall): HttpRequest | Extract<Reply, { kind: 'answered' }>;
  // Whose credential it is.
  questionOf(credential: string): Question;
}

// Of platforms whose files lie on hosts of their own, which their answers name.
const NO_DOWNLOADS: Passage['download'] = async () => {
  return { kind: 'unsent', reason: 'none', detail: 'files lie elsewhere' };
};

export function webWire(
  given: Wires,
  look: CredentialLook,
  { requestOf, questionOf, ...calls }: WebCalls,
): Required<Pick<Platform, 'wire' | 'passage'>> {
  const { of, hostOf, isLocal, identify, close } = hostedWires(given, look);
  return {
    wire: {
      ...{ hostOf, isLocal, close },
      ...calls,
      identify: (credential) => identify(credential, questionOf(credential)),
      async send(call) {
        const request = requestOf(call);
        return 'kind' in request ? request : of(call.credential).request(request);
      },
    },
    passage: {
      async pass(call, hangUp) {
        const request = requestOf(call);
        if (!('kind' in request)) return of(call.credential).stream(request, hangUp);
        return { ...request, body: Readable.from([Buffer.from(request.body)]) };
      },
      download: NO_DOWNLOADS,
    },
  };
}
