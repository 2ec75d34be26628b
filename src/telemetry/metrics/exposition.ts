// The Prometheus text format, version 0.0.4: help and type of each metric, then a line per number.

import type { MetricKind } from './metric-table.ts';

export type Labels = Readonly<Record<string, string>>;

// How many fell under each bound and above the one before it; the last is what is above them all.
interface ShownSpread {
  readonly bounds: readonly number[];
  readonly counts: Float64Array;
  readonly sum: number;
}

export interface MetricShown {
  readonly name: string;
  readonly kind: MetricKind;
  // By their labels as text.
  readonly series: ReadonlyMap<string, { readonly value: number } | ShownSpread>;
}

export function expose(families: Iterable<MetricShown>): string {
  const lines: string[] = [];
  for (const { name, kind, series } of families) {
    lines.push(`# HELP ${name} ${escapeHelp(kind.help)}`, `# TYPE ${name} ${kind.type}`);
    for (const [labels, each] of series) {
      if ('bounds' in each) exposeSpread(lines, name, labels, each);
      else lines.push(line(name, labels, each.value));
    }
  }
  return `${lines.join('\n')}\n`;
}

// `platform="a",priority="high"`, in the order of the table.
export function labelText(names: readonly string[], labels: Labels): string {
  return names.map((name) => `${name}="${escapeLabel(labels[name]!)}"`).join(',');
}

function exposeSpread(lines: string[], name: string, labels: string, spread: ShownSpread): void {
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

export function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
