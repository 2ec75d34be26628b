import { gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addPageRoutes } from '../http/page.ts';
import { openPage } from './dashboard.ts';
import type { PageFile, PageFiles } from './files.ts';

const SCRIPT = 'console.log("hello");'.repeat(50);

function file(type: string, text: string, zipped = 'zipped'): PageFile {
  return { type, plain: Buffer.from(text), zipped: Buffer.from(zipped) };
}

const FILES: PageFiles = new Map([
  ['index.html', file('text/html; charset=utf-8', '<!doctype html>', 'longer than it was')],
  ['page/main-1a2b.js', file('text/javascript; charset=utf-8', SCRIPT)],
]);

function serve(read: () => Promise<PageFiles>) {
  const warned: object[] = [];
  const app = fastify();
  addPageRoutes(app, openPage({ read, log: { warn: (fields) => void warned.push(fields) } }));
  return { app, warned };
}

test('the page, asked anew each time, its files kept for ever', async () => {
  const { app } = serve(async () => FILES);
  const index = await app.inject('/');
  expect(index.statusCode).toBe(200);
  expect(index.body).toBe('<!doctype html>');
  expect(index.headers['cache-control']).toBe('no-cache');
  const script = await app.inject('/page/main-1a2b.js');
  expect(script.body).toBe(SCRIPT);
  expect(script.headers['cache-control']).toContain('immutable');
  expect(script.headers['content-type']).toContain('text/javascript');
  expect((await app.inject('/page/other.js')).statusCode).toBe(404);
  expect((await app.inject('/page/..%2Findex.html')).statusCode).toBe(404);
});

test('compressed where that is asked for and shorter', async () => {
  const { app } = serve(async () => FILES);
  const headers = { 'accept-encoding': 'br, gzip' };
  const script = await app.inject({ url: '/page/main-1a2b.js', headers });
  expect(script.headers['content-encoding']).toBe('gzip');
  expect(script.body).toBe('zipped');
  const index = await app.inject({ url: '/', headers });
  expect(index.headers['content-encoding']).toBeUndefined();
});

test('nothing but its own files may be loaded, and nobody may frame it', async () => {
  const { app } = serve(async () => FILES);
  for (const url of ['/', '/page/main-1a2b.js']) {
    const { headers } = await app.inject(url);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
});

test('read once for all; a page that is not there is said, and tried again', async () => {
  let reads = 0;
  const { app, warned } = serve(async () => {
    reads += 1;
    if (reads === 1) throw new Error('no bundler here');
    return FILES;
  });
  const missing = await app.inject('/');
  expect(missing.statusCode).toBe(503);
  expect(missing.body).toContain('npm run build');
  expect(warned).toHaveLength(1);
  await Promise.all([app.inject('/'), app.inject('/'), app.inject('/page/main-1a2b.js')]);
  expect(reads).toBe(2);
});

test('the real page is built when it is missing, and names nothing outside', async () => {
  const app = fastify();
  addPageRoutes(app, openPage({ log: { warn: (fields) => expect(fields).toBeNull() } }));
  const index = await app.inject('/');
  expect(index.statusCode).toBe(200);
  const paths = [...index.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThanOrEqual(3);
  for (const path of paths) {
    expect(path).toMatch(/^\/page\/[\w.-]+$/);
    const answer = await app.inject({ url: path, headers: { 'accept-encoding': 'gzip' } });
    expect(answer.statusCode).toBe(200);
    const isZipped = answer.headers['content-encoding'] === 'gzip';
    const text = (isZipped ? gunzipSync(answer.rawPayload) : answer.rawPayload).toString();
    const outside = text.replaceAll('http://www.w3.org/', '').match(/https?:\/\/[\w.]+/g) ?? [];
    expect(outside).toEqual([]);
  }
});
