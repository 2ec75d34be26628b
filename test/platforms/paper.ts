// The smallest platform there can be: a notebook per account, a page per chat. It has the four parts every platform
// has and no capability; whoever wants one must do without it. An account goes by its name; its only budget is endless.

import { messageIdIn } from '../../src/domain/ids.ts';
import type { PlatformDefinition } from '../../src/platforms/definition.ts';
import type { Platform } from '../../src/platforms/platform.ts';
import { byName } from '../../src/platforms/shared/by-name.ts';

const { credentials, identify } = byName(/^[a-z]{1,32}$/, '1 to 32 small letters');
const PLAN = Object.freeze({ account: Object.freeze([]), chat: Object.freeze([]) });
const LINE = { kind: 'call', thread: null, budget: 'ink', cost: 1 } as const;
const TORN = { kind: 'refused', reason: 'torn', detail: 'torn', cure: null } as const;

// What stands on which page; lines on torn paper are refused.
export class Notebook {
  readonly lines: string[] = [];
  isTorn = false;
}

export function createPaper(notebook: Notebook): Platform {
  return {
    name: 'paper',
    credentials,
    calls: {
      describe(method, { page, line }) {
        if (!/^(re)?write$/.test(method)) return { kind: 'invalid', detail: 'write or rewrite' };
        if (typeof page !== 'string') return { kind: 'invalid', detail: 'a page' };
        if (method === 'write') return { ...LINE, method, chat: page, family: 'send', slot: null };
        return { ...LINE, method, chat: page, family: 'edit', slot: `${page}:${String(line)}` };
      },
      address: (params, { chat }) => ({ ...params, page: chat }),
      textMethod: 'write',
      textParams: (text) => ({ ink: text }),
      isIdempotent: (method) => method === 'rewrite',
      targets: (method, { page }) =>
        method.endsWith('write') ? { kind: 'chats', chats: [String(page)] } : { kind: 'unknown' },
    },
    budgets: { names: ['ink'], unsolicited: 'ink' },
    limits: { planOf: () => PLAN },
    wire: {
      identify,
      async send({ body }) {
        if (notebook.isTorn) return { kind: 'answered', status: 400, headers: {}, body: '{}' };
        const { page, ink } = JSON.parse(body) as Record<string, string>;
        const line = notebook.lines.push(`${page}: ${ink}`);
        return { kind: 'answered', status: 200, headers: {}, body: JSON.stringify({ line }) };
      },
      classify(_method, reply) {
        if (reply.kind !== 'answered') return { kind: 'uncertain', reason: 'lost', detail: 'lost' };
        const { status, body: result } = reply;
        if (status !== 200) return { ...TORN, result };
        return { kind: 'sent', messageId: messageIdIn(JSON.parse(result).line), result };
      },
    },
  };
}

export function paperOn(notebook: Notebook): PlatformDefinition {
  return { name: 'paper', settings: {}, credentials, open: async () => createPaper(notebook) };
}
