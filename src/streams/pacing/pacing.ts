// Where streams are shown: the chats with their turns, what is known of their drafts, and how all of it stands now.
// With the cadence off every stream has a pacer of its own and none waits for another.

import type { RoadEvent } from '../../domain/event.ts';
import type { ReportFault } from '../../domain/fault.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { LiveListener, LiveReading, LiveTransport } from '../../domain/live.ts';
import type { Prospect } from '../../road/road.ts';
import { hasEdits, liveOf, prospectOf } from '../calls.ts';
import { EditSession } from '../edit-session.ts';
import { type EditPorts, LiveEdits } from '../edits.ts';
import { type LiveSettings, type OutputPace, paceOf, strategyOf, transportOf } from '../policy.ts';
import { type ShowingPorts, show, showTyping } from '../showing.ts';
import type { Stream } from '../stream-state.ts';
import type { NewStream } from '../streams.ts';
import { type LiveText, Output } from './chat-pacer.ts';

// Chats known to offer no drafts; the oldest is forgotten, and asked again.
const LACKING_MAX = 10_000;
const WAITS_MAX = 1000;
// Behind a preview there is room soon for a final of each session, up to this share of the chat's minute. Of more
// sessions not all end at once: then for as many as previews spare anyway.
const FINALS_KEPT_SHARE = 0.3;
const FINALS_WITHIN_MS = 8000;
const MINUTE_MS = 60_000;

export interface StagePorts extends Omit<ShowingPorts, 'shown' | 'lacksDrafts' | 'slotFor'> {
  settingsOf(account: AccountId): LiveSettings;
  streamOf(id: string): Stream | null;
  // Whether this process shows the account's texts; left out: all accounts'.
  readonly owns?: (account: AccountId) => boolean;
  readonly publish: LiveListener;
  readonly report: ReportFault;
  broken(stream: Stream, error: unknown): void;
}

export class ChatPacers {
  readonly #p: StagePorts;
  readonly #showing: ShowingPorts;
  readonly #outputs = new Map<string, Output>();
  readonly #lacking = new Set<string>();
  readonly edits: LiveEdits;
  // Set while there are outputs.
  #unlisten: (() => void) | null = null;

  constructor(ports: StagePorts) {
    this.#p = ports;
    const { road, clock, publish } = ports;
    const outputOf = (session: EditSession) => this.#outputOfEdits(session);
    const report: EditPorts['report'] = (error, { id, account }) =>
      ports.report('stream', error, { stream: id, account });
    this.edits = new LiveEdits({ road, clock, publish, outputOf, report });
    this.#showing = {
      ...ports,
      slotFor: (stream, isFinal) => this.slotFor(stream, isFinal),
      shown: (stream, staleSince) => this.#shown(stream, staleSince),
      lacksDrafts: (stream) => this.#lacksDrafts(stream),
    };
  }

  transportOf({ account, platform, chat, transport }: NewStream): LiveTransport {
    const live = liveOf(this.#p, platform);
    const lacks = this.#lacking.has(chatKey(account, chat));
    const best = transportOf(this.#p.settingsOf(account), live, chat, lacks);
    if (transport === null) return best;
    // What cannot be changed cannot be shown before it is finished.
    if (!hasEdits(live)) return 'chunks';
    return transport === 'draft' && (lacks || live.draft === undefined) ? 'edit' : transport;
  }

  // Its producer said something that is not shown yet.
  changed(stream: Stream): void {
    const output = this.outputOf(stream);
    output.emitted(stream);
    output.want(stream);
  }

  want(stream: Stream): void {
    this.outputOf(stream).want(stream);
  }

  outputOf(stream: Stream): Output {
    const { account, platform, chat } = stream.asked;
    const settings = this.#p.settingsOf(account);
    const live = liveOf(this.#p, platform);
    const kind = stream.transport === 'draft' ? 'draft' : 'message';
    const own = strategyOf(settings, live) === 'off' ? stream.id : '';
    return this.#output({ account, chat, platform }, kind, own, () =>
      paceOf(settings, live, chat, stream.transport),
    );
  }

  // null: its platform shows no growing texts, or the cadence is off. Or another process has its account: what is held
  // for a turn here could not be released there.
  #outputOfEdits({ account, chat, platform }: EditSession): Output | null {
    if (this.#p.owns?.(account) === false) return null;
    const live = this.#p.platforms.get(platform)?.live;
    const settings = this.#p.settingsOf(account);
    if (live === undefined || strategyOf(settings, live) === 'off') return null;
    return this.#output({ account, chat, platform }, 'message', '', () =>
      paceOf(settings, live, chat, 'edit'),
    );
  }

  #output(
    of: Output['of'],
    kind: 'draft' | 'message',
    own: string,
    pace: () => OutputPace,
  ): Output {
    const key = [of.account, of.chat, kind, own].join('\0');
    let output = this.#outputs.get(key);
    if (output === undefined) {
      output = new Output(this.#outputPorts(), pace(), of);
      this.#outputs.set(key, output);
      this.#unlisten ??= this.#p.road.listen(this.#onRoadEvent);
    }
    return output;
  }

  async type(stream: Stream): Promise<void> {
    await showTyping(this.#showing, stream);
  }

  slotFor(stream: Stream, isFinal: boolean): number {
    const now = this.#p.clock.now();
    const { slots } = this.outputOf(stream);
    if (isFinal) return slots.takeFinal(now);
    slots.takePreview(now);
    return now;
  }

  // A call of the chat came back: it may be open now.
  readonly #onRoadEvent = (event: RoadEvent): void => {
    if (event.kind !== 'attempted') return;
    const { account, chat } = event.about;
    for (const kind of ['message', 'draft']) {
      this.#outputs.get([account, chat, kind, ''].join('\0'))?.consider();
    }
  };

  forgetIdle(now: number): void {
    this.edits.forgetIdle(now);
    for (const [key, output] of this.#outputs) {
      if (!output.isIdle(now)) continue;
      output.rest();
      this.#outputs.delete(key);
    }
    if (this.#outputs.size > 0) return;
    this.#unlisten?.();
    this.#unlisten = null;
  }

  stop(): void {
    this.edits.stop();
    for (const output of this.#outputs.values()) output.stop();
  }

  readings(streams: Iterable<Stream>, now: number): LiveReading[] {
    const open = Map.groupBy(streams, ({ asked }) => asked.platform);
    const outputs = Map.groupBy(this.#outputs.values(), ({ of }) => of.platform);
    const platforms = new Set([...open.keys(), ...outputs.keys()]);
    return [...platforms].map((platform) => {
      const own = outputs.get(platform) ?? [];
      const sum = (count: (output: Output) => number) => own.reduce((n, o) => n + count(o), 0);
      const busy = own.filter((output) => output.turns.active(output.pace, now) > 0);
      const ticks = busy.map((output) => output.turns.tick(output.pace, now));
      const waits = own.flatMap((output) => output.turns.waits());
      return {
        platform,
        streams: open.get(platform)?.length ?? 0,
        activeSessions: sum((output) => output.turns.active(output.pace, now)),
        finalsWaiting: sum((output) => output.finals.size),
        tickMsMax: Math.max(0, ...ticks.slice(0, WAITS_MAX)),
        waits: waits.sort((a, b) => a.since - b.since).slice(0, WAITS_MAX),
      };
    });
  }

  #outputPorts() {
    const { clock, streamOf, broken, report } = this.#p;
    const { edits } = this;
    return {
      clock,
      textOf: (id: string) => edits.get(id) ?? streamOf(id),
      earliest: (text: LiveText, active: number) =>
        isEdit(text)
          ? this.#earliest(text.prospect, active)
          : this.#earliest(prospectOf(this.#p, text as Stream), active),
      show: (text: LiveText) =>
        isEdit(text) ? edits.show(text) : show(this.#showing, text as Stream),
      broken: (text: LiveText, error: unknown) =>
        isEdit(text)
          ? report('stream', error, { stream: text.id, account: text.account })
          : broken(text as Stream, error),
    };
  }

  // Beside its own room a preview leaves some for what may end at any moment.
  #earliest(call: Prospect, active: number): number {
    const { road, clock } = this.#p;
    const at = road.earliest(call);
    if (!call.live) return at;
    const finals = this.#finalsKept(call, active);
    if (finals === 0) return at;
    const withFinals = { ...call, live: false, cost: call.cost + finals };
    return Math.max(at, road.earliest(withFinals) - FINALS_WITHIN_MS, clock.now());
  }

  #finalsKept({ account, chat }: Prospect, active: number): number {
    const pace = this.#outputs.get([account, chat, 'message', ''].join('\0'))?.pace;
    if (pace === undefined || pace.slotMs === 0) return 0;
    const keptMax = Math.floor((MINUTE_MS / pace.slotMs) * FINALS_KEPT_SHARE);
    return active <= keptMax ? active : Math.min(keptMax, pace.slotsSpared);
  }

  #shown({ asked, session }: Stream, staleSince: number): void {
    const staleMs = Math.max(0, this.#p.clock.now() - staleSince);
    this.#p.publish({ kind: 'shown', platform: asked.platform, session, staleMs });
  }

  #lacksDrafts(stream: Stream): void {
    const { account, chat } = stream.asked;
    this.#lacking.add(chatKey(account, chat));
    if (this.#lacking.size > LACKING_MAX) {
      const [oldest] = this.#lacking;
      this.#lacking.delete(oldest!);
    }
    this.outputOf(stream).leave(stream);
    stream.transport = 'edit';
    this.want(stream);
  }
}

function chatKey(account: AccountId, chat: string): string {
  return `${account}\0${chat}`;
}

function isEdit(text: LiveText): text is EditSession {
  return text instanceof EditSession;
}
