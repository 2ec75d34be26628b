// What links by reference refer to: `[name]: https://… "title"`, a line of its own, mostly at the end. Only what stands
// between paragraphs counts, not what is in code or in the middle of a sentence.

import { blockOf, endsFence, fenceOf } from './blocks.ts';
import type { Steps } from './steps.ts';

export interface LinkReferences {
  readonly targets: ReadonlyMap<string, string>;
  // More may come: what has no definition yet may still get one.
  readonly isGrowing: boolean;
}

const NAME_UNITS_MAX = 200;
const DEFINITION =
  /^ {0,3}\[([^\][]{1,200})\]:[ \t]*(<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;
// A definition that is being written, or its name: nothing of it is shown meanwhile.
const HALF = /^ {0,3}\[(?:[^\][\s]{0,40}|[^\][]{1,200}\]:.*)$|^ {0,3}\[[^\][\s]{1,40}\]$/;

export function referencesOf(
  lines: readonly string[],
  isGrowing: boolean,
  steps: Steps,
): LinkReferences {
  const found = new Map<string, string>();
  let fence: string | null = null;
  let isFree = true;
  // The address in the last line may not be whole yet.
  for (const line of isGrowing ? lines.slice(0, -1) : lines) {
    steps.count += 1;
    if (fence !== null) {
      if (endsFence(line, fence)) fence = null;
      continue;
    }
    const definition = isFree ? DEFINITION.exec(line) : null;
    if (definition !== null) {
      const [, name = '', target = ''] = definition;
      if (!found.has(nameOf(name))) found.set(nameOf(name), target);
      continue;
    }
    fence = fenceOf(line)?.mark ?? null;
    isFree = !['text', 'item', 'quote'].includes(blockOf(line).kind);
  }
  return { targets: found, isGrowing };
}

export function isDefinition(line: string, { targets }: LinkReferences): boolean {
  const name = targets.size === 0 ? undefined : DEFINITION.exec(line)?.[1];
  return name !== undefined && targets.has(nameOf(name));
}

export function isHalfDefinition(line: string): boolean {
  return HALF.test(line);
}

// null: nobody defines it.
export function targetOf({ targets }: LinkReferences, name: string): string | null {
  if (targets.size === 0 || name.length > NAME_UNITS_MAX) return null;
  return targets.get(nameOf(name)) ?? null;
}

function nameOf(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}
