// Frames of a terminal as an SVG that plays them, one a second. Whoever wants no motion sees the first.

const FRAME_S = 1;
const CELL = { width: 7.8, height: 17, font: 13, edge: 14 };
const ESCAPE = '\u001b';
const ATTRIBUTES = new RegExp(`${ESCAPE}\\[([0-9;]*)m`);
const OTHER_SEQUENCES = new RegExp(`${ESCAPE}\\[[?0-9;]*[A-Zln-z]`, 'g');
const COLOURS: Readonly<Record<string, string>> = {
  1: 'b',
  2: 'd',
  7: 'bar',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
  90: 'd',
};

export function pictureOfFrames(
  frames: readonly string[],
  size: { readonly columns: number; readonly rows: number },
): string {
  const width = Math.ceil(size.columns * CELL.width + 2 * CELL.edge);
  const height = size.rows * CELL.height + 2 * CELL.edge;
  const share = (100 / frames.length).toFixed(4);
  const drawn = frames.map((frame, i) => {
    const delay = `animation-delay:${i * FRAME_S}s`;
    return `<g class="f${i === 0 ? ' first' : ''}" style="${delay}">\n${linesOf(frame)}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>sluice top: rates, queue, accounts, who waits and why, drawn anew each second</title>
<style>
text { font: ${CELL.font}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #d7dde4 }
.f { visibility: hidden; animation: show ${frames.length * FRAME_S}s steps(1) infinite }
.b { font-weight: 700 } .bar { font-weight: 700; fill: #79c0ff }
.d { fill: #7d8896 } .red { fill: #ff7b72 } .green { fill: #7ee787 }
.yellow { fill: #e3b341 } .blue { fill: #79c0ff } .magenta { fill: #d2a8ff } .cyan { fill: #76e3ea }
@keyframes show { 0% { visibility: visible } ${share}% { visibility: hidden } }
@media (prefers-reduced-motion: reduce) { .f { animation: none } .first { visibility: visible } }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#10151c"/>
${drawn.join('\n')}
</svg>
`;
}

function linesOf(frame: string): string {
  const lines = frame.replace(OTHER_SEQUENCES, '').split(/\r?\n/);
  return lines
    .map((line, row) => ({ row, spans: spansOf(line) }))
    .filter(({ spans }) => spans !== '')
    .map(({ row, spans }) => {
      const y = CELL.edge + (row + 0.75) * CELL.height;
      return `<text x="${CELL.edge}" y="${y}" xml:space="preserve">${spans}</text>`;
    })
    .join('\n');
}

function spansOf(line: string): string {
  const parts = line.trimEnd().split(ATTRIBUTES);
  let classes: string[] = [];
  let spans = '';
  for (const [i, part] of parts.entries()) {
    if (i % 2 === 1) classes = classesAfter(classes, part);
    else if (part !== '') {
      const text = part.replace(/[&<>]/g, (each) => `&#${each.charCodeAt(0)};`);
      spans += classes.length === 0 ? text : `<tspan class="${classes.join(' ')}">${text}</tspan>`;
    }
  }
  return spans.trim() === '' ? '' : spans;
}

function classesAfter(before: readonly string[], codes: string): string[] {
  let classes = [...before];
  for (const code of codes.split(';')) {
    const name = COLOURS[code];
    if (code === '' || code === '0') classes = [];
    else if (name !== undefined) classes.push(name);
  }
  return classes;
}
