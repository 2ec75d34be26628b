// The few forms the dashboards' queries have. All are of the gateways that were chosen on top of the page.

const CHOSEN = 'instance=~"$instance"';

// A metric, with more conditions on its labels.
export function of(metric: string, where = ''): string {
  return `${metric}{${CHOSEN}${where === '' ? '' : `, ${where}`}}`;
}

export function sum(metric: string, by = '', where = ''): string {
  return `sum${by === '' ? '' : ` by (${by})`} (${of(metric, where)})`;
}

export function rate(metric: string, by = '', where = ''): string {
  const grouped = by === '' ? '' : ` by (${by})`;
  return `sum${grouped} (rate(${of(metric, where)}[$__rate_interval]))`;
}

// Of a histogram, over all its labels or by some.
export function quantile(q: number, metric: string, by = '', where = ''): string {
  const grouped = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${q}, ${rate(`${metric}_bucket`, grouped, where)})`;
}

export function quantiles(metric: string, where = '') {
  return [0.5, 0.95, 0.99].map((q) => ({
    expr: quantile(q, metric, '', where),
    legend: `p${Math.round(q * 100)}`,
  }));
}
