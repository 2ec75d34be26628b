// What is shipped for Prometheus and Grafana, read as a test needs it: the queries of all panels, and the alerts with
// their times cut down to seconds.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
export const RULES_FILE = join(DEPLOY, 'prometheus', 'sluice.rules.yml');
export const RULE_TESTS_FILE = join(DEPLOY, 'prometheus', 'sluice.rules.test.yml');
const DASHBOARDS = join(DEPLOY, 'grafana', 'dashboards');

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>;
}

export const THRESHOLD = 'sluice:threshold:';

// A variable of the alerts.
export interface Threshold {
  readonly record: string;
  readonly expr: string;
}

export function shippedRules(): Rule[] {
  return ruleFile().filter((rule): rule is Rule => 'alert' in rule);
}

export function shippedThresholds(): Threshold[] {
  return ruleFile().filter((rule): rule is Threshold => 'record' in rule);
}

function ruleFile(): (Rule | Threshold)[] {
  const file = parse(readFileSync(RULES_FILE, 'utf8')) as {
    groups: { rules: (Rule | Threshold)[] }[];
  };
  return file.groups.flatMap(({ rules }) => rules);
}

interface PanelJson {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

export interface PanelQuery {
  readonly panel: string;
  readonly expr: string;
}

export function panelQueries(): PanelQuery[] {
  return readdirSync(DASHBOARDS).flatMap((file) => {
    const { title, panels } = JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as {
      title: string;
      panels: PanelJson[];
    };
    return panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({ panel: `${title} / ${panel.title}`, expr })),
    );
  });
}

// As Grafana fills them in, over a short time.
export function filledIn(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5s').replaceAll('$instance', '.*');
}

// Minutes of looking back become seconds, and what has to wait for minutes has to wait for seconds. How much is too
// much stays as it is, but for what would take hours or gigabytes to make: a large backlog, a large store, a small
// rest of a disk. A loop in good health has a turn every ten seconds, so eleven are the least that mean something.
const SHORTER: readonly [RegExp, string][] = [
  [/\[\d+[mh]\]/g, '[8s]'],
  [/offset \d+m/g, 'offset 4s'],
  [/offset 24h/g, 'offset 60s'],
];
const QUICK_THRESHOLDS: Readonly<Record<string, number>> = {
  no_progress_seconds: 3,
  backlog_age_seconds: 3,
  loop_silent_seconds: 11,
  stream_stale_seconds: 3,
  backlog_messages: 30,
  store_bytes: 16e6,
  disk_free_bytes: 24e6,
  hwm_age_seconds: 20,
  look_seconds: 2,
};

export function quickRules(): string {
  const thresholds = shippedThresholds().map(({ record, expr }) => {
    const less = QUICK_THRESHOLDS[record.slice(THRESHOLD.length)];
    return { record, expr: less === undefined ? expr : `vector(${less})` };
  });
  return stringify({
    groups: [{ name: 'sluice', rules: [...thresholds, ...shippedRules().map(quick)] }],
  });
}

function quick(rule: Rule): Rule {
  const expr = SHORTER.reduce((text, [long, short]) => text.replace(long, short), rule.expr);
  return { ...rule, expr, ...(rule.for === undefined ? {} : { for: '1s' }) };
}
