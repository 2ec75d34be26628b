// Somebody who has never seen it: follows what is on the screen and nothing else, and counts the steps. A step is a
// click, a field that is filled and sent, or a command; one that was not shown before cannot be taken.

import { spawn } from 'node:child_process';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { BIN } from '../process/sluice.ts';

export const STEPS_MAX = 3;

export class Newcomer {
  readonly #page: Page;
  #steps = 0;

  // Whoever begins stands on the overview.
  constructor(page: Page) {
    this.#page = page;
  }

  // A link, a button or a row that says so.
  async click(words: string | RegExp): Promise<void> {
    this.#step();
    const top = await this.#top();
    const shown = ['button', 'link'] as const;
    const all = shown.map((role) => top.getByRole(role, { name: words }));
    await all[0]!.or(all[1]!).filter({ visible: true }).first().click();
  }

  // The field of that name, and Enter.
  async type(label: string, text: string): Promise<void> {
    this.#step();
    const field = (await this.#top()).getByLabel(label, { exact: true });
    await field.filter({ visible: true }).fill(text);
    await field.press('Enter');
  }

  async reads(words: string | RegExp): Promise<void> {
    await this.#page.getByText(words).filter({ visible: true }).first().waitFor();
  }

  done(): void {
    expect(this.#steps).toBeLessThanOrEqual(STEPS_MAX);
  }

  #step(): void {
    this.#steps += 1;
    expect(this.#steps).toBeLessThanOrEqual(STEPS_MAX);
  }

  // What lies above the rest is what one sees.
  async #top(): Promise<Page | Locator> {
    const dialog = this.#page.locator('dialog[open]');
    return (await dialog.count()) > 0 ? dialog : this.#page;
  }
}

export class AtTheTerminal {
  readonly #env: Readonly<Record<string, string>>;
  #shown: string;
  #steps = 0;

  // `shown`: what stands on the terminal already.
  constructor(shown: string, env: Readonly<Record<string, string>> = {}) {
    this.#shown = shown;
    this.#env = env;
  }

  // A command that stands there, as it stands there; answers what it prints.
  async run(command: string | RegExp): Promise<string> {
    this.#steps += 1;
    const [line] = this.#shown.match(command) ?? [null];
    if (line === null) throw new Error(`nothing like ${command} was shown:\n${this.#shown}`);
    const said = await printed(line, this.#env);
    this.#shown += `\n${said}`;
    return said;
  }

  done(): void {
    expect(this.#steps).toBeLessThanOrEqual(STEPS_MAX);
  }
}

// Everything it says, whatever its exit code.
function printed(line: string, env: Readonly<Record<string, string>>): Promise<string> {
  const typed = line.replace('npx sluice', `'${process.execPath}' '${BIN}'`);
  const child = spawn('sh', ['-c', typed], { env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  return new Promise((resolve) => child.on('close', () => resolve(said)));
}
