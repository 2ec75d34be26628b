// What a producer says, made ready to be shown: a paragraph where a tool was called in between, and no thoughts.

import type { FeedEvent } from './event.ts';
import type { ShapeEvent } from './shape-port.ts';
import { Thoughts } from './thoughts.ts';

const PARAGRAPH = '\n\n';

export class Wording {
  readonly #thoughts: Thoughts | null;
  // The last characters that were shown: how many newlines there are.
  #tail = '';
  #isBreakDue = false;

  constructor(areThoughtsShown: boolean) {
    this.#thoughts = areThoughtsShown ? null : new Thoughts();
  }

  eventsOf(said: ShapeEvent): FeedEvent[] {
    switch (said.kind) {
      case 'text':
        return this.#text(this.#thoughts?.take(said.text) ?? said.text);
      case 'break':
        return this.#break();
      case 'replace':
        return this.#replace(said.text);
      case 'done': {
        const rest = this.#text(this.#thoughts?.end() ?? '');
        return [...rest, this.#isAllThought ? ALL_THOUGHT : said];
      }
      // It broke off: what was held back is rather half a thought than a text.
      case 'error':
        return [said];
    }
  }

  // It ended before it had said anything but thoughts: an empty message would hide that.
  get #isAllThought(): boolean {
    return this.#tail === '' && this.#thoughts?.isThinking === true;
  }

  #break(): FeedEvent[] {
    const rest = this.#text(this.#thoughts?.end() ?? '');
    this.#thoughts?.restart();
    this.#isBreakDue = this.#tail !== '';
    return rest;
  }

  #replace(text: string): FeedEvent[] {
    this.#thoughts?.restart();
    this.#isBreakDue = false;
    const shown = this.#thoughts?.take(text) ?? text;
    this.#tail = shown.slice(-PARAGRAPH.length);
    return [{ kind: 'replace', text: shown }];
  }

  #text(text: string): FeedEvent[] {
    if (text === '') return [];
    const gap = this.#isBreakDue ? gapBetween(this.#tail, text) : '';
    // Newlines alone may be half of what is before a text.
    this.#isBreakDue &&= text.trim() === '';
    const shown = gap + text;
    this.#tail = (this.#tail + shown).slice(-PARAGRAPH.length);
    return [{ kind: 'text', text: shown }];
  }
}

const ALL_THOUGHT: FeedEvent = {
  kind: 'error',
  detail: 'it ended within its thoughts (<think>), before it said anything',
};

// As many newlines as are missing.
function gapBetween(before: string, after: string): string {
  if (after.trim() === '') return '';
  const has = [1, 2].filter((count) => before.endsWith('\n'.repeat(count))).length;
  const brings = [1, 2].filter((count) => after.startsWith('\n'.repeat(count))).length;
  return '\n'.repeat(Math.max(0, PARAGRAPH.length - has - brings));
}
