// Finds in the sources what reads text: every regular expression, those that are put together while the program runs,
// and files that go through a text in a loop of their own. Nothing has to be listed by hand to be found.

import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';
import type { Files } from '../tidy/source.ts';

export interface Found {
  readonly patterns: readonly { readonly place: string; readonly pattern: RegExp }[];
  // Files that call RegExp.
  readonly composed: ReadonlySet<string>;
  // Files with a loop that looks into a text.
  readonly scanning: ReadonlySet<string>;
}

const ROOT = '/sources';
const OPTIONS = { noResolve: true, noLib: true, types: [], noEmit: true, jsx: 'preserve' };
const LOOPS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ForStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
]);
// In a loop these look at a text again and again; with a second argument, at a place in it.
const LOOKS = new Set([
  ...['indexOf', 'lastIndexOf', 'charCodeAt', 'codePointAt', 'charAt', 'matchAll', 'exec'],
  ...['segment', 'trimStart', 'trimEnd', 'substring'],
]);
const LOOKS_AT_PLACE = new Set(['indexOf', 'startsWith']);

export function findReaders(files: Files): Found {
  const tree: Record<string, string> = {
    [`${ROOT}/tsconfig.json`]: JSON.stringify({ compilerOptions: OPTIONS, include: ['**/*'] }),
  };
  for (const [path, text] of Object.entries(files)) tree[`${ROOT}/${path}`] = text;
  const api = new API({ cwd: ROOT, fs: createVirtualFileSystem(tree) });
  const patterns: { place: string; pattern: RegExp }[] = [];
  const composed = new Set<string>();
  const scanning = new Set<string>();
  try {
    const snapshot = api.updateSnapshot({ openProject: `${ROOT}/tsconfig.json` });
    const program = snapshot.getProjects()[0]!.program;
    for (const [path, text] of Object.entries(files)) {
      const visit = (node: Node, isInLoop: boolean): void => {
        if (is.isRegularExpressionLiteral(node)) {
          const line = text.slice(0, node.getStart()).split('\n').length;
          patterns.push({ place: `${path}:${line}`, pattern: patternOf(node.text) });
        }
        const called = calledBy(node);
        if (called === 'RegExp') composed.add(path);
        const isAtPlace = LOOKS_AT_PLACE.has(called) && argumentsOf(node) === 2;
        if (isAtPlace || (isInLoop && LOOKS.has(called))) scanning.add(path);
        const isLoop = isInLoop || LOOPS.has(node.kind);
        node.forEachChild((child) => visit(child, isLoop));
      };
      visit(program.getSourceFile(`${ROOT}/${path}`)!, false);
    }
  } finally {
    api.close();
  }
  return { patterns, composed, scanning };
}

function patternOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

function calledBy(node: Node): string {
  if (!is.isCallExpression(node) && !is.isNewExpression(node)) return '';
  const called = node.expression;
  if (is.isIdentifier(called)) return called.text;
  return is.isPropertyAccessExpression(called) && is.isIdentifier(called.name)
    ? called.name.text
    : '';
}

function argumentsOf(node: Node): number {
  return is.isCallExpression(node) ? node.arguments.length : 0;
}
