// /openapi.json, put together from the same schemas that check the requests. A test holds it to the routes.

import type { TSchema } from 'typebox';
import { ERRORS } from '../domain/errors.ts';
import { FEED_TYPES } from '../live/feed.ts';
import { type Access, accessOf } from './access.ts';
import {
  AudienceQuery,
  Broadcast,
  BroadcastAnswer,
  BroadcastsQuery,
  RecipientsQuery,
} from './broadcast-schema.ts';
import { KEY_OPERATIONS } from './openapi-keys.ts';
import { LIST_TYPES } from './recipients.ts';
import { SandboxQuery, SandboxTrouble, SandboxWriting } from './sandbox-schema.ts';
import {
  DeadCommand,
  DeadEdit,
  DeadQuery,
  EventsQuery,
  FanOutMessage,
  LimitsQuery,
  Message,
  ProblemAnswer,
  QueueQuery,
  Receipt,
  Result,
  SearchQuery,
  TerminalQuery,
} from './schema.ts';
import {
  Stream,
  StreamAnswer,
  StreamChange,
  StreamFanOut,
  StreamFinal,
  StreamQuery,
  StreamsQuery,
} from './stream-schema.ts';

interface Operation {
  readonly summary: string;
  readonly query?: TSchema;
  readonly body?: object;
  // Content types of bodies that are no JSON.
  readonly forms?: readonly string[];
  readonly answers?: Readonly<Record<string, object>>;
}

const single = { anyOf: [Message, FanOutMessage] };

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v1/messages': {
    summary: 'Hand over a message, or an array of them; accepted means on disk',
    body: { anyOf: [...single.anyOf, { type: 'array', items: single }] },
    answers: { 200: Result, 202: Receipt, 207: { type: 'array', items: {} } },
  },
  'GET /v1/messages': { summary: 'Search, newest first', query: SearchQuery },
  'GET /v1/messages/{id}': { summary: 'State, attempts, history, position, eta, result' },
  'DELETE /v1/messages/{id}': { summary: 'Cancel, if it is not being sent' },
  'GET /v1/messages/{id}/explain': { summary: 'Why it has not gone out' },
  'POST /v1/streams': {
    summary:
      'Open a text that grows; or, of another type than JSON, a body that is the text itself',
    query: StreamQuery,
    body: { anyOf: [Stream, StreamFanOut] },
    forms: FEED_TYPES,
    answers: { 200: StreamAnswer, 201: StreamAnswer },
  },
  'PUT /v1/streams': {
    summary: 'A body that is the text itself: shown as it comes, final when it ends',
    query: StreamQuery,
    forms: FEED_TYPES,
    answers: { 200: StreamAnswer },
  },
  'GET /v1/streams': {
    summary: 'Streams that have not ended',
    query: StreamsQuery,
    answers: {
      200: { type: 'object', properties: { streams: { type: 'array', items: StreamAnswer } } },
    },
  },
  'GET /v1/streams/{id}': { summary: 'How a stream stands', answers: { 200: StreamAnswer } },
  'PATCH /v1/streams/{id}': {
    summary: 'Append to the text, or replace it',
    body: StreamChange,
    forms: ['text/plain'],
    answers: { 200: StreamAnswer },
  },
  'POST /v1/streams/{id}/final': {
    summary: 'Finish the text; on disk when answered',
    body: StreamFinal,
    answers: { 200: StreamAnswer },
  },
  'DELETE /v1/streams/{id}': {
    summary: 'Cancel: what is shown stays, no more is',
    answers: { 200: StreamAnswer },
  },
  'POST /v1/broadcasts': {
    summary:
      'One message to many chats: listed in it, saved as an audience, or in the part `recipients` of a form ' +
      'whose part `message` is this JSON',
    body: Broadcast,
    forms: ['multipart/form-data'],
    answers: { 202: BroadcastAnswer },
  },
  'GET /v1/broadcasts': { summary: 'Broadcasts, newest first', query: BroadcastsQuery },
  'GET /v1/broadcasts/{id}': {
    summary: 'How far it is, how fast it goes, when it will be done',
    answers: { 200: BroadcastAnswer },
  },
  'GET /v1/broadcasts/{id}/recipients': {
    summary: 'What became of each recipient',
    query: RecipientsQuery,
  },
  'POST /v1/broadcasts/{id}/pause': {
    summary: 'Send to nobody further, until it is resumed',
    answers: { 200: BroadcastAnswer },
  },
  'POST /v1/broadcasts/{id}/resume': { summary: 'Go on', answers: { 200: BroadcastAnswer } },
  'POST /v1/broadcasts/{id}/cancel': {
    summary: 'Send to nobody further, for good',
    answers: { 200: BroadcastAnswer },
  },
  'PUT /v1/audiences/{name}': {
    summary: 'Save a list of recipients under a name; the body is the list',
    query: AudienceQuery,
    forms: Object.keys(LIST_TYPES),
    answers: { 201: {} },
  },
  'GET /v1/audiences': { summary: 'Saved audiences, by name', query: BroadcastsQuery },
  'DELETE /v1/audiences/{name}': { summary: 'Forget the name; broadcasts keep who is in it' },
  'GET /v1/dead': { summary: 'Dead letters, listed or grouped by cause', query: DeadQuery },
  'POST /v1/dead/retry': {
    summary: 'Queue dead letters again, by ids or filter; repeat with `next` until it is null',
    body: DeadCommand,
  },
  'POST /v1/dead/discard': {
    summary: 'Give dead letters up, by ids or filter; repeat with `next` until it is null',
    body: DeadCommand,
  },
  'PATCH /v1/dead/{id}': { summary: 'Change the content and queue it again', body: DeadEdit },
  'GET /v1/accounts': { summary: 'Accounts, their breakers and queues' },
  'GET /v1/accounts/{id}/webhook': { summary: 'Where updates are to be posted, and the secret' },
  'POST /webhook/telegram/{account}': { summary: 'One update, as Telegram posts it' },
  'POST /v1/accounts/{id}/pause': { summary: 'Send nothing more for this account' },
  'POST /v1/accounts/{id}/resume': { summary: 'Go on sending for this account' },
  'GET /v1/limits': { summary: 'Budgets, learned rates and freezes', query: LimitsQuery },
  'GET /v1/queue': {
    summary: 'Who waits: the first of each lane, those that wait longest first, with the reason',
    query: QueueQuery,
  },
  'GET /v1/overview': { summary: 'The gateway at a glance, with the last quarter of an hour' },
  'GET /v1/overview/events': {
    summary: 'The overview, then what changed of it once a second, as server-sent events',
  },
  'GET /v1/events': {
    summary: 'Server-sent events of attempts, moves and streams',
    query: EventsQuery,
  },
  'GET /v1/terminal/{chat}': {
    summary: 'What is on a terminal’s screen, then every change, as server-sent events',
    query: TerminalQuery,
  },
  'GET /v1/sandbox': { summary: 'Bots and chats of the built-in simulator' },
  'GET /v1/sandbox/messages': {
    summary: 'What was said in a chat of the simulator',
    query: SandboxQuery,
  },
  'POST /v1/sandbox/messages': {
    summary: 'Write to a bot of the simulator, as a person would',
    body: SandboxWriting,
  },
  'POST /v1/sandbox/chats': {
    summary: 'Block the bot in a chat of the simulator, or have it refuse the chat for a while',
    body: SandboxTrouble,
  },
  ...KEY_OPERATIONS,
  'GET /queue/stats': { summary: 'Depths of the queue' },
  'GET /health': { summary: 'Whether the process serves' },
  'GET /health/details': { summary: 'Whether its parts work: ok, stale or down' },
  'GET /metrics': { summary: 'Prometheus metrics' },
  'GET /openapi.json': { summary: 'This description' },
};

export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, operation] of Object.entries(OPERATIONS)) {
    const [verb, path] = route.split(' ') as [string, string];
    paths[path] ??= {};
    paths[path][verb.toLowerCase()] = describe(verb, path, operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      description: `Refusals carry one of these codes: ${Object.keys(ERRORS).join(', ')}.`,
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: ProblemAnswer },
    },
    security: [{ key: [] }],
    paths,
  };
}

function describe(verb: string, path: string, operation: Operation): object {
  const answers = operation.answers ?? { 200: {} };
  const responses: Record<string, object> = {
    default: {
      description: 'A problem',
      content: {
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    },
  };
  for (const [status, schema] of Object.entries(answers)) {
    responses[status] = { description: 'Done', content: { 'application/json': { schema } } };
  }
  const { summary } = operation;
  const parameters = [...pathParameters(path), ...queryParameters(operation.query)];
  const { role } = accessOf(verb, path.replace(/\{(\w+)\}/g, ':$1'));
  const isOpen = role === 'anyone';
  return {
    summary,
    description: isOpen ? 'Needs no key.' : roleInWords(role),
    ...(isOpen ? { security: [] } : {}),
    parameters,
    ...requestBody(operation),
    responses,
  };
}

function roleInWords(role: Access['role']): string {
  if (role === 'watcher') return 'Needs a key of the role viewer, except on loopback.';
  return `Needs a key of the role ${role}.`;
}

function requestBody({ body, forms = [] }: Operation): object {
  if (body === undefined && forms.length === 0) return {};
  const content: Record<string, object> = {};
  if (body !== undefined) content['application/json'] = { schema: body };
  for (const form of forms) content[form] = { schema: { type: 'string' } };
  return { requestBody: { required: true, content } };
}

function pathParameters(path: string): object[] {
  const names = path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(query: TSchema | undefined): object[] {
  if (query === undefined || !('properties' in query)) return [];
  const properties = query.properties as Readonly<Record<string, object>>;
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}
