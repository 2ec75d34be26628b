// The metrics of the table with their series. Whoever counts asks once for the number that has its labels and keeps it;
// gauges are shown whole. A metric has at most SERIES_MAX series: what comes beyond is counted together as `other`,
// so that no mistake in a label can fill the memory here or in Prometheus.

import { assert } from '../../system/assert.ts';
import { type Labels, labelText, type MetricSeries } from './exposition.ts';
import { METRICS, type MetricKind, type MetricName } from './metric-table.ts';
import { Count, Spread } from './tally.ts';

export type { Labels };

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
