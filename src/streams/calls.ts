// The calls of a stream as deliveries. All of them share the stream's lane, so they go in order. A message's send and
// its changes have slots apart: a newer text takes the place of a waiting change, a final that of a waiting send.

import { bodyOf, NO_FILES } from '../domain/body.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import { HOLDERS, ownKey } from '../domain/idempotency.ts';
import { type AccountId, provisionalId } from '../domain/ids.ts';
import { OUTPUT_CLASSES, type OutputClasses } from '../domain/priority.ts';
import type { Described, LiveCall, LiveOutput, Platform } from '../platforms/platform.ts';
import type { CosmeticCall, Prospect } from '../road/road.ts';
import { assert } from '../system/assert.ts';
import type { PlanStep } from './plan.ts';
import type { RenderedMessage } from './render/content.ts';
import type { Stream } from './stream-state.ts';

type Call = Extract<Described, { kind: 'call' }>;

export interface CallPorts {
  readonly platforms: ReadonlyMap<string, Platform>;
  // Which budget the call spends, as the updates seen say.
  budgetFor(account: AccountId, call: Call, params: LiveCall['params']): string;
  // Left out: as they are where nobody sets them.
  classesOf?(account: AccountId): OutputClasses;
}

export function liveOf(ports: CallPorts, platform: string): LiveOutput {
  const live = ports.platforms.get(platform)?.live;
  assert(live !== undefined, 'a stream belongs to a platform that shows growing texts');
  return live;
}

export function stepCall(
  live: LiveOutput,
  stream: Stream,
  step: PlanStep,
  messages: readonly RenderedMessage[],
): LiveCall {
  const { chat, thread, params } = stream.asked;
  const { content, place } = messages[step.part] ?? {
    content: {},
    place: { chat, thread, params, isFirst: false, isLast: false },
  };
  switch (step.kind) {
    case 'send':
      return live.open(content, place);
    case 'edit':
      return editsOf(live).edit(content, place, messageIdOf(stream, step.part, step.seq));
    case 'remove':
      return editsOf(live).remove(place, messageIdOf(stream, step.part, step.seq));
  }
}

export function hasEdits(live: LiveOutput): live is LiveOutput & Edits {
  return live.edit !== undefined && live.remove !== undefined;
}

type Edits = Required<Pick<LiveOutput, 'edit' | 'remove'>>;

function editsOf(live: LiveOutput): Edits {
  assert(hasEdits(live), 'what a platform cannot change is not planned to change');
  return live;
}

// The platform's own, once it is known.
function messageIdOf(stream: Stream, part: number, seq: number): string {
  return stream.parts[part]?.messageId ?? String(provisionalId(seq));
}

export function deliveryOf(
  ports: CallPorts,
  stream: Stream,
  call: LiveCall,
  sendOptions: { slot: string; final: boolean; slotAt: number; key: string | null; now: number },
): NewDelivery {
  const { account, platform, thread, user, correlation, priority } = stream.asked;
  const classes = ports.classesOf?.(account) ?? OUTPUT_CLASSES;
  const asked = stream.asked.hasOwnPriority === true ? priority : null;
  const step = sendOptions.final ? ('final' as const) : ('preview' as const);
  const output = { asked, base: priority, step };
  const described = describe(ports, stream, call);
  const { method, chat, family, cost } = described;
  return {
    account,
    platform,
    chat,
    thread,
    session: stream.session,
    user,
    correlation,
    method,
    family,
    budget: ports.budgetFor(account, described, call.params),
    priority: liveOf(ports, platform).priorityOf(classes, output),
    cost,
    live: !sendOptions.final,
    final: sendOptions.final,
    slot: sendOptions.slot,
    notBefore: 0,
    slotAt: sendOptions.slotAt,
    expiresAt: 0,
    acceptedAt: sendOptions.now,
    idempotencyKey: sendOptions.key,
    body: bodyOf(call.params, NO_FILES),
  };
}

export function slotOf(stream: Stream, step: PlanStep): string {
  const slot = `stream:${stream.id}:${step.part}`;
  return step.kind === 'send' ? slot : `${slot}:change`;
}

// Known by its number, so that the next process does not send it again.
export function keyOf(stream: Stream): string {
  return ownKey(HOLDERS.sluice, `stream:${stream.id}:${stream.made}`);
}

export function cosmeticOf(ports: CallPorts, stream: Stream, call: LiveCall): CosmeticCall {
  const { account, user } = stream.asked;
  const { method, chat, thread, family, budget } = describe(ports, stream, call);
  const body = bodyOf(call.params, NO_FILES);
  return { account, chat, thread, method, family, budget, user, body };
}

// What the next showing would ask of the limits.
export function prospectOf(ports: CallPorts, stream: Stream): Prospect {
  const { account, chat, thread, params, user, platform } = stream.asked;
  const live = liveOf(ports, platform);
  const place = { chat, thread, params, isFirst: true, isLast: true };
  const [part] = stream.parts;
  const isDraft = stream.transport === 'draft' && live.draft !== undefined;
  const isEdit = part !== undefined && stream.transport === 'edit';
  const call = isDraft
    ? live.draft!({}, place, 1)
    : isEdit
      ? editsOf(live).edit({}, place, messageIdOf(stream, 0, part.seq))
      : live.open({}, place);
  const described = describe(ports, stream, call);
  const { family, cost } = described;
  const budget = ports.budgetFor(account, described, call.params);
  return { account, chat: described.chat, user, family, budget, live: !isDraft, cost };
}

function describe(ports: CallPorts, stream: Stream, call: LiveCall): Call {
  const platform = ports.platforms.get(stream.asked.platform)!;
  const described = platform.calls.describe(call.method, call.params);
  assert(described.kind === 'call', 'a stream makes calls that its platform takes');
  return described;
}
