import { expect, test } from 'vitest';
import { asExact } from '../../domain/body.ts';
import { aDelivery } from '../../domain/delivery.fixture.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { showFully } from './view.ts';

function bodyOf(body: string): unknown {
  const times = { dueAt: null, expiresAt: null, settledAt: null };
  const rest = { state: 'queued', supersededBy: null, repeats: null, result: null, ...times };
  const delivery = { ...aDelivery(), ...rest, body } as unknown as Delivery;
  return showFully('abcde', delivery, { attempts: [], history: [] }).body;
}

test('the parameters are shown as the caller gave them, without our own mark', () => {
  const body = JSON.stringify({ chat_id: '6', text: 'hello' });
  expect(bodyOf(asExact(body))).toEqual({ chat_id: '6', text: 'hello' });
  expect(bodyOf(body)).toEqual({ chat_id: '6', text: 'hello' });
  expect(bodyOf('{"text": changed on the disk')).toBe('{"text": changed on the disk');
});
