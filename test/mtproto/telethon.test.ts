// A client that is not ours reads the simulated Telegram: what it and our reader both understand is MTProto, and not
// our idea of it. Telethon speaks layer 144 in full and abridged frames, our library layer 227 in intermediate ones.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ensureTelethon } from '../../scripts/telethon.ts';
import { serveMtproto } from '../../src/sim/sim.ts';

const SCRIPT = fileURLToPath(new URL('./telethon_reader.py', import.meta.url));
const ACCOUNT = { phone: '15550100', code: '24680', password: 'correct horse' };
const TEST_MS_MAX = 240_000;

const path = await ensureTelethon();

test.skipIf(path === null).each(['Full', 'Abridged'])(
  'in %s frames logs in, reads 251 posts, an album, differences and single posts, and honours a wait',
  async (frames) => {
    const floods = [{ method: 'contacts.resolveUsername', count: 1, perMs: 60_000, waitS: 300 }];
    const sim = await serveMtproto({ host: '127.0.0.1', port: 0, options: { floods } });
    const folder = mkdtempSync(join(tmpdir(), 'sluice-telethon-'));
    try {
      const key = join(folder, 'key.pem');
      writeFileSync(key, sim.pem);
      sim.model.addAccount(ACCOUNT);
      const news = sim.model.addChannel({ id: 77n, name: 'daily_news', title: 'Daily News' });
      for (let n = 0; n < 248; n++) news.post({ text: `post ${n}` });
      const media = { kind: 'photo', name: null, bytes: 7000 } as const;
      news.album([
        { text: 'two pictures', media },
        { text: '', media: { kind: 'document', name: 'a.pdf', bytes: 9000 } },
      ]);
      const { pts } = news;
      for (const text of ['one', 'two', 'three']) news.post({ text });
      news.edit(2, 'edited');
      news.delete([3, 4]);
      const { phone, code, password } = ACCOUNT;
      const args = [SCRIPT, frames, sim.port, key, phone, code, password, news.name, pts].map(
        String,
      );
      const env = { ...process.env, PYTHONPATH: path ?? '' };
      const run = promisify(execFile);
      const { stdout } = await run('python3', ['-W', 'ignore', ...args], { env });
      const posts = news.posts();
      expect(posts).toHaveLength(251);
      expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toEqual({
        phone: ACCOUNT.phone,
        posts: posts.map(({ id, text }) => [id, text]),
        album: 1,
        media: ['MessageMediaPhoto', 'MessageMediaDocument'],
        edited: [2],
        difference: {
          new: ['one', 'two', 'three'],
          edited: ['edited'],
          deleted: [3, 4],
          final: true,
        },
        too_long: 'ChannelDifferenceTooLong',
        by_id: ['edited', null, 'post 3'],
        wait: 300,
      });
      expect(sim.model.calls.filter((call) => call.isInsideWait)).toEqual([]);
    } finally {
      await sim.close();
      rmSync(folder, { recursive: true });
    }
  },
  TEST_MS_MAX,
);
