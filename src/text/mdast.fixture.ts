// The same Markdown by mdast, which follows CommonMark and GFM to the letter, written out as our reader writes it: its
// signs, its indents, an empty line where the source has one. Only the looks are ours; what is marked is mdast’s.

import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { BULLETS } from './blocks.ts';
import type { Entity, RichText } from './rich-text.ts';
import { validEntities } from './valid-entities.ts';

type Node = ReturnType<typeof fromMarkdown>['children'][number];
type Of<Type extends Node['type']> = Extract<Node, { type: Type }>;
type Rows = readonly (readonly Of<'tableCell'>[])[];

const INDENT = '  ';
const RULE = '──────────';
const STYLES = { strong: 'bold', emphasis: 'italic', delete: 'strikethrough' } as const;

export function readByMdast(source: string): RichText {
  const extensions = [gfm({ singleTilde: false })];
  const root = fromMarkdown(source, { extensions, mdastExtensions: [gfmFromMarkdown()] });
  const written = new Written(source);
  written.define(root.children);
  written.blocks(root.children, 0);
  return validEntities({ text: written.text.trimEnd(), entities: written.entities });
}

// Definitions and empty code leave nothing.
function isShown(node: Node): boolean {
  return node.type !== 'definition' && !(node.type === 'code' && node.value.trim() === '');
}

class Written {
  readonly #source: string;
  readonly #lines: readonly string[];
  readonly #definitions = new Map<string, Of<'definition'>>();
  readonly entities: Entity[] = [];
  text = '';

  constructor(source: string) {
    this.#source = source;
    this.#lines = source.split('\n');
  }

  // What references refer to; the first of a name counts.
  define(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.type === 'definition' && !this.#definitions.has(node.identifier)) {
        this.#definitions.set(node.identifier, node);
      }
      if ('children' in node) this.define(node.children);
    }
  }

  // `level`: how many lists they are in.
  blocks(nodes: readonly Node[], level: number): void {
    for (const [at, node] of nodes.filter(isShown).entries()) {
      if (at > 0) this.text += this.#gap(node);
      // The first of an item stands behind its sign.
      const indent = INDENT.repeat(level);
      const isFirst = level > 0 && at === 0;
      if (node.type === 'paragraph' && !isFirst) this.text += indent;
      if (node.type === 'list') this.#list(node, level, isFirst);
      else this.#block(node, level);
    }
  }

  // By the line above: what mdast calls the end of a list in a quotation may be further down.
  #gap(node: Node): string {
    const above = this.#lines[node.position!.start.line - 2]!;
    return /^[> ]*$/.test(above) ? '\n\n' : '\n';
  }

  #block(node: Node, level: number): void {
    switch (node.type) {
      case 'paragraph':
        this.#phrases(node.children, INDENT.repeat(level));
        return;
      case 'heading':
        this.#marked({ type: 'bold' }, () => this.#phrases(node.children, ''));
        return;
      case 'blockquote':
        this.#marked({ type: 'blockquote' }, () => this.blocks(node.children, 0));
        return;
      case 'thematicBreak':
        this.text += RULE;
        return;
      case 'code':
        this.#code(node);
        return;
      case 'html':
        this.text += node.value;
        return;
      case 'table':
        this.#table(node.children.map(({ children }) => children));
        return;
      default:
        throw new Error(`no block that both know: ${node.type}`);
    }
  }

  #code({ lang, value }: Of<'code'>): void {
    const language = lang === null || lang === undefined ? {} : { language: lang };
    this.#marked({ type: 'pre', ...language }, () => {
      this.text += value.trimEnd();
    });
  }

  #table([head = [], ...rows]: Rows): void {
    const row = (cells: readonly Of<'tableCell'>[]) => {
      for (const [at, cell] of cells.entries()) {
        if (at > 0) this.text += ' | ';
        this.#phrases(cell.children, '');
      }
    };
    this.#marked({ type: 'bold' }, () => row(head));
    for (const cells of rows) {
      this.text += '\n';
      row(cells);
    }
  }

  // `isBehind`: the sign of the item around it.
  #list(list: Of<'list'>, level: number, isBehind: boolean): void {
    for (const [at, item] of list.children.entries()) {
      if (at > 0) this.text += this.#gap(item);
      const number = /^\d+[.)]/.exec(this.#source.slice(item.position!.start.offset));
      const bullet = BULLETS[Math.min(level, BULLETS.length - 1)]!;
      const sign = typeof item.checked === 'boolean' ? (item.checked ? '☑' : '☐') : null;
      const indent = isBehind && at === 0 ? '' : INDENT.repeat(level);
      this.text += `${indent}${sign ?? number?.[0] ?? bullet} `;
      this.blocks(item.children, level + 1);
    }
  }

  #phrases(nodes: readonly Node[], indent: string): void {
    for (const node of nodes) this.#phrase(node, indent);
  }

  #phrase(node: Node, indent: string): void {
    const inner = () => this.#phrases((node as Of<'strong'>).children, indent);
    switch (node.type) {
      case 'text':
        this.text += node.value.replaceAll('\n', `\n${indent}`);
        return;
      case 'break':
        this.text += `\n${indent}`;
        return;
      case 'inlineCode':
        this.#marked({ type: 'code' }, () => {
          this.text += node.value.replaceAll('\n', ' ');
        });
        return;
      case 'strong':
      case 'emphasis':
      case 'delete':
        this.#marked({ type: STYLES[node.type] }, inner);
        return;
      case 'link':
        // An address that stands alone is text.
        if (this.#source[node.position?.start.offset ?? -1] !== '[') inner();
        else this.#link(node.url, inner);
        return;
      case 'image':
        this.#link(node.url, () => {
          this.text += node.alt ?? '';
        });
        return;
      case 'linkReference':
        this.#link(this.#definitions.get(node.identifier)!.url, inner);
        return;
      case 'imageReference':
        this.#link(this.#definitions.get(node.identifier)!.url, () => {
          this.text += node.alt ?? '';
        });
        return;
      case 'html':
        this.text += /^<br ?\/?>$/i.test(node.value) ? '\n' : node.value;
        return;
      default:
        throw new Error(`no phrase that both know: ${node.type}`);
    }
  }

  // What nobody can open is shown beside its label.
  #link(url: string, write: () => void): void {
    if (/^https?:\/\/\S/i.test(url)) {
      this.#marked({ type: 'text_link', url }, write);
      return;
    }
    write();
    const shown = url.replace(/^(mailto|tel):/i, '');
    if (shown !== '' && !shown.startsWith('#')) this.text += ` (${shown})`;
  }

  #marked(mark: { type: string; [more: string]: unknown }, write: () => void): void {
    const offset = this.text.length;
    const at = this.entities.length;
    write();
    // Before what it holds: of two that cover the same, the outer one counts.
    this.entities.splice(at, 0, { ...mark, offset, length: this.text.length - offset });
  }
}
