// A chart of the last minutes or hours. Painted by uPlot on a canvas; colours come from the style sheet, so that both
// themes are told in one place.

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { count, duration } from '../lib/format.ts';
import { useStore } from '../lib/store.ts';
import { paint } from '../lib/theme.ts';

export interface Line {
  readonly label: string;
  // A custom property, `--good`.
  readonly color: string;
  // null: there is nothing to tell of that moment.
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
  // Where its number leads.
  readonly href: string;
}

const HEIGHT = 132;

export function Chart(props: {
  label: string;
  until: number;
  lines: readonly Line[];
  // For how long each number stands; a second when left out.
  stepS?: number;
  // A value as it is read; a count when left out.
  shown?: (value: number) => string;
  // A click into it, in seconds since the epoch.
  onMoment: (seconds: number) => void;
}) {
  const { label, until, lines, onMoment, stepS = 1, shown = count } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const painted = useStore(paint);
  const data = dataOf(until, stepS, lines);
  const kinds = lines.map(({ label: name, color }) => name + color).join();

  // Made anew for other lines or colours, filled below.
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const made = new uPlot(optionsOf(element, lines, shown), data, element);
    plot.current = made;
    const watch = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [kinds, painted]);
  useEffect(() => plot.current?.setData(data));

  const span = duration(data[0].length * stepS * 1000);
  const lastOf = ({ values }: Line) => {
    const value = values.at(-1) ?? null;
    return value === null ? '–' : shown(value);
  };
  const last = lines.map((line) => `${line.label} ${lastOf(line)}`);
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <span class="legend">
          {lines.map((line) => (
            <a key={line.label} href={line.href}>
              <i class="key" style={{ background: `var(${line.color})` }} /> {line.label}{' '}
              <b class="num">{lastOf(line)}</b>
            </a>
          ))}
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links above lead there by keyboard */}
      <div
        ref={holder}
        class="plot"
        onClick={(event) => choose(plot.current, event, onMoment)}
        role="img"
        aria-label={`${label}, last ${span}: ${last.join(', ')}`}
      />
    </figure>
  );
}

function choose(plot: uPlot | null, event: MouseEvent, onMoment: (seconds: number) => void): void {
  if (plot === null) return;
  const left = event.clientX - plot.over.getBoundingClientRect().left;
  const seconds = plot.posToVal(left, 'x');
  if (left >= 0 && Number.isFinite(seconds)) onMoment(seconds);
}

function dataOf(until: number, stepS: number, lines: readonly Line[]): uPlot.AlignedData {
  const length = Math.max(0, ...lines.map(({ values }) => values.length));
  const times = Array.from({ length }, (_, i) => until - (length - 1 - i) * stepS);
  return [times, ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

// Without the seconds where they say nothing.
function timesOf(_plot: uPlot, ticks: readonly number[]): string[] {
  return ticks.map((tick) => clock.format(tick * 1000).replace(/:00$/, ''));
}

// A canvas takes colours as numbers, not by the names the style sheet has for them.
function resolved(element: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function faint(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.13)');
}

// A line of one point would not be seen.
function isAlone(plot: uPlot, series: number): boolean {
  return (plot.data[series] ?? []).filter((value) => value !== null).length === 1;
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  shown: (value: number) => string,
): uPlot.Options {
  const colorOf = (name: string) => resolved(element, name);
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = {
    stroke: colorOf('--dim'),
    font,
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: Math.max(element.clientWidth, 100),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [6, 18, 0, 0],
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(5, max * 1.15)] } },
    axes: [
      { ...axis, size: 22, space: 70, grid: { show: false }, values: timesOf },
      { ...axis, size: 52, space: 34, values: (_plot, ticks) => ticks.map((tick) => shown(tick)) },
    ],
    series: [
      {},
      ...lines.map(({ label, color, isFilled }) => ({
        label,
        stroke: colorOf(color),
        width: 1.5,
        points: { show: isAlone },
        ...(isFilled ? { fill: faint(colorOf(color)) } : {}),
      })),
    ],
  };
}
