// A real Chromium before a real gateway: pages that note every error of their console, and are asked whether everyone
// can use them.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { cure, ensure } from '../../scripts/ensure.ts';
import { until } from '../process/look.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
export const TWO_FRAMES =
  'new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))';
// A dialog that was closed has had its step in the browser's history taken back: before that, one is led back.
const IS_BACK = `document.querySelector('dialog[open]') !== null || history.state?.isDialog !== true`;
// For what hangs; nothing here should take a twentieth of it, also where the page waits for what the gateway itself
// waits for (a platform is given 30 s to answer).
const WAIT_MS_MAX = 60_000;
const SERIOUS = ['serious', 'critical'];
// A door that is closed says 401 to whoever asks whether they are in; the browser notes that as an error.
const AT_THE_DOOR = /status of 401/;

// The address bar of every window is two pages of its own, which cost more than most of ours; nobody sees them here.
// Of several such lists the last counts, so Playwright's is repeated.
const UNUSED = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];

export interface Viewport {
  readonly width: number;
  readonly height: number;
}

export const DESK: Viewport = { width: 1280, height: 860 };
export const WIDE: Viewport = { width: 1440, height: 900 };
export const PHONE: Viewport = { width: 390, height: 800 };

export async function openBrowser(): Promise<Browser> {
  const executablePath = await ensure('chromium');
  if (executablePath === null) throw new Error(`chromium is missing: ${cure('chromium')}`);
  const args = ['--no-sandbox', '--disable-gpu', `--disable-features=${UNUSED.join(',')}`];
  return chromium.launch({ executablePath, args });
}

export class Visitor {
  readonly page: Page;
  readonly errors: string[] = [];
  readonly requested = new Set<string>();
  readonly #context: BrowserContext;
  readonly #url: string;

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.#context = context;
    this.page = page;
    this.#url = url;
    page.on('console', (message) => {
      const isError = message.type() === 'error' || message.type() === 'warning';
      if (isError && !AT_THE_DOOR.test(message.text())) this.errors.push(message.text());
    });
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('request', (request) => this.requested.add(new URL(request.url()).origin));
  }

  static async come(browser: Browser, url: string, viewport: Viewport = DESK): Promise<Visitor> {
    const context = await browser.newContext({ viewport, colorScheme: 'light' });
    context.setDefaultTimeout(WAIT_MS_MAX);
    return new Visitor(context, await context.newPage(), url);
  }

  async signIn(key: string): Promise<void> {
    await this.page.goto(this.#url);
    await this.page.getByLabel('Key').fill(key);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByText('live', { exact: true }).waitFor();
  }

  async see(path: string): Promise<void> {
    await this.becomes(IS_BACK);
    await this.page.goto(`${this.#url}/#/${path}`);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    // The screen may have been there before: what it shows follows the address within two frames.
    await this.page.evaluate(TWO_FRAMES);
  }

  // Looked at in each frame; the page's own policy forbids what Playwright would do for it.
  async becomes(condition: string): Promise<void> {
    await this.page.evaluate(`new Promise((seen) => {
      const look = () => (${condition} ? seen() : requestAnimationFrame(look));
      look();
    })`);
  }

  // What it noted on purpose: the browser tells it in its own time, not when the page does.
  async noted(count: number): Promise<string[]> {
    await until(
      () => this.errors.length,
      (seen) => seen >= count,
      { msMax: WAIT_MS_MAX },
    );
    return this.errors.splice(0);
  }

  heading(): Promise<string | null> {
    return this.page.getByRole('heading', { level: 1 }).textContent();
  }

  async theme(wanted: 'dark' | 'light'): Promise<void> {
    await this.page.emulateMedia({ colorScheme: wanted });
    await this.page.locator(`html[data-theme=${wanted}]`).waitFor();
  }

  // What keeps people out, in words.
  async barriers(): Promise<string[]> {
    // Once for each load of the page, and without what is in order: most of its time went into these two.
    if (!(await this.page.evaluate('"axe" in globalThis'))) await this.page.evaluate(AXE);
    const { violations }: AxeAnswer = await this.page.evaluate(
      `axe.run({ resultTypes: ['violations'] })`,
    );
    return violations
      .filter(({ impact }) => SERIOUS.includes(impact ?? ''))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }

  // Whatever the screen asked for is there.
  async settled(): Promise<void> {
    await this.page.getByText('Asking the gateway').first().waitFor({ state: 'detached' });
  }

  // All that a script of the page could read later, or someone beside the screen.
  kept(): Promise<string> {
    const all = 'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])';
    return this.page.evaluate(all);
  }

  width(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth');
  }

  async leave(): Promise<void> {
    await this.#context.close();
  }
}

interface AxeAnswer {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

// Two keys, one soon after the other: again, where the machine was too slow for that.
export async function goByKeys(page: Page, letter: string, name: string | RegExp): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name });
  for (let tries = 1; ; tries++) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    try {
      return await heading.waitFor({ timeout: KEYS_MS_MAX });
    } catch (error) {
      if (tries === KEYS_TRIES_MAX) throw error;
    }
  }
}

const KEYS_MS_MAX = 2_000;
const KEYS_TRIES_MAX = 5;
