// /v1/overview: the gateway at a glance, and once a second the same for all who watch. However many watch, a second is
// looked at once and put into words once; nobody is sent each delivery's events.

import Type from 'typebox';
import { showTime, showTimeOrNull } from '../../accept/time.ts';
import type { StreamsView } from '../../cluster/views.ts';
import type { AccountView, Frozen } from '../../road/road.ts';
import type { Timer } from '../../system/clock.ts';
import { Breaker } from '../accounts/accounts.ts';
import { lasting, viewer } from '../auth/access.ts';
import { redacted, seesTexts } from '../auth/redact.ts';
import type { HttpParts } from '../context.ts';
import { Waiting } from '../messages/answers.ts';
import { count, text, time, timeOrNull } from '../openapi/common.ts';
import { group, type Route } from '../route.ts';
import { type EventReader, EventReaders, openEvents } from './events.ts';
import {
  glancesElsewhere,
  incidentsHere,
  LongestWaiting,
  type NodeGlance,
  oldestOf,
} from './glance.ts';
import {
  INCIDENTS_SHOWN_MAX,
  type Incident,
  IncidentAnswer,
  incidentsOf,
  showIncident,
} from './incidents.ts';
import { Depths, type ShownWaiting } from './queue.ts';
import { COUNTED, type Counts, type RateSeries, Rates, SECONDS_KEPT } from './rates.ts';

// Pages that watch at once.
const WATCHERS_MAX = 1000;
const TICK_MS = 1000;
const FREEZES_SHOWN = 10;
const TROUBLES_SHOWN = 10;

const perName = (schema: typeof count | ReturnType<typeof Type.Array>) =>
  Object.fromEntries(COUNTED.map((name) => [name, schema]));
export const OverviewAnswer = Type.Object({
  version: Type.String({ description: 'Of the gateway' }),
  startedAt: time,
  at: time,
  series: Type.Object(
    {
      ...perName(Type.Array(count)),
      waiting: Type.Array(count),
      until: Type.Integer({ description: 'The second (since the epoch) of the last number' }),
    },
    { description: 'A number for each of the last seconds, the newest last' },
  ),
  second: Type.Object({ ...perName(count), waiting: count, until: count }),
  totals: Type.Object(perName(count), { description: 'Since the start' }),
  marks: Type.Object(
    { deliveries: count, streams: count, ingest: count },
    { description: 'Counted up whenever something of the kind changes' },
  ),
  oldest: Type.Array(Waiting),
  depths: Depths,
  oldestDueAt: timeOrNull,
  dead: count,
  uncertain: count,
  freezes: Type.Object({
    active: count,
    shown: Type.Array(
      Type.Object({
        account: text,
        scope: text,
        name: text,
        since: time,
        until: time,
        cause: text,
      }),
    ),
  }),
  accounts: Type.Object({
    total: count,
    trouble: Type.Array(
      Type.Object({
        id: text,
        paused: Type.Boolean(),
        refused: Type.Unsafe({ type: ['string', 'null'] }),
        breaker: Breaker,
        waiting: count,
      }),
    ),
  }),
  streams: count,
  ingest: Type.Unsafe({
    anyOf: [
      Type.Object({ sources: count, dead: count }),
      { ...Type.Null(), description: 'No channel is read here' },
    ],
  }),
  incidents: Type.Array(IncidentAnswer, { description: 'What is wrong, the worst first' }),
});

const SHOW: Route<Overview> = {
  method: 'GET',
  url: '/v1/overview',
  isWide: true,
  access: viewer('closed'),
  tag: 'watching',
  summary: 'The gateway at a glance, with the last quarter of an hour',
  answers: { 200: OverviewAnswer },
  examples: { now: { status: 200 } },
  handler: async (overview) => overview.show(),
};

const WATCH: Route<Overview> = {
  method: 'GET',
  url: '/v1/overview/events',
  isWide: true,
  access: lasting(viewer('closed')),
  tag: 'watching',
  summary: 'The overview, then what changed of it once a second, as server-sent events',
  answers: { 200: text },
  answerType: 'text/event-stream',
  examples: { 'from now on': { status: 200 } },
  handler: async (overview, request, reply) => {
    const first = await overview.show();
    const response = openEvents(overview.watchers, reply);
    const { holder } = request;
    if (response !== null) overview.add({ response, holder, seesTexts: seesTexts(request) }, first);
    return reply;
  },
};

export const OVERVIEW_ROUTES = group<Overview>([SHOW, WATCH], ({ app, options }) => {
  const overview = new Overview(options);
  app.addHook('preClose', async () => overview.stop());
  return overview;
});

type Tick = Awaited<ReturnType<typeof glance>>;

class Overview {
  readonly watchers: EventReaders<EventReader>;
  readonly #options: HttpParts;
  readonly #startedAt: number;
  readonly #rates: Rates;
  readonly #longest: LongestWaiting;
  readonly #unlisten: (() => void)[] = [];
  #timer: Timer | null = null;
  #streamChanges = 0;
  #last: Tick | null = null;

  constructor(options: HttpParts) {
    const { clock, periodic, road, output, fleet } = options;
    this.#options = options;
    this.#longest = new LongestWaiting(options);
    this.#startedAt = clock.now();
    this.watchers = new EventReaders(clock, WATCHERS_MAX);
    const waitingNow = () => {
      const { critical, high, normal, low } = road.depths();
      return critical + high + normal + low;
    };
    // A node of a fleet has two servers.
    const name = fleet?.side === 'inner' ? 'count_seconds_inner' : 'count_seconds';
    this.#rates = new Rates({ periodic, name, counts: () => road.counts(), waitingNow });
    const unlisten = output?.live.listen(() => {
      this.#streamChanges += 1;
    });
    if (unlisten !== undefined) this.#unlisten.push(unlisten);
  }

  async show() {
    const series = this.#rates.series(SECONDS_KEPT);
    const { version } = this.#options;
    const startedAt = showTime(this.#startedAt);
    return { version, startedAt, series, ...(await this.#recent()) };
  }

  add(watcher: EventReader, first: object): void {
    this.watchers.add(watcher);
    this.#publish('overview', first, (each) => each === watcher);
    if (this.#timer === null) this.#tickLater();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    void this.#rates.stop();
    for (const unlisten of this.#unlisten) unlisten();
    this.watchers.stop();
  }

  #tickLater(): void {
    const { clock } = this.#options;
    this.#timer = clock.schedule(clock.now() + TICK_MS, () => {
      if (this.watchers.size === 0) this.#timer = null;
      else void this.#tick().finally(() => this.#timer !== null && this.#tickLater());
    });
  }

  async #tick(): Promise<void> {
    try {
      const tick = await this.look();
      this.#publish('tick', tick, () => true);
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'could not make the overview for those who watch; trying again',
      );
    }
  }

  // Put into words at most twice: for those who see what messages say, and for those who do not.
  #publish(kind: string, what: object, isFor: (watcher: EventReader) => boolean): void {
    const sees = (watcher: EventReader) => watcher.seesTexts !== false;
    const { watchers } = this;
    watchers.publish(
      kind,
      () => what,
      (each) => isFor(each) && sees(each),
    );
    watchers.publish(
      kind,
      () => redacted(what) as object,
      (each) => isFor(each) && !sees(each),
    );
  }

  // While somebody watches there is always a recent one.
  async #recent(): Promise<Tick> {
    const now = this.#options.clock.now();
    const isFresh = this.#last !== null && now - Date.parse(this.#last.at) < TICK_MS;
    return isFresh ? this.#last! : this.look();
  }

  async look(): Promise<Tick> {
    const { clock, road, ingest } = this.#options;
    const now = clock.now();
    const glances = glancesElsewhere(this.#options);
    const oldest = oldestOf(await this.#longest.show(now), glances);
    const { totals } = this.#rates;
    const others = streamsElsewhere(this.#options);
    const second = lastOf(this.#rates.series(1));
    // Who shows deliveries, streams or channels knows by these when to ask again.
    const marks = {
      deliveries: road.counts().events,
      streams: this.#streamChanges + others.changes,
      ingest: ingest?.service.changes ?? 0,
    };
    const frozen = road.freezes();
    const parts = { second, totals, marks, oldest, frozen, others, glances };
    this.#last = await glance(this.#options, now, parts);
    return this.#last;
  }
}

function showFrozen({ account, scope, name, since, until, cause }: Frozen) {
  return { account, scope, name, since: showTime(since), until: showTime(until), cause };
}

function lastOf({ until, ...series }: RateSeries) {
  const numbers = Object.entries(series).map(([name, values]) => [name, values.at(-1) ?? 0]);
  return { until, ...(Object.fromEntries(numbers) as Record<keyof typeof series, number>) };
}

function troublesOf(accounts: readonly AccountView[]) {
  return accounts
    .filter(
      ({ paused, refused, breaker }) => paused || refused !== null || breaker.state !== 'closed',
    )
    .slice(0, TROUBLES_SHOWN)
    .map(({ id, paused, refused, breaker, waiting }) => ({
      id,
      paused,
      refused,
      breaker: { ...breaker, until: showTimeOrNull(breaker.until) },
      waiting,
    }));
}

// Of the other nodes, as they said when they were last asked.
function streamsElsewhere({ fleet }: HttpParts): StreamsView {
  const sum = { open: 0, changes: 0 };
  for (const { isSelf, view } of fleet?.port.nodes() ?? []) {
    if (isSelf) continue;
    sum.open += view?.streams?.open ?? 0;
    sum.changes += view?.streams?.changes ?? 0;
  }
  return sum;
}

function incidentsIn({ incidents }: NodeGlance): readonly Incident[] {
  return incidents;
}

interface Parts {
  readonly second: ReturnType<typeof lastOf>;
  readonly totals: Counts;
  readonly marks: Readonly<Record<'deliveries' | 'streams' | 'ingest', number>>;
  readonly oldest: readonly ShownWaiting[];
  readonly frozen: readonly Frozen[];
  readonly others: StreamsView;
  readonly glances: readonly NodeGlance[];
}

async function glance(options: HttpParts, now: number, parts: Parts) {
  const { road, ledger, output, ingest } = options;
  const { frozen, others, glances, ...rest } = parts;
  const { oldestDueAt, ...depths } = road.depths();
  const accounts = road.accounts();
  const own = [...(await incidentsHere(options, accounts)), ...glances.flatMap(incidentsIn)];
  const counts = await ledger.countByState();
  const count = (wanted: string) =>
    counts.reduce((sum, each) => (each.state === wanted ? sum + each.count : sum), 0);
  return {
    at: showTime(now),
    ...rest,
    depths,
    oldestDueAt: showTimeOrNull(oldestDueAt),
    dead: count('dead'),
    uncertain: count('uncertain'),
    freezes: { active: frozen.length, shown: frozen.slice(0, FREEZES_SHOWN).map(showFrozen) },
    accounts: { total: accounts.length, trouble: troublesOf(accounts) },
    streams: (output?.live.openCount ?? 0) + others.open,
    ingest: ingest?.service.tally() ?? null,
    incidents: incidentsOf(own, { accounts, frozen, now })
      .slice(0, INCIDENTS_SHOWN_MAX)
      .map(showIncident),
  };
}
