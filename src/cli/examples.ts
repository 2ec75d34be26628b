// What people type: a few lines for each command, shown at the end of its help and in docs/reference/cli.md. A test
// parses each of them, so that none can name an option that is no longer there.

import type { Command } from 'commander';
import { PLATFORM_DEFAULT } from '../platforms/registry.ts';

const ACCOUNT = PLATFORM_DEFAULT.sample.account;

export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  serve: [
    'sluice serve',
    'sluice serve --port 9000 --data /var/lib/sluice',
    'sluice serve --config sluice.yaml --log debug',
  ],
  send: [
    'sluice send --account 1:sandbox --chat 42 hello',
    'sluice send --chat @news --priority high --wait 30 "it is done"',
    `sluice send --chat 42 --method sendPhoto --body '{"photo": "https://example.com/cat.png"}'`,
  ],
  stream: [
    'ask-a-model | sluice stream --chat 42 --format markdown',
    'tail -f build.log | sluice stream --chat -1001234 --idle 60 --wait',
  ],
  'stream list': ['sluice stream list', 'sluice stream list --json'],
  'stream show': ['sluice stream show s-mwifte3h-85f37'],
  broadcast: [
    'sluice broadcast --to people.csv --text "Hello {{name|friend}}"',
    'sluice broadcast --audience beta --text "v2 is out" --not-before 2030-01-01T09:00:00Z --detach',
  ],
  'broadcast save': ['sluice broadcast save beta people.csv'],
  'broadcast list': ['sluice broadcast list'],
  'broadcast show': ['sluice broadcast show b-k3x9a-1'],
  'broadcast recipients': ['sluice broadcast recipients b-k3x9a-1 --state dead --limit 200'],
  'broadcast pause': ['sluice broadcast pause b-k3x9a-1'],
  'broadcast resume': ['sluice broadcast resume b-k3x9a-1'],
  'broadcast cancel': ['sluice broadcast cancel b-k3x9a-1'],
  'ingest login': ['sluice ingest login'],
  'ingest add': [
    'sluice ingest add @daily_news --sandbox',
    'sluice ingest add @durov --priority 4',
    'sluice ingest add @daily_news --kind mtproto --forward-url https://app.example/posts',
    'sluice ingest add @daily_news --sandbox --forward-account 1:sandbox --forward-chat 42',
  ],
  'ingest list': ['sluice ingest list', 'sluice ingest list --json'],
  'ingest show': ['sluice ingest show 1'],
  'ingest run': ['sluice ingest run 1'],
  'ingest pause': ['sluice ingest pause 1'],
  'ingest resume': ['sluice ingest resume 1'],
  'ingest remove': ['sluice ingest remove 1'],
  'ingest dead': ['sluice ingest dead', 'sluice ingest dead --retry'],
  'ingest posts': [
    'sluice ingest posts 1',
    'sluice ingest posts --text rain --after 2030-01-01T00:00:00Z',
  ],
  'ingest export': [
    'sluice ingest export 1',
    'sluice ingest export --format csv --after 2030-01-01T00:00:00Z',
  ],
  status: ['sluice status', 'sluice status --json', 'sluice status --url https://gate.example'],
  mcp: ['sluice mcp', 'sluice mcp --url https://gate.example'],
  nodes: ['sluice nodes', 'sluice nodes --json'],
  queue: [
    'sluice queue',
    'sluice queue --chat -1001234',
    `sluice queue --account ${ACCOUNT} --json`,
  ],
  events: ['sluice events', `sluice events --account ${ACCOUNT} --json`],
  top: ['sluice top', `sluice top --filter ${ACCOUNT}`, 'sluice top --json'],
  'messages list': [
    'sluice messages --chat -1001234',
    'sluice messages --message-id 4711 --chat 42',
    'sluice messages list --state sent --since 2030-01-01T00:00:00Z --limit 500 --json',
  ],
  'messages show': ['sluice messages show k3x9a-1'],
  'messages cancel': ['sluice messages cancel k3x9a-1'],
  'dead list': [
    'sluice dead list --group',
    'sluice dead list --reason chat_not_found --limit 200',
    'sluice dead list --state uncertain',
  ],
  'dead show': ['sluice dead show k3x9a-1'],
  'dead edit': [
    `sluice dead edit k3x9a-1 --body '{"text": "shorter"}'`,
    'sluice dead edit k3x9a-1 --body @body.json',
  ],
  'dead retry': [
    'sluice dead retry k3x9a-1 k3x9a-2',
    'sluice dead retry --reason timeout --since 2030-01-01T00:00:00Z',
    'sluice dead retry --all',
  ],
  'dead discard': ['sluice dead discard k3x9a-1', 'sluice dead discard --reason bot_blocked'],
  explain: ['sluice explain k3x9a-1'],
  'limits list': ['sluice limits --frozen', `sluice limits --account ${ACCOUNT}`],
  'limits freeze': [`sluice limits freeze ${ACCOUNT} -1001234 --for 10m --reason maintenance`],
  'limits thaw': [`sluice limits thaw ${ACCOUNT} -1001234`],
  'limits settings': [`sluice limits settings ${ACCOUNT}`],
  'limits set': [`sluice limits set ${ACCOUNT} group_mpm=10 private_per_s=0.5`],
  'limits reset': [`sluice limits reset ${ACCOUNT} group_mpm`, `sluice limits reset ${ACCOUNT}`],
  pause: [`sluice pause ${ACCOUNT}`],
  resume: [`sluice resume ${ACCOUNT}`],
  'login-link': ['sluice login-link', 'sluice login-link --url https://gate.example'],
  'accounts list': ['sluice accounts list', 'sluice accounts list --json'],
  'accounts add': ['SLUICE_TOKEN=1:sandbox sluice accounts add'],
  'accounts probe': [
    `sluice accounts probe ${ACCOUNT}`,
    `sluice accounts probe ${ACCOUNT} --chat -1001234 --force`,
  ],
  'accounts remove': [`sluice accounts remove ${ACCOUNT}`],
  'keys list': ['sluice keys list'],
  'keys create': [
    'sluice keys create dashboard --role viewer --expires 90d',
    `sluice keys create newsroom --role sender --account ${ACCOUNT} --rate 60`,
    'sluice keys create shop --role sender --chat 42',
    `sluice keys create helper --virtual --account ${ACCOUNT} --method sendMessage --chat 42`,
  ],
  'keys rotate': ['sluice keys rotate k-7f3a --grace 10m'],
  'keys revoke': ['sluice keys revoke k-7f3a'],
  'keys audit': ['sluice keys audit --limit 200'],
  sim: [
    'sluice sim',
    'sluice sim --port 0 --group-mpm 10 --latency 40 --jitter 40',
    'sluice sim --fault bad_gateway=0.01 --fault answer_lost=0.005 --seed 7',
  ],
  'sim mtproto': [
    'sluice sim mtproto --key mtproto-sim.pem',
    'sluice sim mtproto --port 0 --channel @daily_news --channel @weather --every-s 5',
  ],
  'sim world': ['sluice sim world --seeds 20', 'sluice sim world --seed 7 --hours 2 --crashes 10'],
  record: [
    'sluice record day.jsonl',
    'sluice record day.jsonl --since 2030-01-01T00:00:00Z --until 2030-01-02T00:00:00Z',
  ],
  replay: [
    'sluice replay day.jsonl --set limits.group_mpm=15',
    'sluice replay day.jsonl --set schedule.weight_low=4 --truth 0.8 --json',
  ],
  config: ['sluice config', 'sluice config --config sluice.yaml --json', 'sluice config --running'],
  snapshot: ['sluice snapshot backup.db', 'sluice snapshot backup.db --data /var/lib/sluice'],
  restore: ['sluice restore backup.db --data ./data-new'],
  migrate: [
    'sluice migrate --to postgres://sluice@db.example/sluice',
    'sluice migrate --to postgres --resume',
    'sluice migrate --to sqlite --data ./data-new',
  ],
  watch: ['sluice watch build', 'sluice watch build --account terminal:ci --json'],
  completion: [
    'source <(sluice completion bash)',
    'source <(sluice completion zsh)',
    'sluice completion fish | source',
  ],
};

// What one types first.
const FIRST = ['serve', 'send', 'top', 'explain', 'dead list', 'ingest add'];

// Below the help of each command; of one that only holds others, one of each of them.
export function addExamples(command: Command, path: readonly string[] = []): void {
  const within = path.length === 0 ? FIRST : namesWithin(command, path);
  const lines = EXAMPLES[path.join(' ')] ?? within.flatMap((name) => EXAMPLES[name]?.[0] ?? []);
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const each of command.commands) addExamples(each, [...path, each.name()]);
}

function namesWithin(command: Command, path: readonly string[]): string[] {
  return command.commands.map((each) => [...path, each.name()].join(' '));
}
