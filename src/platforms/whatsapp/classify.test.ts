// Every code has its right handling, and nothing but the Graph API's own words is quoted.

import { describe, expect, test } from 'vitest';
import { type Outcome, withGrownWait } from '../../domain/outcome.ts';
import type { Reply } from '../../system/http/transport.ts';
import { classify } from './classify.ts';
import { handlingOf, knownCodes, STOP_MS } from './error-codes.ts';
import { REASONS } from './reasons.ts';

const answered = (status: number, body: string): Reply => ({
  ...{ kind: 'answered', status, headers: {}, body },
});

function ofCode(code: number, status = 400): Outcome {
  const error_data = { messaging_product: 'whatsapp', details: 'and more' };
  const error = { message: `(#${code}) a title`, type: 'OAuthException', code, error_data };
  return classify('messages', answered(status, JSON.stringify({ error })));
}

describe('codes', () => {
  test.each([
    [131056, { kind: 'limited', scope: 'chat', retryAfterMs: 1000, growth: 4 }],
    [130429, { kind: 'limited', scope: 'account', retryAfterMs: 1000 }],
    [80007, { kind: 'limited', scope: 'account', retryAfterMs: 30_000 }],
    [131048, { kind: 'limited', scope: 'account', retryAfterMs: STOP_MS }],
    [131031, { kind: 'limited', scope: 'account', retryAfterMs: STOP_MS }],
    [368, { kind: 'limited', scope: 'account', retryAfterMs: STOP_MS }],
    [200, { kind: 'limited', scope: 'account', retryAfterMs: STOP_MS }],
    [131016, { kind: 'failed', reason: 'unavailable' }],
    [131057, { kind: 'failed', reason: 'unavailable' }],
    [131047, { kind: 'refused', reason: 'template_needed' }],
    [131049, { kind: 'refused', reason: 'marketing_capped' }],
    [131026, { kind: 'refused', reason: 'undeliverable' }],
    [131050, { kind: 'refused', reason: 'opted_out' }],
    [131051, { kind: 'refused', reason: 'unsupported' }],
    [132001, { kind: 'refused', reason: 'template_refused' }],
    [132015, { kind: 'refused', reason: 'template_paused' }],
    [190, { kind: 'refused', reason: 'unauthorized' }],
    [133010, { kind: 'limited', scope: 'account' }],
    [1, { kind: 'uncertain' }],
    [999_999, { kind: 'refused', reason: 'bad_request' }],
  ])('%i', (code, outcome) => {
    expect(ofCode(code)).toMatchObject(outcome);
  });

  // Every code that is documented for messages, by what becomes of it.
  const DOCUMENTED: readonly [string, readonly number[]][] = [
    ['wait', [4, 17, 341, 613, 80007, 130429, 131056, 131208, 133016]],
    [
      'stop',
      [
        ...[3, 10, 33, 200, 299, 368, 131005, 131031, 131037, 131042, 131044, 131045, 131048],
        ...[131064, 133000, 133005, 133006, 133007, 133008, 133009, 133010, 133015],
      ],
    ],
    ['retry', [2, 131000, 131016, 131057, 133004, 134101, 2494100]],
    ['unknown', [1]],
    ['unauthorized', [0, 190]],
    ['template_needed', [131047]],
    ['template_refused', [131063, 132000, 132001, 132005, 132007, 132008, 132012, 132018, 134102]],
    ['template_paused', [132015, 132016, 132068, 132069]],
    ['undeliverable', [130403, 131020, 131026, 131041, 131043, 131207]],
    ['own_number', [131021]],
    ['not_listed', [131030]],
    ['country_restricted', [130497]],
    ['experiment', [130472]],
    ['marketing_capped', [131049]],
    ['opted_out', [131050]],
    ['unsupported', [131051]],
    ['media_refused', [131052, 131053]],
    [
      'bad_request',
      [
        ...[100, 506, 131001, 131002, 131006, 131008, 131009, 131055, 131062, 134011, 134100],
        ...[135000, 137000],
      ],
    ],
  ];

  test.each(DOCUMENTED)('%s', (kind, codes) => {
    const kinds = codes.map((code) => {
      const handling = handlingOf(code);
      return handling?.kind === 'dead' ? handling.reason : handling?.kind;
    });
    expect(new Set(kinds)).toEqual(new Set([kind]));
  });

  test('the table has no code that is not documented', () => {
    const documented = DOCUMENTED.flatMap(([, codes]) => codes);
    expect(knownCodes().filter((code) => !documented.includes(code))).toEqual([]);
  });

  test('the status of HTTP says nothing where there is a code', () => {
    for (const status of [400, 403, 429, 500]) {
      expect(ofCode(131056, status)).toMatchObject({ kind: 'limited', scope: 'chat' });
    }
  });

  test('each known one has a sentence where it ends a message', () => {
    for (const code of knownCodes()) {
      const handling = handlingOf(code)!;
      if (handling.kind === 'dead') expect(REASONS[handling.reason]).toMatch(/\.$/);
    }
    expect(knownCodes().length).toBeGreaterThan(50);
  });

  test('each further refusal of a pair waits four times longer, up to a bound', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((n) => {
      const outcome = ofCode(131056);
      return outcome.kind === 'limited' ? withGrownWait(outcome, n).retryAfterMs / 1000 : 0;
    });
    expect(waits).toEqual([1, 4, 16, 64, 256, 1024, 1024]);
  });

  test('the details are told, once', () => {
    expect(ofCode(131047)).toMatchObject({ detail: '(#131047) a title: and more' });
  });
});

describe('answers without a code', () => {
  test.each([
    [200, '{"messages":[{"id":"wamid.1"}]}', { kind: 'sent', messageId: 'wamid.1' }],
    [200, '{"success":true}', { kind: 'sent', messageId: null }],
    [200, '<html>', { kind: 'uncertain', reason: 'answer_unreadable' }],
    [502, '<html>secret</html>', { kind: 'uncertain', reason: 'upstream_broken', status: 502 }],
    [503, '', { kind: 'failed', reason: 'unavailable' }],
    [429, '', { kind: 'limited', scope: 'account' }],
    [413, '', { kind: 'refused', reason: 'too_large' }],
    [404, 'secret', { kind: 'failed', reason: 'not_whatsapp' }],
    [400, '{"error":{"is_transient":true,"code":5}}', { kind: 'failed', reason: 'unavailable' }],
    [500, '{"error":{"message":"?","code":77}}', { kind: 'uncertain', status: 500 }],
  ])('%i %s', (status, body, outcome) => {
    const made = classify('messages', answered(status, body));
    expect(made).toMatchObject(outcome);
    expect(JSON.stringify(made)).not.toContain('secret');
  });
});
