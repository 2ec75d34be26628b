// Reads TypeScript sources into the few facts the tidy rules speak about: imports, functions, forbidden uses.
// The compiler's own parser does the reading, over a file system of plain strings, so that the rules can be
// shown to fail on small samples. Nothing is resolved or type-checked here.

import { dirname, posix } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly functions: readonly { name: string; lines: number }[];
  // Spelled out: `Date.now`, `setTimeout`, `new Date()`, `process.env`.
  readonly uses: readonly string[];
  // Everything that is named or called by its name, without the `#` of what is private.
  readonly names: ReadonlySet<string>;
  readonly hasDefaultExport: boolean;
  // Lines (from 0) on which a long or many-lined text or pattern stands: the formatter cannot break them.
  readonly unbreakable: ReadonlySet<number>;
}

export interface Import {
  // A path from the root of the repository, or the specifier as written (`node:fs`, `undici`).
  readonly target: string;
  readonly typeOnly: boolean;
  // Started in a thread of its own (new URL), not imported: it may know its starter.
  readonly isThread: boolean;
}

// Path from the root of the repository → text.
export type Files = Readonly<Record<string, string>>;

const ROOT = '/sources';
const LONG_TEXT_CHARS_MIN = 40;
const OPTIONS = {
  noResolve: true,
  noLib: true,
  types: [],
  allowJs: true,
  noEmit: true,
  jsx: 'preserve',
};

export function readSources(files: Files): Source[] {
  const tree: Record<string, string> = {
    [`${ROOT}/tsconfig.json`]: JSON.stringify({ compilerOptions: OPTIONS, include: ['**/*'] }),
  };
  for (const [path, text] of Object.entries(files)) tree[`${ROOT}/${path}`] = text;
  const api = new API({ cwd: ROOT, fs: createVirtualFileSystem(tree) });
  try {
    const snapshot = api.updateSnapshot({ openProject: `${ROOT}/tsconfig.json` });
    const program = snapshot.getProjects()[0]!.program;
    return Object.entries(files).map(([path, text]) => {
      const root = program.getSourceFile(`${ROOT}/${path}`);
      if (root === undefined) throw new Error(`not read: ${path}`);
      return readSource(path, text, root);
    });
  } finally {
    api.close();
  }
}

function readSource(path: string, text: string, root: Node): Source {
  const imports: Import[] = [];
  const functions: { name: string; lines: number }[] = [];
  const uses: string[] = [];
  const names = new Set<string>();
  const unbreakable = new Set<number>();
  let hasDefaultExport = false;
  const visit = (node: Node, parent: Node | null): void => {
    const found = importOf(node);
    if (found !== null) imports.push({ ...found, target: resolve(path, found.target) });
    if (is.isFunctionLikeDeclaration(node)) functions.push(measure(node, parent, text));
    const use = useOf(node, parent);
    if (use !== null) uses.push(use);
    if (is.isIdentifier(node) || is.isPrivateIdentifier(node)) {
      names.add(node.text.replace(/^#/, ''));
    }
    hasDefaultExport ||= isDefaultExport(node);
    if (isLongText(node)) for (const line of linesOf(node, text)) unbreakable.add(line);
    node.forEachChild((child) => visit(child, node));
  };
  visit(root, null);
  return { path, text, imports, functions, uses, names, hasDefaultExport, unbreakable };
}

function isLongText(node: Node): boolean {
  const isText =
    is.isStringLiteral(node) ||
    is.isNoSubstitutionTemplateLiteral(node) ||
    is.isTemplateExpression(node) ||
    is.isRegularExpressionLiteral(node);
  return isText && node.end - node.getStart() > LONG_TEXT_CHARS_MIN;
}

function linesOf(node: Node, text: string): number[] {
  const first = text.slice(0, node.getStart()).split('\n').length - 1;
  const count = text.slice(node.getStart(), node.end).split('\n').length;
  return Array.from({ length: count }, (_, i) => first + i);
}

function importOf(node: Node): Import | null {
  if (is.isImportDeclaration(node)) {
    const clause = node.importClause;
    const named = clause?.namedBindings;
    const allTypes =
      named !== undefined &&
      is.isNamedImports(named) &&
      clause?.name === undefined &&
      named.elements.length > 0 &&
      named.elements.every((element) => element.isTypeOnly);
    const typeOnly = clause?.phaseModifier === SyntaxKind.TypeKeyword || allTypes;
    return { target: textOf(node.moduleSpecifier), typeOnly, isThread: false };
  }
  if (is.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return {
      target: textOf(node.moduleSpecifier),
      typeOnly: node.isTypeOnly,
      isThread: false,
    };
  }
  if (is.isImportTypeNode(node) && is.isLiteralTypeNode(node.argument)) {
    return { target: textOf(node.argument.literal), typeOnly: true, isThread: false };
  }
  return loadOf(node);
}

// import('./x.ts') and new URL('./worker.ts', import.meta.url).
function loadOf(node: Node): Import | null {
  const isImport = is.isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword;
  const isUrl =
    is.isNewExpression(node) && nameOf(node.expression) === 'URL' && node.arguments?.length === 2;
  if (!isImport && !isUrl) return null;
  const argument = node.arguments?.[0];
  if (argument === undefined || !is.isStringLiteral(argument)) return null;
  return { target: argument.text, typeOnly: false, isThread: isUrl };
}

function useOf(node: Node, parent: Node | null): string | null {
  if (is.isPropertyAccessExpression(node)) {
    return `${nameOf(node.expression)}.${nameOf(node.name)}`.replace(/^globalThis\./, '');
  }
  if (is.isNewExpression(node) && nameOf(node.expression) === 'Date') {
    return (node.arguments?.length ?? 0) === 0 ? 'new Date()' : null;
  }
  // `const { env } = process` hides what it takes.
  if (is.isVariableDeclaration(node) && is.isObjectBindingPattern(node.name)) {
    const from = node.initializer === undefined ? '' : nameOf(node.initializer);
    const taken = node.name.elements.map((each) => nameOf(each.propertyName ?? each.name!));
    return from === '' ? null : `${from}.${taken.join(`,${from}.`)}`;
  }
  const isPropertyName = parent !== null && is.isPropertyAccessExpression(parent);
  return is.isIdentifier(node) && !(isPropertyName && parent.name === node) ? node.text : null;
}

function isDefaultExport(node: Node): boolean {
  if (is.isExportAssignment(node)) return true;
  if (is.isExportSpecifier(node)) return nameOf(node.name) === 'default';
  return (
    (is.isFunctionDeclaration(node) || is.isClassDeclaration(node)) &&
    (node.modifiers?.some((modifier) => modifier.kind === SyntaxKind.DefaultKeyword) ?? false)
  );
}

function measure(node: Node, parent: Node | null, text: string): { name: string; lines: number } {
  const named = node as { name?: Node };
  const own = named.name ?? (parent as { name?: Node } | null)?.name;
  const lines = text.slice(node.getStart(), node.end).split('\n').length;
  return { name: own === undefined ? 'a function without a name' : nameOf(own), lines };
}

function nameOf(node: Node): string {
  return is.isIdentifier(node) ? node.text : '';
}

function textOf(node: Node): string {
  return is.isStringLiteral(node) ? node.text : '';
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.normalize(`${dirname(from)}/${specifier}`) : specifier;
}
