// The smallest platform there can be: a notebook per account, a page per chat. It has the three parts every platform
// has and no capability; whoever wants one must do without it. An account is called by name.

import type { PlatformDefinition } from '../../src/platforms/definition.ts';
import type { CredentialRules, Platform } from '../../src/platforms/platform.ts';

const NAME = /^[a-z]{1,32}$/;
const PLAN = Object.freeze({ account: Object.freeze([]), chat: Object.freeze([]) });
const CREDENTIALS: CredentialRules = {
  byName: true,
  expected: '1 to 32 small letters',
  isShaped: (name) => NAME.test(name),
  isAccountId: () => false,
  claimedId: (name) => name,
  secrets: [],
};

// What stands on which page; `tear` makes the next lines of a page refused.
export class Notebook {
  readonly lines: string[] = [];
  isTorn = false;
}

export function createPaper(notebook: Notebook): Platform {
  return {
    name: 'paper',
    credentials: CREDENTIALS,
    calls: {
      describe(method, { page, line }) {
        if (method !== 'write' && method !== 'rewrite') {
          return { kind: 'invalid', detail: 'one of write, rewrite' };
        }
        if (typeof page !== 'string') return { kind: 'invalid', detail: 'a page' };
        const slot = method === 'rewrite' ? `${page}:${String(line)}` : null;
        const family = slot === null ? 'send' : 'edit';
        return {
          kind: 'call',
          method,
          chat: page,
          thread: null,
          family,
          gate: 'open',
          cost: 1,
          slot,
        };
      },
      address: (params, { chat }) => ({ ...params, page: chat }),
      textMethod: 'write',
      textParams: (text) => ({ ink: text }),
      isIdempotent: (method) => method === 'rewrite',
      plainParams: (params) => ({ kind: 'plain', params }),
      targets: (method, { page }) =>
        method.endsWith('write') ? { kind: 'chats', chats: [String(page)] } : { kind: 'unknown' },
    },
    limits: { planOf: () => PLAN },
    wire: {
      identify: async (name) =>
        NAME.test(name)
          ? { kind: 'known', id: name }
          : { kind: 'refused', status: 422, detail: `not ${CREDENTIALS.expected}` },
      async send({ body }) {
        if (notebook.isTorn) return { kind: 'answered', status: 400, headers: {}, body: '{}' };
        const { page, ink } = JSON.parse(body) as Record<string, string>;
        const line = notebook.lines.push(`${page}: ${ink}`);
        return { kind: 'answered', status: 200, headers: {}, body: JSON.stringify({ line }) };
      },
      classify(_method, reply) {
        if (reply.kind !== 'answered') return { kind: 'uncertain', reason: 'lost', detail: 'lost' };
        const { status, body: result } = reply;
        if (status === 200)
          return { kind: 'sent', messageId: String(JSON.parse(result).line), result };
        return { kind: 'refused', reason: 'torn', detail: 'the page is torn', result, cure: null };
      },
      close: async () => {},
    },
  };
}

export function paperOn(notebook: Notebook): PlatformDefinition {
  const open = async () => createPaper(notebook);
  return { name: 'paper', settings: {}, credentials: CREDENTIALS, open };
}
