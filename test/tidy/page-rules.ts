// The rules about pages (README, docs/…): one title, links that lead somewhere, no line numbers.

import { posix } from 'node:path';
import type { Violation } from './import-rules.ts';
import type { Files } from './source.ts';

const LINE_NUMBER = /\b[\w./-]+\.(?:ts|js|json|yaml|md|sql):\d+/;
const LINK = /(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g;

// `exists`: whether a path from the root of the repository is a file or a folder.
export function pageRules(pages: Files, exists: (path: string) => boolean): Violation[] {
  return Object.entries(pages).flatMap(([path, text]) => {
    const prose = withoutCode(text);
    return [...oneTitle(path, prose), ...noLineNumbers(path, text), ...links(path, prose)];
  });

  function links(path: string, prose: string): Violation[] {
    const found: Violation[] = [];
    for (const [, target] of prose.matchAll(LINK)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const [file, anchor] = target!.split('#') as [string, string | undefined];
      const resolved = file === '' ? path : posix.normalize(`${posix.dirname(path)}/${file}`);
      const page = pages[resolved];
      const missing = page === undefined && !exists(resolved);
      const lost = page !== undefined && anchor !== undefined && !anchorsOf(page).includes(anchor);
      if (missing || lost) found.push({ rule: 'link', path, detail: `${target} leads nowhere` });
    }
    return found;
  }
}

function oneTitle(path: string, prose: string): Violation[] {
  const titles = prose.split('\n').filter((line) => line.startsWith('# '));
  const first = prose.trimStart().startsWith('# ');
  if (titles.length === 1 && first) return [];
  const detail = `${titles.length} titles; a page begins with its one title`;
  return [{ rule: 'title', path, detail }];
}

function noLineNumbers(path: string, text: string): Violation[] {
  const match = LINE_NUMBER.exec(text);
  if (match === null) return [];
  return [{ rule: 'line-number', path, detail: `${match[0]}: lines move, names stay` }];
}

function anchorsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '`code`');
}
