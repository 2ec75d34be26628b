// The loads as tables of Markdown, which a terminal shows as well as a page does; and the page with a new run in it.

import { PRIORITIES } from '../../src/domain/priority.ts';
import type { LoadReport } from './figures.ts';
import { mib } from './scenarios.ts';

const BEGIN = '<!-- loads: made by `npm run load -- --write` -->';
const END = '<!-- end of loads -->';

const HEADS = [
  ...['load', 'accepted', 'sent', 'lost', '429s', 'sent per minute', 'accepted in, p50', 'p99'],
  ...['sent after, p50', 'p99', 'most waiting', 'RSS, most'],
];

export function tablesOf(reports: readonly LoadReport[]): string {
  return [...totals(reports), '', ...byClass(reports), '', ...notes(reports)].join('\n');
}

function totals(reports: readonly LoadReport[]): string[] {
  return [
    row(HEADS),
    row(HEADS.map(() => '---')),
    ...reports.map((report) => {
      const { name, accepted, sent, lost, limited, samples } = report;
      return row([
        name,
        ...[accepted, sent, lost, limited].map(whole),
        whole(perMinute(report)),
        ms(report.acceptP50Ms),
        ms(report.acceptP99Ms),
        ms(report.p50Ms),
        ms(report.p99Ms),
        whole(Math.max(0, ...samples.map(({ queued }) => queued))),
        `${mib(Math.max(0, ...samples.map(({ rssBytes }) => rssBytes)))} MiB`,
      ]);
    }),
  ];
}

export function perMinute({ sent, lastedMs }: LoadReport): number {
  return (sent * 60_000) / lastedMs;
}

function byClass(reports: readonly LoadReport[]): string[] {
  const lines = reports.flatMap(({ name, classes }) =>
    PRIORITIES.flatMap((priority) => {
      const own = classes[priority];
      if (own === null) return [];
      const share = own.share === null ? '' : `${(own.share * 100).toFixed(0)} %`;
      return [row([name, priority, whole(own.count), ms(own.p50Ms), ms(own.p99Ms), share])];
    }),
  );
  return [
    '| load | class | sent | after, p50 | p99 | share while all classes wait |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
  ];
}

function notes(reports: readonly LoadReport[]): string[] {
  return reports.map(
    ({ name, what, notes: said }) => `* *${name}*: ${[what, ...said].join('; ')}.`,
  );
}

// The page with the newest run in the place of the one before.
export function withRun(page: string, reports: readonly LoadReport[], date: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to === -1) throw new Error('the page has no place for the loads');
  const made = `${BEGIN}\n\nRun on ${date}.\n\n${tablesOf(reports)}\n\n`;
  return page.slice(0, from) + made + page.slice(to);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function ms(value: number): string {
  if (Number.isNaN(value)) return '';
  return value < 1000
    ? `${value.toFixed(value < 10 ? 1 : 0)} ms`
    : `${(value / 1000).toFixed(1)} s`;
}
