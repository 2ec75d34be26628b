// sluice.yaml: sections of settings, and the accounts. Reads the shape; the values are read elsewhere.

import { type Document, parseDocument } from 'yaml';
import { faultOf } from '../system/json.ts';
import { FILE_VERSION, FORMER_NAMES, formerInWords } from './former.ts';
import { type SettingProblem, unknownName } from './problem.ts';
import { SECTIONS } from './setting-row.ts';
import { SETTING_KEYS, SETTINGS } from './settings.ts';
import type { Given } from './values.ts';

export interface FileContent {
  readonly given: readonly Given[];
  readonly accounts: readonly unknown[];
}

const SECTION_NAMES = Object.keys(SECTIONS);

export function readFileContent(
  path: string,
  text: string,
  problems: SettingProblem[],
  warnings: string[],
): FileContent {
  const root = yamlOf(path, text, problems);
  const given: Given[] = [];
  let accounts: readonly unknown[] = [];
  for (const [section, content] of Object.entries(root)) {
    if (section === 'accounts') accounts = listOf(content, problems);
    else if (section === 'version') checkVersion(content, problems);
    else if (SECTION_NAMES.includes(section))
      given.push(...readSection(section, content, problems, warnings));
    else problems.push(unknownName(section, [...SECTION_NAMES, 'accounts', 'version']));
  }
  return { given, accounts };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkVersion(version: unknown, problems: SettingProblem[]): void {
  if (Number.isSafeInteger(version) && Number(version) >= 1 && Number(version) <= FILE_VERSION) {
    return;
  }
  const expected = `expected 1 to ${FILE_VERSION}; a file of a newer Sluice needs that one`;
  problems.push({ name: 'version', value: JSON.stringify(version), expected });
}

function readSection(
  section: string,
  content: unknown,
  problems: SettingProblem[],
  warnings: string[],
): Given[] {
  if (!isRecord(content)) {
    problems.push({ name: section, value: null, expected: 'expected settings, `name: value`' });
    return [];
  }
  const given: Given[] = [];
  for (const [name, raw] of Object.entries(content)) {
    const path = `${section}.${name}`;
    const former = FORMER_NAMES.find((each) => each.name === path);
    const key = former?.key ?? SETTING_KEYS.find((each) => pathOf(each) === path);
    if (former !== undefined) {
      const now = former.key === null ? null : pathOf(former.key);
      warnings.push(formerInWords(former, path, now));
      if (former.key === null) continue;
    }
    if (key === undefined) problems.push(unknownName(path, SETTING_KEYS.map(pathOf)));
    else given.push({ key, raw, name: path });
  }
  return given;
}

function pathOf(key: keyof typeof SETTINGS): string {
  return `${SETTINGS[key].section}.${SETTINGS[key].name}`;
}

function listOf(content: unknown, problems: SettingProblem[]): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (content !== null) {
    problems.push({ name: 'accounts', value: null, expected: 'expected a list of accounts' });
  }
  return [];
}

// undefined: its aliases would unfold without end.
function contentOf(document: Document): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

function yamlOf(path: string, text: string, problems: SettingProblem[]): Record<string, unknown> {
  const document = parseDocument(text);
  const error = document.errors[0];
  if (error !== undefined) {
    // Only the first line: the rest quotes the file, which may hold a token.
    const said = error.message.split('\n')[0]!;
    problems.push({ name: path, value: null, expected: `not YAML: ${said}` });
    return {};
  }
  const content = contentOf(document);
  if (content === undefined || faultOf(content) !== null) {
    problems.push({ name: path, value: null, expected: 'expected YAML of few levels and aliases' });
    return {};
  }
  if (isRecord(content)) return content;
  if (content !== null) {
    problems.push({ name: path, value: null, expected: 'expected sections of settings' });
  }
  return {};
}
