// A Grafana dashboard from a short table: rows of panels, each with its queries. What Grafana wants besides is the same
// for all of them and stands here.

export interface Panel {
  readonly title: string;
  // For the person who does not know the metric: what is good, what is not.
  readonly tells: string;
  // A unit as Grafana names them: ops, s, bytes, percentunit, short.
  readonly unit: string;
  // `number`: the present, large. Left out: a curve.
  readonly kind?: 'number';
  // A number turns red from here on; `below`: it is red under it.
  readonly red?: number;
  readonly below?: true;
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
}

const COLUMNS = 24;
const NUMBER = { w: 3, h: 4 };
const CURVE = { w: 8, h: 8 };
const SOURCE = { type: 'prometheus', uid: '$datasource' };

export function dashboardText(dashboard: Dashboard): string {
  return `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`;
}

function dashboardJson({ uid, title, rows }: Dashboard) {
  const panels: object[] = [];
  let y = 0;
  const add = (panel: object) => panels.push({ id: panels.length + 1, ...panel });
  for (const row of rows) {
    add({
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let x = 0;
    let h = 0;
    for (const panel of row.panels) {
      const size = panel.kind === 'number' ? NUMBER : CURVE;
      if (x + size.w > COLUMNS) {
        x = 0;
        y += h;
      }
      add({ ...panelJson(panel), gridPos: { x, y, ...size } });
      x += size.w;
      h = size.h;
    }
    y += h;
  }
  return {
    ...{ uid, title, tags: ['sluice'], timezone: 'browser', editable: true, schemaVersion: 39 },
    refresh: '15s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: VARIABLES },
    panels,
  };
}

function panelJson({ title, tells, unit, kind, red, below, queries }: Panel) {
  const steps = below
    ? [
        { color: 'red', value: null },
        { color: 'green', value: red },
      ]
    : [
        { color: 'green', value: null },
        ...(red === undefined ? [] : [{ color: 'red', value: red }]),
      ];
  return {
    type: kind === 'number' ? 'stat' : 'timeseries',
    ...{ title, description: tells, datasource: SOURCE },
    fieldConfig: {
      defaults: {
        unit,
        ...(kind === 'number' ? { thresholds: { mode: 'absolute', steps } } : { min: 0 }),
      },
      overrides: [],
    },
    options:
      kind === 'number'
        ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false } }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(({ expr, legend }, i) => ({
      ...{ refId: String.fromCharCode(65 + i), datasource: SOURCE, expr, legendFormat: legend },
    })),
  };
}

const VARIABLES = [
  { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
  {
    ...{ name: 'instance', label: 'Gateway', type: 'query', datasource: SOURCE },
    query: { query: 'label_values(up{job="sluice"}, instance)', refId: 'instances' },
    ...{ refresh: 2, includeAll: true, multi: true, allValue: '.*' },
    current: { text: 'All', value: '$__all' },
  },
];
