// /v1/reasons: every reason code in words, those of the platforms that are open and those of Sluice itself.

import Type from 'typebox';
import { OWN_REASONS } from '../../domain/reasons.ts';
import type { Platform } from '../../platforms/platform.ts';
import { viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { text } from '../openapi/common.ts';
import { group, type Route, withOptions } from '../route.ts';

const READ: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/reasons',
  access: viewer('open'),
  tag: 'watching',
  summary: 'What each reason code means, in words',
  answers: {
    200: Type.Object({
      reasons: Type.Record(Type.String(), text),
      unreachable: Type.Array(text, {
        description: 'Those that say that a chat refuses the account, whatever is sent',
      }),
    }),
  },
  examples: { 'all of them': { status: 200 } },
  handler: async ({ platforms }) => {
    const all = [...platforms.values()];
    return {
      reasons: { ...wordsOf(all), ...OWN_REASONS },
      unreachable: all.flatMap(({ broadcast }) => broadcast?.unreachable ?? []),
    };
  },
};

export const REASON_ROUTES = group<HttpParts>([READ], withOptions);

// Platforms share codes, not words: what several of them say differently is said of none by name.
export function wordsOf(
  platforms: readonly Pick<Platform, 'name' | 'reasons'>[],
): Record<string, string> {
  const words = new Map<string, string>();
  for (const { name, reasons = {} } of platforms) {
    for (const [code, said] of Object.entries(reasons)) {
      const others = platforms.some((other) => (other.reasons?.[code] ?? said) !== said);
      if (!words.has(code)) words.set(code, others ? unnamed(said, name) : said);
    }
  }
  return Object.fromEntries(words);
}

function unnamed(said: string, name: string): string {
  const inWords = said.replaceAll(new RegExp(`\\b${name}\\b`, 'gi'), 'the platform');
  return inWords.charAt(0).toUpperCase() + inWords.slice(1);
}
