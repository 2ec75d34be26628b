// The few words of HTML that the description's page is written in. Whatever comes from outside is text until it has
// passed `html`.

export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = Html | string | number | null | readonly Html[];

// Text in it is escaped; what is HTML already, and lists of it, stand as they are; null is nothing.
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: pieces }, ...parts.map(markupOf)));
}

// `code` between backticks, as the descriptions write it.
export function prose(text: string): Html {
  const pieces = text.split('`');
  return join(
    pieces.map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`)),
  );
}

export function join(all: readonly Html[], between = ''): Html {
  return new Html(all.map(({ markup }) => markup).join(between));
}

function markupOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('');
  return String(part)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
