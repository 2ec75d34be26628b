// Characters by name or number, as HTML has them: `&amp;`, `&#8364;`, `&#x20ac;`. The names are those of HTML 4, which
// is what models use; of the two thousand of HTML 5 the others stay as they are written.

const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 ' +
  'acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml ' +
  'Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde ' +
  'Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ' +
  'ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide ' +
  'oslash ugrave uacute ucirc uuml yacute thorn yuml';
const GREEK =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi ' +
  'Chi Psi Omega';
const OTHERS: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' },
  ...{
    OElig: 'Œ',
    oelig: 'œ',
    Scaron: 'Š',
    scaron: 'š',
    Yuml: 'Ÿ',
    fnof: 'ƒ',
    circ: 'ˆ',
    tilde: '˜',
  },
  ...{ ensp: '\u2002', emsp: '\u2003', thinsp: '\u2009', zwnj: '\u200c', zwj: '\u200d' },
  ...{ lrm: '\u200e', rlm: '\u200f', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', sbquo: '‚' },
  ...{ ldquo: '“', rdquo: '”', bdquo: '„', dagger: '†', Dagger: '‡', bull: '•', hellip: '…' },
  ...{ permil: '‰', prime: '′', Prime: '″', lsaquo: '‹', rsaquo: '›', oline: '‾', frasl: '⁄' },
  ...{ euro: '€', image: 'ℑ', weierp: '℘', real: 'ℜ', trade: '™', alefsym: 'ℵ' },
  ...{ larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', crarr: '↵' },
  ...{ lArr: '⇐', uArr: '⇑', rArr: '⇒', dArr: '⇓', hArr: '⇔' },
  ...{ forall: '∀', part: '∂', exist: '∃', empty: '∅', nabla: '∇', isin: '∈', notin: '∉', ni: '∋' },
  ...{ prod: '∏', sum: '∑', minus: '−', lowast: '∗', radic: '√', prop: '∝', infin: '∞', ang: '∠' },
  ...{ and: '∧', or: '∨', cap: '∩', cup: '∪', int: '∫', there4: '∴', sim: '∼', cong: '≅' },
  ...{ asymp: '≈', ne: '≠', equiv: '≡', le: '≤', ge: '≥', sub: '⊂', sup: '⊃', nsub: '⊄' },
  ...{ sube: '⊆', supe: '⊇', oplus: '⊕', otimes: '⊗', perp: '⊥', sdot: '⋅', lceil: '⌈' },
  ...{ rceil: '⌉', lfloor: '⌊', rfloor: '⌋', lang: '⟨', rang: '⟩', loz: '◊' },
  ...{
    spades: '♠',
    clubs: '♣',
    hearts: '♥',
    diams: '♦',
    sigmaf: 'ς',
    thetasym: 'ϑ',
    upsih: 'ϒ',
    piv: 'ϖ',
  },
};

const NAMES: ReadonlyMap<string, string> = new Map([
  ...numbered(LATIN, 0xa0),
  ...numbered(GREEK, 0x391),
  ...numbered(GREEK.toLowerCase(), 0x3b1),
  ...Object.entries(OTHERS),
]);

const WHOLE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/y;
const HALF = /^&(?:#(?:\d{0,7}|[xX][\da-fA-F]{0,6})|[A-Za-z][A-Za-z\d]{0,8})?$/;
const HALF_UNITS_MAX = 10;
const CODE_POINT_MAX = 0x10ffff;

// null: there is none at this place.
export function characterAt(source: string, at: number): { text: string; end: number } | null {
  WHOLE.lastIndex = at;
  const found = WHOLE.exec(source);
  if (found === null) return null;
  const [whole, decimal, hex, name] = found;
  const text = name === undefined ? ofNumber(decimal, hex) : NAMES.get(name);
  return text === undefined ? null : { text, end: at + whole.length };
}

// The end of a text that grows: it may become one.
export function isHalfCharacter(rest: string): boolean {
  if (rest.length > HALF_UNITS_MAX || !HALF.test(rest)) return false;
  const name = rest.slice(1);
  return (
    name === '' || name.startsWith('#') || [...NAMES.keys()].some((each) => each.startsWith(name))
  );
}

function ofNumber(decimal: string | undefined, hex: string | undefined): string {
  const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
  const isCharacter = code > 0 && code <= CODE_POINT_MAX && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}

function numbered(names: string, first: number): [string, string][] {
  return names.split(' ').map((name, at) => [name, String.fromCodePoint(first + at)]);
}
