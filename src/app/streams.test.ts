import { expect, test } from 'vitest';
import { defaultConfig } from '../config/config.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import { liveSettingsBy } from './streams.ts';

test('nothing is kept of an account: those of one platform and settings share what was made of them', () => {
  const config = defaultConfig();
  const byHand = { ...config, groupMpm: 10 };
  const telegram = createTelegram({ transport: null as never });
  const settingsOf = liveSettingsBy({
    platforms: new Map([[telegram.name, telegram]]),
    settingsOf: (account) => (account === 'telegram:3' ? byHand : config),
  });
  const first = settingsOf('telegram:1');
  expect(settingsOf('telegram:2')).toBe(first);
  expect(settingsOf('telegram:3').rates?.messageMpm('-100')).toBe(10);
  expect(first.rates?.messageMpm('-100')).toBe(20);
  expect(settingsOf('none:1')).not.toBe(first);
});
