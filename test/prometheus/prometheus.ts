// A real Prometheus on a folder of its own. It scrapes and evaluates every second, and tells its alerts to the test,
// which stands in for an Alertmanager; a second target of the test's own makes an event of every scrape.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ownPort } from '../../scripts/own-port.ts';
import { bodyOf } from '../process/body.ts';

interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly endsAt: string;
}

type Value = readonly [at: number, value: string];
interface Found {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly Value[];
}

export class Prometheus {
  readonly #fired = new Map<string, Set<string>>();
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  readonly #ear: Server;
  readonly #beganS = Date.now() / 1000;
  #wake = Promise.withResolvers<void>();
  #scrapes = 0;
  #url = '';
  #stop: (() => Promise<void>) | null = null;

  constructor() {
    this.#ear = createServer(async (request, response) => {
      const body = await bodyOf(request);
      if (body === null) return;
      if (request.url === '/metrics') this.#scrapes += 1;
      else this.#hear(JSON.parse(body.toString()) as PostedAlert[]);
      response.end();
      this.#wake.resolve();
      this.#wake = Promise.withResolvers();
    });
  }

  async start(targets: readonly string[], rules: string): Promise<void> {
    await new Promise<void>((resolve) => this.#ear.listen(0, '127.0.0.1', resolve));
    const ear = `127.0.0.1:${(this.#ear.address() as AddressInfo).port}`;
    const file = join(this.#folder, 'prometheus.yml');
    writeFileSync(join(this.#folder, 'rules.yml'), rules);
    writeFileSync(file, stringify(configOf(targets, ear)));
    const address = `127.0.0.1:${await ownPort()}`;
    const child = spawn(
      'prometheus',
      [
        ...[`--config.file=${file}`, `--storage.tsdb.path=${join(this.#folder, 'data')}`],
        ...[`--web.listen-address=${address}`, '--rules.alert.resend-delay=1s'],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#url = `http://${address}`;
    this.#stop = async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
        if (said.includes('ready to receive web requests')) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(said)));
    });
  }

  async close(): Promise<void> {
    await this.#stop?.();
    this.#ear.closeAllConnections();
    this.#ear.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  // Names of alerts that have fired for this target, ever.
  fired(target: string): ReadonlySet<string> {
    return this.#firedAt(target);
  }

  // Looks again at every scrape and at every word of an alert.
  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      const next = this.#wake.promise;
      if (await isSo()) return;
      await next;
    }
  }

  async scrapes(count: number): Promise<void> {
    const wanted = this.#scrapes + count;
    await this.until(() => this.#scrapes >= wanted);
  }

  // What a panel would show of the whole test.
  async range(expr: string): Promise<Found[]> {
    const times = { start: String(this.#beganS), end: String(Date.now() / 1000), step: '1' };
    const body = new URLSearchParams({ query: expr, ...times });
    const answer = await fetch(`${this.#url}/api/v1/query_range`, { method: 'POST', body });
    const said = (await answer.json()) as { error?: string; data?: { result: Found[] } };
    if (said.data === undefined) throw new Error(`${expr}: ${said.error}`);
    return said.data.result;
  }

  // Alerts that wait for their time, and that fire.
  async alerts(): Promise<{ name: string; state: string }[]> {
    const answer = await fetch(`${this.#url}/api/v1/alerts`);
    const { data } = (await answer.json()) as {
      data: { alerts: { labels: { alertname: string }; state: string }[] };
    };
    return data.alerts.map(({ labels, state }) => ({ name: labels.alertname, state }));
  }

  #hear(alerts: readonly PostedAlert[]): void {
    for (const { labels } of alerts) {
      this.#firedAt(labels.instance ?? '').add(labels.alertname ?? '');
    }
  }

  #firedAt(instance: string): Set<string> {
    const known = this.#fired.get(instance) ?? new Set();
    this.#fired.set(instance, known);
    return known;
  }
}

function configOf(targets: readonly string[], ear: string) {
  return {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [ear] }] }] },
    scrape_configs: [
      { job_name: 'sluice', static_configs: [{ targets }] },
      { job_name: 'test', static_configs: [{ targets: [ear] }] },
    ],
  };
}
