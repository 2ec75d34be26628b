// Every metric of Sluice: name, type, labels and what it tells. The registry and docs/reference/metrics.md use it.
// Labels are few and their values bounded: platforms, classes, states, outcomes, codes of reasons. Never a chat, never
// an account, never a delivery: those live in the ledger, where they cost a row and not a time series.

export interface MetricKind {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  readonly buckets?: readonly number[];
}

const WAIT_S_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200];
const CALL_S_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const AGE_S_BUCKETS = [0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800, 7200, 86_400];
const COMMIT_S_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128];

export const METRICS = {
  sluice_accepted_total: {
    type: 'counter',
    labels: ['platform', 'priority'],
    help: 'Deliveries accepted, which means: on disk.',
  },
  sluice_attempts_total: {
    type: 'counter',
    labels: ['platform', 'outcome'],
    help: 'Calls made, by what they came to: sent, limited, refused, failed, uncertain.',
  },
  sluice_moves_total: {
    type: 'counter',
    labels: ['platform', 'to'],
    help: 'Moves of deliveries by the state they moved to; queued is a retry.',
  },
  sluice_wait_seconds: {
    type: 'histogram',
    labels: ['platform', 'priority'],
    help: 'Time from when a delivery could go (accepted, or due again) to the start of its call.',
    buckets: WAIT_S_BUCKETS,
  },
  sluice_attempt_seconds: {
    type: 'histogram',
    labels: ['platform', 'outcome'],
    help: 'Time one call took. Successes of 1 to 8 s are the early warning of a flood wait.',
    buckets: CALL_S_BUCKETS,
  },
  sluice_delivery_seconds: {
    type: 'histogram',
    labels: ['platform', 'priority'],
    help: 'Age of deliveries when they were sent.',
    buckets: AGE_S_BUCKETS,
  },
  sluice_troubles_total: {
    type: 'counter',
    labels: ['platform', 'outcome', 'reason'],
    help: 'Calls that were refused, failed or left in doubt, by the code of the reason.',
  },
  sluice_upstream_errors_total: {
    type: 'counter',
    labels: ['platform', 'status'],
    help: 'Calls of deliveries that the platform answered with a 5xx, by status.',
  },
  sluice_passed_total: {
    type: 'counter',
    labels: ['platform', 'status'],
    help: 'Calls passed straight through, by status: 429, else its class (2xx, 4xx, …); none: no answer.',
  },
  sluice_dead_letters_total: {
    type: 'counter',
    labels: ['platform', 'reason'],
    help: 'Deliveries that died, by the code of the reason.',
  },
  sluice_limited_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Times a platform said wait (429). Well-paced traffic earns none.',
  },
  sluice_limit_filled_total: {
    type: 'counter',
    labels: ['platform', 'rule'],
    help: 'Calls that used a limit to the full, by its name: the next one like it has to wait.',
  },
  sluice_retry_after_seconds_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Sum of the waits platforms asked for.',
  },
  sluice_rate_limited_drops_total: {
    type: 'counter',
    labels: [],
    help: 'Deliveries lost to a rate limit. Always 0: a limited delivery waits.',
  },
  sluice_queue_full_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Messages refused because the queue of their account or platform is full.',
  },
  sluice_cosmetic_total: {
    type: 'counter',
    labels: ['platform', 'end'],
    help: 'Typing indicators and drafts: sent, dropped (their moment was not free), refused, failed.',
  },
  sluice_updates_total: {
    type: 'counter',
    labels: ['platform', 'end'],
    help: 'Updates that came by webhook: received, repeated, taken by the app, expired; failed counts tries.',
  },
  sluice_freezes_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Freezes begun or prolonged.',
  },
  sluice_breaker_opened_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Times the breaker of an account opened.',
  },
  sluice_tokens_refused_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Times the platform refused the token of an account, asked twice.',
  },
  sluice_internal_faults_total: {
    type: 'counter',
    labels: ['stage'],
    help: 'Exceptions within the gateway, contained where they happened. `attempt`, `store`: a delivery died by it.',
  },
  sluice_broadcast_recipients_total: {
    type: 'counter',
    labels: ['platform', 'end'],
    help: 'Recipients of broadcasts by what became of them.',
  },
  sluice_journal_commit_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Time from handing a batch of commands to the store until it is written.',
    buckets: COMMIT_S_BUCKETS,
  },
  sluice_journal_batch_commands: {
    type: 'histogram',
    labels: [],
    help: 'Commands that were handed over together.',
    buckets: BATCH_BUCKETS,
  },
  sluice_http_requests_total: {
    type: 'counter',
    labels: ['route', 'status'],
    help: 'Requests answered, by route pattern and class of status (2xx, 4xx, …).',
  },
  sluice_live_shown_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Showings of growing texts that reached the screen, finals left out.',
  },
  sluice_live_superseded_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Texts that a newer one replaced before they were shown.',
  },
  sluice_live_finals_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Finals of streams that are on disk.',
  },
  sluice_live_watchdog_finals_total: {
    type: 'counter',
    labels: ['platform'],
    help: 'Those among them whose producer fell silent.',
  },
  sluice_live_staleness_seconds: {
    type: 'histogram',
    labels: ['platform'],
    help: 'Time from the first word that was not shown to the showing that shows it.',
    buckets: WAIT_S_BUCKETS,
  },
  sluice_live_streams: {
    type: 'gauge',
    labels: ['platform'],
    help: 'Streams that have not come to their end.',
  },
  sluice_live_active_sessions: {
    type: 'gauge',
    labels: ['platform'],
    help: 'Sessions with something to show, or with a word from their producer lately.',
  },
  sluice_live_finals_waiting: {
    type: 'gauge',
    labels: ['platform'],
    help: 'Streams whose final is on disk and not yet sent.',
  },
  sluice_live_oldest_wait_seconds: {
    type: 'gauge',
    labels: ['platform'],
    help: 'How long the longest-waiting session has had something to show; 0 when none has.',
  },
  sluice_live_tick_seconds: {
    type: 'gauge',
    labels: ['platform'],
    help: 'Time between two showings of one session, in the chat where it is longest.',
  },
  sluice_broadcasts: {
    type: 'gauge',
    labels: ['platform', 'state'],
    help: 'Broadcasts that are not over, by state: running, paused.',
  },
  sluice_queue_depth: {
    type: 'gauge',
    labels: ['priority'],
    help: 'Deliveries waiting now, by class.',
  },
  sluice_queue_bytes: {
    type: 'gauge',
    labels: ['platform'],
    help: 'Bytes of payload that wait or are in flight, in all accounts of the platform.',
  },
  sluice_queue_bytes_largest: {
    type: 'gauge',
    labels: ['platform'],
    help: 'The same of the one account of the platform that holds most.',
  },
  sluice_queue_retry_depth: {
    type: 'gauge',
    labels: [],
    help: 'Deliveries among the waiting that wait for the time of their retry.',
  },
  sluice_in_flight: {
    type: 'gauge',
    labels: [],
    help: 'Calls under way now.',
  },
  sluice_oldest_due_seconds: {
    type: 'gauge',
    labels: [],
    help: 'How long the longest-waiting due delivery has waited; 0 when none waits.',
  },
  sluice_last_turn_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Time since the loop that sends last had its turn; it has one every ten seconds at least.',
  },
  sluice_periodic_failures_total: {
    type: 'counter',
    labels: ['work'],
    help: 'Runs of periodic work that failed, by its name; the next one is made all the same.',
  },
  sluice_periodic_overdue_seconds: {
    type: 'gauge',
    labels: ['work'],
    help: 'How late the next run of periodic work is, also because one does not end; 0 when it is not.',
  },
  sluice_dead: {
    type: 'gauge',
    labels: [],
    help: 'Dead letters kept now.',
  },
  sluice_uncertain: {
    type: 'gauge',
    labels: [],
    help: 'Deliveries in doubt that wait for a person.',
  },
  sluice_accounts: {
    type: 'gauge',
    labels: ['platform', 'state'],
    help: 'Accounts by state: active, paused, refused (its token is no longer accepted).',
  },
  sluice_breakers: {
    type: 'gauge',
    labels: ['platform', 'state'],
    help: 'Breakers of accounts by state: closed, half_open, open.',
  },
  sluice_freezes_active: {
    type: 'gauge',
    labels: [],
    help: 'Freezes in force now, of chats, families and accounts, and of methods that are passed through.',
  },
  sluice_limits_lowered: {
    type: 'gauge',
    labels: [],
    help: 'Limits of which less is believed than their setting says, because the platform said so.',
  },
  sluice_journal_up: {
    type: 'gauge',
    labels: [],
    help: '1 while the store takes what it is given, 0 while it does not (disk full, failing).',
  },
  sluice_store_losses: {
    type: 'gauge',
    labels: [],
    help: 'Losses of the store that were accepted with --accept-loss; /health/details lists them.',
  },
  sluice_spill_away: {
    type: 'gauge',
    labels: [],
    help: '1 while the database of the fleet is away or the spill is being handed over: nothing is sent.',
  },
  sluice_spill_deliveries: {
    type: 'gauge',
    labels: [],
    help: 'Records in the spill of this node: accepted, on its disk, not in the database yet.',
  },
  sluice_spill_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Bytes of payload in the spill of this node.',
  },
  sluice_spill_filled_ratio: {
    type: 'gauge',
    labels: [],
    help: 'How full the spill of this node is, by count or by bytes; at 1 nothing more is accepted.',
  },
  sluice_spill_oldest_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest delivery in the spill of this node.',
  },
  sluice_spill_accepted_total: {
    type: 'counter',
    labels: [],
    help: 'Deliveries accepted into the spill of this node.',
  },
  sluice_spill_handed_over_total: {
    type: 'counter',
    labels: [],
    help: 'Records of the spill that were handed over to the database.',
  },
  sluice_spill_refused_total: {
    type: 'counter',
    labels: [],
    help: 'Records of the spill that the database refused; they are kept in spill-refused.log.',
  },
  sluice_store_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Size of the files of the store.',
  },
  sluice_disk_free_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Room left on the disk of the data folder.',
  },
  sluice_spool_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Size of the uploaded files that deliveries still need.',
  },
  sluice_node_accounts: {
    type: 'gauge',
    labels: [],
    help: 'Of a fleet: accounts that this node owns.',
  },
  sluice_node_members: {
    type: 'gauge',
    labels: [],
    help: 'Of a fleet: nodes that this one sees, itself included.',
  },
  sluice_node_forwards_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Of a fleet: requests handed to other nodes: answered, moved (the account was not theirs), unsent or lost.',
  },
  sluice_node_account_moves_total: {
    type: 'counter',
    labels: ['move'],
    help: 'Of a fleet: accounts that this node has taken, handed over, or lost to another.',
  },
} as const satisfies Record<string, MetricKind>;

export type MetricName = keyof typeof METRICS;

// The same numbers once more, as `<platform>_<name>`: what monitors of bots without a gateway look for. The names are
// given, and not what Prometheus recommends for counters: they stand apart, after all others.
export const DESCRIBED = {
  '429_count': 'Times the platform said wait, passed calls included.',
  '5xx_count': 'Answers of the platform with a 5xx, passed calls included.',
  rate_limited_drops: 'Deliveries lost to a rate limit. Always 0: a limited delivery waits.',
} as const;
export type DescribedName = keyof typeof DESCRIBED;
export const DESCRIBED_NAMES = Object.keys(DESCRIBED) as DescribedName[];
