// Periodic work as an operator sees it: of a gateway that runs, each job with when it ran and when it is due.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../src/index.ts';
import type { JobStanding } from '../src/system/periodic.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-periodic-'));
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  gateway = await createGateway({ data: join(folder, 'data'), log: 'silent' });
  url = await gateway.listen({ port: 0 });
});

afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

async function jobs(): Promise<Record<keyof JobStanding, unknown>[]> {
  const health = await fetch(`${url}/health/details`);
  const { parts } = (await health.json()) as { parts: { periodic: { jobs: never[] } } };
  expect(parts).toMatchObject({ periodic: { status: 'ok' } });
  return parts.periodic.jobs;
}

test('all of it is in the details of health, and explained', async () => {
  const page = readFileSync(new URL('../docs/operate/operating.md', import.meta.url), 'utf8');
  const shown = await jobs();
  expect(shown.map(({ name }) => name)).toContain('forget_deliveries');
  for (const { name, ...standing } of shown) {
    expect(page).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|`, 'm'));
    expect(standing).toMatchObject({ state: 'ok', failures: 0, lastError: null });
  }
});

test('what was done at the start is on record, and what comes is due', async () => {
  const forgotten = async () => (await jobs()).find(({ name }) => name === 'forget_deliveries');
  while ((await forgotten())?.runs === 0);
  const job = await forgotten();
  expect(Date.parse(String(job?.lastRunAt))).toBeLessThanOrEqual(Date.now());
  expect(Date.parse(String(job?.nextRunAt))).toBeGreaterThan(Date.now());
});

test('each is in the metrics', async () => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const { name } of await jobs()) {
    expect(metrics).toContain(`sluice_periodic_failures_total{work="${name}"} 0`);
    expect(metrics).toMatch(new RegExp(`sluice_periodic_overdue_seconds{work="${name}"} \\d`));
  }
});
