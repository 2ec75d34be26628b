import { expect, test } from 'vitest';
import { readWebhookAnswer } from './webhook-answer.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

test('a call in the answer, as JSON or as a form', () => {
  const call = { method: 'sendMessage', params: { chat_id: 5, text: 'hi' } };
  expect(readWebhookAnswer(JSON_TYPE, '{"method":"sendMessage","chat_id":5,"text":"hi"}')).toEqual(
    call,
  );
  expect(
    readWebhookAnswer('application/x-www-form-urlencoded', 'method=sendMessage&chat_id=5&text=hi'),
  ).toEqual({ ...call, params: { chat_id: '5', text: 'hi' } });
});

test.each(['getMe', 'GETUPDATES', 'setWebhook', 'deleteWebhook', 'close', 'logOut', 'a/../b'])(
  '%s is ignored',
  (method) => {
    expect(readWebhookAnswer(JSON_TYPE, JSON.stringify({ method }))).toBeNull();
  },
);

test.each(['', 'ok', '{"ok":true}', '[]', 'null', '{"method":5}', '<html></html>'])(
  '%j is no call',
  (body) => {
    expect(readWebhookAnswer(JSON_TYPE, body)).toBeNull();
  },
);
