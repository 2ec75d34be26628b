import { afterAll, expect, test, vi } from 'vitest';
import { type Simulated, simulated } from '../simulated.fixture.ts';

let world: Simulated | null = null;
afterAll(() => world?.close());

test('without the optional library a login says what to install, and nobody is asked anything', async () => {
  world = await simulated({ isLibraryMissing: true });
  const phone = vi.fn(async () => '');
  const outcome = await world.logIn({ phone });
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'not_installed' });
  expect(JSON.stringify(outcome)).toContain('needs @mtcute/core, @mtcute/wasm and @fuman/node');
  expect(phone).not.toHaveBeenCalled();
  await expect(world.kind.open(null)).rejects.toThrow('needs @mtcute/core');
});
