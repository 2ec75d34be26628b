// GET /v1/terminal/:chat: what is on a screen, then every change of it, as server-sent events.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../accept/problems.ts';
import { checkTerminalQuery, TerminalQuery } from '../../accept/schema.ts';
import { showTime, showTimeOrNull } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { ScreenEvent, ScreenMessage, ScreenWatch } from '../../platforms/platform.ts';
import { unreachable } from '../../system/assert.ts';
import { lasting, sender } from '../auth/access.ts';
import { text } from '../openapi/common.ts';
import { sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';
import { type EventReader, EventReaders, openEvents } from './events.ts';

interface ByChat {
  Params: { chat: string };
}

interface TerminalPorts {
  readonly readers: EventReaders<EventReader>;
  readonly screens: ScreenWatch;
}

const WATCH: Route<TerminalPorts> = {
  method: 'GET',
  url: '/v1/terminal/:chat',
  // It is nothing but texts.
  access: lasting(sender('screen')),
  tag: 'watching',
  summary: 'What is on a terminal’s screen, then every change, as server-sent events',
  query: TerminalQuery,
  answers: { 200: text },
  answerType: 'text/event-stream',
  examples: { 'one screen': { params: { chat: 'desk' }, status: 200 } },
  handler: watch,
};

export const TERMINAL_ROUTES = group<TerminalPorts>([WATCH], ({ app, options }) => {
  const { clock, screens } = options;
  if (screens === undefined) return null;
  const readers = new EventReaders(clock);
  app.addHook('preClose', async () => readers.stop());
  return { readers, screens };
});

function watch(
  { readers, screens }: TerminalPorts,
  request: FastifyRequest<ByChat>,
  reply: FastifyReply,
) {
  const { query } = request;
  if (!checkTerminalQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkTerminalQuery, query)));
  }
  const response = openEvents(readers, reply);
  if (response === null) return reply;
  const reader = { response, holder: request.holder };
  const publish = (kind: string, data: object) =>
    readers.publish(
      kind,
      () => data,
      (each) => each === reader,
    );
  readers.add(reader);
  const { name: account } = screens.named(query.account);
  const { shown, leave } = screens.watch(account, request.params.chat, (event) =>
    publish(event.kind, showEvent(event)),
  );
  response.once('close', leave);
  for (const message of shown) publish('message', showMessage(message));
  publish('live', { shown: shown.length });
  return reply;
}

function showEvent(event: ScreenEvent): object {
  switch (event.kind) {
    case 'message':
    case 'edited':
      return showMessage(event.message);
    case 'deleted':
      return { id: event.id, at: showTime(event.at) };
    case 'typing':
      return { at: showTime(event.at) };
    default:
      return unreachable(event);
  }
}

function showMessage({ id, thread, text, at, editedAt }: ScreenMessage): object {
  return { id, thread, text, at: showTime(at), editedAt: showTimeOrNull(editedAt) };
}
