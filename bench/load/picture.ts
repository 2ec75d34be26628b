// The loads over time as one SVG: a row for each load, and in it what was sent per second, what waited, and the memory
// of the gateway. Plain lines with the largest value and the length written on them; light and dark alike.

import type { LoadReport, Sample } from './figures.ts';

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly points: (samples: readonly Sample[]) => [atMs: number, value: number][];
}

const PANELS: readonly Panel[] = [
  { title: 'sent per second', unit: '/s', points: sentPerSecond },
  { title: 'waiting', unit: '', points: (samples) => samples.map((s) => [s.atMs, s.queued]) },
  {
    title: 'memory (RSS)',
    unit: ' MiB',
    points: (samples) => samples.map((s) => [s.atMs, s.rssBytes / 1024 / 1024]),
  },
];

const PANEL = { width: 260, height: 90, gap: 30 };
const ROW_HEIGHT = 158;
const MARGIN = 20;
// Of the line for the name, and of the one for the panels' titles.
const NAME_HEIGHT = 20;
const TITLE_HEIGHT = 20;
const BIN_MS = 1000;
// A picture is looked at, not measured: more points than pixels are of no use.
const POINTS_MAX = 260;

const STYLE = `
  svg { color: #1f2328; background: #fff; font: 12px system-ui, sans-serif; }
  text { fill: currentColor; } .faint { opacity: .65; } .name { font-weight: 600; font-size: 13px; }
  .axis { stroke: currentColor; opacity: .25; } .line { fill: none; stroke: #0969da; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) { svg { color: #e6edf3; background: #0d1117; } .line { stroke: #58a6ff; } }
`;

export function pictureOf(reports: readonly LoadReport[]): string {
  const width = MARGIN * 2 + PANELS.length * (PANEL.width + PANEL.gap) - PANEL.gap;
  const height = MARGIN * 2 + reports.length * ROW_HEIGHT;
  const rows = reports.map((report, i) => rowOf(report, MARGIN + i * ROW_HEIGHT));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>Loads over time: sent per second, waiting, memory</title>',
    `<style>${STYLE}</style>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function rowOf({ name, samples }: LoadReport, top: number): string {
  const panels = PANELS.map((panel, i) =>
    panelOf(panel, samples, MARGIN + i * (PANEL.width + PANEL.gap), top + NAME_HEIGHT),
  );
  return [text(MARGIN, top + 12, name, 'name'), ...panels].join('\n');
}

function panelOf(panel: Panel, samples: readonly Sample[], left: number, top: number): string {
  const points = thinned(panel.points(samples));
  const lastMs = Math.max(1, ...points.map(([atMs]) => atMs));
  const most = Math.max(1, ...points.map(([, value]) => value));
  const base = top + TITLE_HEIGHT + PANEL.height;
  const x = (atMs: number) => round(left + (atMs / lastMs) * PANEL.width);
  const y = (value: number) => round(base - (value / most) * PANEL.height);
  const line = points.map(([atMs, value]) => `${x(atMs)},${y(value)}`).join(' ');
  return [
    text(left, top + 12, panel.title, 'faint'),
    text(left + PANEL.width, top + 12, `${Math.round(most)}${panel.unit}`, 'faint', 'end'),
    `<path class="axis" d="M${left} ${base}h${PANEL.width}"/>`,
    `<polyline class="line" points="${line}"/>`,
    text(left + PANEL.width, base + 14, `${Math.round(lastMs / 1000)} s`, 'faint', 'end'),
  ].join('\n');
}

// Of each second; what was sent before the first look is not known by time.
function sentPerSecond(samples: readonly Sample[]): [number, number][] {
  const points: [number, number][] = [];
  let before = samples[0];
  for (const sample of samples) {
    if (before === undefined || sample.atMs - before.atMs < BIN_MS) continue;
    const perSecond = ((sample.sent - before.sent) * 1000) / (sample.atMs - before.atMs);
    points.push([sample.atMs, perSecond]);
    before = sample;
  }
  return points;
}

// The largest of each group stays: a peak must not be thinned away.
function thinned(points: readonly [number, number][]): [number, number][] {
  const size = Math.ceil(points.length / POINTS_MAX);
  if (size <= 1) return [...points];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) =>
    points.slice(i * size, (i + 1) * size).reduce((a, b) => (b[1] > a[1] ? b : a)),
  );
}

function text(x: number, y: number, said: string, style: string, anchor = 'start'): string {
  const safe = said.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" class="${style}" text-anchor="${anchor}">${safe}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
