// The metrics of the table with their series. Whoever counts asks once for the number that has its labels and keeps it;
// gauges are shown whole. A metric has at most SERIES_MAX series: what comes beyond is counted together as `other`,
// so that no mistake in a label can fill the memory here or in Prometheus.

import { assert } from '../../system/assert.ts';
import { METRICS, type MetricKind, type MetricName } from './metric-table.ts';

export const SERIES_MAX = 500;
const OTHER = 'other';

type NameOf<T extends MetricKind['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];

export type CounterName = NameOf<'counter'>;
export type GaugeName = NameOf<'gauge'>;
export type SpreadName = NameOf<'histogram'>;

export interface MetricFamily {
  readonly name: MetricName;
  readonly kind: MetricKind;
  // By their labels as text.
  readonly series: Map<string, MetricSeries>;
}

export class Board {
  readonly #families = new Map<MetricName, MetricFamily>();

  constructor() {
    for (const [name, kind] of Object.entries<MetricKind>(METRICS)) {
      this.#families.set(name as MetricName, { name: name as MetricName, kind, series: new Map() });
      // What has no labels is there from the start, with nothing in it.
      if (kind.labels.length === 0) this.#seriesOf(name as MetricName, {});
    }
  }

  count(name: CounterName, labels: Labels = {}): Count {
    return this.#seriesOf(name, labels) as Count;
  }

  spread(name: SpreadName, labels: Labels = {}): Spread {
    return this.#seriesOf(name, labels) as Spread;
  }

  // Replaces every value of the gauge, so that what no longer exists is no longer shown.
  show(name: GaugeName, values: Iterable<readonly [Labels, number]>): void {
    this.#families.get(name)!.series.clear();
    for (const [labels, value] of values) (this.#seriesOf(name, labels) as Count).value = value;
  }

  families(): Iterable<MetricFamily> {
    return this.#families.values();
  }

  #seriesOf(name: MetricName, labels: Labels): MetricSeries {
    const { kind, series } = this.#families.get(name)!;
    const given = Object.keys(labels).length === kind.labels.length;
    assert(given && kind.labels.every((label) => label in labels), `${name} has other labels`);
    const text = labelText(kind.labels, labels);
    const known = series.get(text);
    if (known !== undefined) return known;
    const isFull = series.size >= SERIES_MAX - 1;
    const key = isFull ? labelText(kind.labels, othersOf(kind.labels)) : text;
    const made = series.get(key) ?? seriesFor(kind);
    series.set(key, made);
    return made;
  }
}

function seriesFor(kind: MetricKind): MetricSeries {
  return kind.type === 'histogram' ? new Spread(kind.buckets ?? []) : new Count();
}

function othersOf(labels: readonly string[]): Labels {
  return Object.fromEntries(labels.map((label) => [label, OTHER]));
}

// What is counted, as plain numbers: an event costs an addition. Names and labels are put to the numbers when somebody
// asks for them, because a library that looks its labels up at every event costs more than the event.

export class Count {
  value = 0;
}

export class Spread {
  // Upper bounds, rising.
  readonly bounds: readonly number[];
  // How many fell under each bound and above the one before it; the last is what is above them all.
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i += 1;
    counts[i]! += 1;
    this.sum += value;
  }
}

// The Prometheus text format, version 0.0.4: help and type of each metric, then a line per number.

export type Labels = Readonly<Record<string, string>>;
export type MetricSeries = Count | Spread;

export interface MetricShown {
  readonly name: string;
  readonly kind: MetricKind;
  readonly series: ReadonlyMap<string, MetricSeries>;
}

export function expose(families: Iterable<MetricShown>): string {
  const lines: string[] = [];
  for (const { name, kind, series } of families) {
    lines.push(`# HELP ${name} ${escapeHelp(kind.help)}`, `# TYPE ${name} ${kind.type}`);
    for (const [labels, each] of series) {
      if (each instanceof Spread) exposeSpread(lines, name, labels, each);
      else lines.push(line(name, labels, each.value));
    }
  }
  return `${lines.join('\n')}\n`;
}

// `platform="a",priority="high"`, in the order of the table.
export function labelText(names: readonly string[], labels: Labels): string {
  return names.map((name) => `${name}="${escapeLabel(labels[name]!)}"`).join(',');
}

function exposeSpread(lines: string[], name: string, labels: string, spread: Spread): void {
  const before = labels === '' ? '' : `${labels},`;
  let below = 0;
  spread.bounds.forEach((bound, i) => {
    below += spread.counts[i]!;
    lines.push(line(`${name}_bucket`, `${before}le="${bound}"`, below));
  });
  below += spread.counts.at(-1)!;
  lines.push(line(`${name}_bucket`, `${before}le="+Inf"`, below));
  lines.push(line(`${name}_sum`, labels, spread.sum), line(`${name}_count`, labels, below));
}

function line(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
