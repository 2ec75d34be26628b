// Reads the source of a regular expression into a tree, and makes from the tree the texts that cost it most: a way to
// each of its repetitions, much of what the repetition takes, and an end that does not fit, so that every way of
// sharing the text among the parts of the pattern is tried in vain.

export type Node =
  | { kind: 'atom'; source: string }
  | { kind: 'sequence'; parts: readonly Node[] }
  | { kind: 'choice'; options: readonly Node[] }
  | { kind: 'repeat'; body: Node; least: number; most: number }
  // Anchors and what is only looked at.
  | { kind: 'empty' };

export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

const CANDIDATES = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...['é', 'я', '中', '…', '\u2028', '\u202e', '\ud800', '😀'],
];
const PUMP_CHARACTERS_MAX = 8;
const REPEATS_SHOWN_MAX = 3;

export function attacksOn(pattern: RegExp): Attack[] {
  const flags = pattern.flags.replace(/[gy]/g, '');
  const tree = parsePattern(pattern.source);
  const characters = new Characters(flags, atomsOf(tree));
  const whole = witness(tree, characters);
  const misfit = characters.misfit();
  const found = new Map<string, Attack>();
  const add = (prefix: string, pump: string) => {
    if (pump === '') return;
    for (const suffix of new Set(['', misfit, '\n', ...characters.representatives()])) {
      found.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix });
    }
  };
  for (const { prefix, body } of repetitionsOf(tree, characters)) {
    const own = witness(body, characters);
    const pumps = [...characters.representatives(), own, prefix, prefix + own, whole + own];
    for (const pump of pumps) {
      add('', pump);
      add(prefix, pump);
    }
  }
  add('', whole);
  add('', [...whole].slice(0, -1).join(''));
  return [...found.values()];
}

export function parsePattern(source: string): Node {
  const reader = { source, at: 0 };
  const tree = readChoice(reader);
  if (reader.at < source.length) throw new Error(`not read to its end: ${source}`);
  return tree;
}

interface Reader {
  readonly source: string;
  at: number;
}

function readChoice(reader: Reader): Node {
  const options = [readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at += 1;
    options.push(readSequence(reader));
  }
  return options.length === 1 ? options[0]! : { kind: 'choice', options };
}

function readSequence(reader: Reader): Node {
  const parts: Node[] = [];
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at]!)) {
    parts.push(readQuantified(reader));
  }
  return { kind: 'sequence', parts };
}

function readQuantified(reader: Reader): Node {
  const body = readOne(reader);
  const quantifier = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(reader.source.slice(reader.at));
  if (quantifier === null) return body;
  reader.at += quantifier[0].length;
  const [whole, least, comma, most] = quantifier;
  if (least !== undefined) {
    const fixed = comma === undefined ? Number(least) : Number.POSITIVE_INFINITY;
    return {
      kind: 'repeat',
      body,
      least: Number(least),
      most: most === undefined || most === '' ? fixed : Number(most),
    };
  }
  const isOptional = whole[0] === '?';
  return {
    kind: 'repeat',
    body,
    least: whole[0] === '+' ? 1 : 0,
    most: isOptional ? 1 : Number.POSITIVE_INFINITY,
  };
}

function readOne(reader: Reader): Node {
  const rest = reader.source.slice(reader.at);
  if (rest[0] === '(') return readGroup(reader);
  const empty = /^(?:\^|\$|\\[bB])/.exec(rest);
  const atom =
    /^(?:\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u....|\\x..|\\c.|\\.|[\s\S])/u;
  const found = empty ?? atom.exec(rest)!;
  reader.at += found[0].length;
  return empty === null ? { kind: 'atom', source: found[0] } : { kind: 'empty' };
}

function readGroup(reader: Reader): Node {
  const head = /^\((?:\?(?::|=|!|<=|<!|<\w+>))?/.exec(reader.source.slice(reader.at))![0];
  reader.at += head.length;
  const inner = readChoice(reader);
  if (reader.source[reader.at] !== ')') throw new Error(`a group never ends: ${reader.source}`);
  reader.at += 1;
  const isLook = ['(?=', '(?!', '(?<=', '(?<!'].includes(head);
  return isLook ? { kind: 'empty' } : inner;
}

function atomsOf(tree: Node): string[] {
  switch (tree.kind) {
    case 'atom':
      return [tree.source];
    case 'sequence':
      return tree.parts.flatMap(atomsOf);
    case 'choice':
      return tree.options.flatMap(atomsOf);
    case 'repeat':
      return atomsOf(tree.body);
    case 'empty':
      return [];
  }
}

// Which characters the atoms of one pattern take.
class Characters {
  readonly #byAtom = new Map<string, string[]>();
  readonly #atomsOf = new Map<string, string>();

  constructor(flags: string, atoms: readonly string[]) {
    for (const atom of new Set(atoms)) {
      const test = new RegExp(`^(?:${atom})$`, flags);
      this.#byAtom.set(
        atom,
        CANDIDATES.filter((each) => test.test(each)),
      );
    }
    for (const each of CANDIDATES) {
      const taking = [...this.#byAtom].filter(([, taken]) => taken.includes(each));
      this.#atomsOf.set(each, taking.map(([atom]) => atom).join(' '));
    }
  }

  one(atom: string): string {
    const taken = this.#byAtom.get(atom)!;
    return taken.find((each) => /[a-z0-9]/.test(each)) ?? taken.at(-1) ?? '';
  }

  // One of each kind, those first that most atoms take: what two neighbours take can be shared in many ways.
  representatives(): string[] {
    const byKind = new Map<string, string>();
    for (const [character, atoms] of this.#atomsOf) {
      if (atoms !== '' && !byKind.has(atoms)) byKind.set(atoms, character);
    }
    const kinds = [...byKind].sort(([a], [b]) => b.split(' ').length - a.split(' ').length);
    return kinds.slice(0, PUMP_CHARACTERS_MAX).map(([, character]) => character);
  }

  misfit(): string {
    const strangers = [...this.#atomsOf].filter(([, atoms]) => atoms === '');
    return strangers.find(([each]) => each >= '!')?.[0] ?? strangers[0]?.[0] ?? '\u0001';
  }
}

// The shortest text it takes, as far as its anchors do not matter.
function witness(tree: Node, characters: Characters): string {
  switch (tree.kind) {
    case 'atom':
      return characters.one(tree.source);
    case 'sequence':
      return tree.parts.map((part) => witness(part, characters)).join('');
    case 'choice':
      return witness(tree.options[0]!, characters);
    case 'repeat':
      return witness(tree.body, characters).repeat(
        Math.min(Math.max(tree.least, 1), Math.max(tree.least, REPEATS_SHOWN_MAX)),
      );
    case 'empty':
      return '';
  }
}

// Every repetition, with a text that leads to it.
function repetitionsOf(
  tree: Node,
  characters: Characters,
  before = '',
): { prefix: string; body: Node }[] {
  switch (tree.kind) {
    case 'atom':
    case 'empty':
      return [];
    case 'choice':
      return tree.options.flatMap((option) => repetitionsOf(option, characters, before));
    case 'repeat': {
      const inner = repetitionsOf(tree.body, characters, before);
      return tree.most > 1 ? [{ prefix: before, body: tree.body }, ...inner] : inner;
    }
    case 'sequence': {
      const found: { prefix: string; body: Node }[] = [];
      let prefix = before;
      for (const part of tree.parts) {
        found.push(...repetitionsOf(part, characters, prefix));
        prefix += witness(part, characters);
      }
      return found;
    }
  }
}
