// The metrics of the table as Prometheus holds them: counters to add to, gauges to show, histograms to observe.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { METRICS, type MetricKind, type MetricName } from './metric-table.ts';

export type Labels = Readonly<Record<string, string>>;

export class Board {
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();

  constructor(registry: Registry) {
    for (const [name, kind] of Object.entries<MetricKind>(METRICS)) {
      const common = { name, help: kind.help, labelNames: [...kind.labels], registers: [registry] };
      if (kind.type === 'counter') this.#counters.set(name, new Counter(common));
      else if (kind.type === 'gauge') this.#gauges.set(name, new Gauge(common));
      else {
        const buckets = [...(kind.buckets ?? [])];
        this.#histograms.set(name, new Histogram({ ...common, buckets }));
      }
    }
  }

  add(name: MetricName, amount: number, labels: Labels = {}): void {
    this.#counters.get(name)!.inc(labels, amount);
  }

  observeMs(name: MetricName, ms: number, labels: Labels): void {
    this.#histograms.get(name)!.observe(labels, ms / 1000);
  }

  // Replaces every value of the gauge, so that what no longer exists is no longer shown.
  show(name: MetricName, values: Iterable<readonly [Labels, number]>): void {
    const gauge = this.#gauges.get(name)!;
    gauge.reset();
    for (const [labels, value] of values) gauge.set(labels, value);
  }
}
