// /openapi.json, put together from the routes, with the same schemas that check the requests. A test sends its examples
// to a running gateway.

import type { TSchema } from 'typebox';
import { FanOutMessage, Message, ProblemAnswer, Receipt, Result } from '../../accept/schema.ts';
import { ERRORS } from '../../domain/errors.ts';
import { Account } from '../accounts/accounts.ts';
import type { Access } from '../auth/access.ts';
import { ApiKey, KeyAnswer, Me, NewKeyAnswer, VirtualToken } from '../auth/schema.ts';
import { Audience, Broadcast, BroadcastAnswer } from '../broadcasts/schema.ts';
import { Delivery, DeliveryStory, Explanation, Waiting } from '../messages/answers.ts';
import { type Example, type Route, type RouteFacts, TAGS, type Tag } from '../route.ts';
import { Stream, StreamAnswer, StreamFanOut } from '../streams/schema.ts';
import { OverviewAnswer } from '../watch/overview.ts';
import type {
  DescribedAnswer,
  DescribedOperation,
  DescribedParameter,
  Description,
  MediaContent,
  Schema,
} from './description.ts';
import { DROP_IN } from './drop-in.ts';

// Said once, and named wherever it stands.
const NAMED = {
  ...{ Message, FanOutMessage, Receipt, Result, Problem: ProblemAnswer },
  ...{ Delivery, DeliveryStory, Explanation, Waiting },
  ...{ Stream, StreamFanOut, StreamState: StreamAnswer },
  ...{ Broadcast, BroadcastState: BroadcastAnswer, Audience },
  ...{ ApiKey, VirtualToken, Key: KeyAnswer, NewKey: NewKeyAnswer, Me },
  ...{ Account, Overview: OverviewAnswer },
};
const NAMES = new Map<object, string>(Object.entries(NAMED).map(([name, one]) => [one, name]));

const ANSWERS: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted: it is on disk',
  204: 'Done; there is nothing to say',
  207: 'Each item’s own status is in it',
  303: 'Leads to the dashboard',
  404: 'There is no such thing',
  503: 'A part is down',
};
const REFUSED = 'Refused, in the words of the platform';

export function openApi(routes: readonly Route[]): Description {
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const route of [...routes, DROP_IN]) {
    const path = pathOf(route);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describe(path, route);
  }
  const schemas = Object.entries(NAMED).map(([name, schema]) => [name, inside(schema)]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      description:
        'A durable, paced delivery gateway for chat platforms. The platforms’ own APIs are served beside this one, ' +
        `under their own paths. Refusals carry one of these codes: ${Object.keys(ERRORS).join(', ')}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The gateway that this was read from' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name: name as Tag, description })),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(schemas) as Record<string, Schema>,
    },
    security: [{ key: [] }],
    paths,
  };
}

// As the description writes it: `{id}`, not `:id`.
function pathOf({ url }: RouteFacts): string {
  return url.replaceAll(/:(\w+)/g, '{$1}');
}

function describe(path: string, route: RouteFacts): DescribedOperation {
  const { tag, summary, examples } = route;
  const { role } = route.access;
  const isOpen = role === 'anyone';
  return {
    operationId: operationIdOf(route.method, path),
    tags: [tag],
    summary,
    description: isOpen ? 'Needs no key.' : roleInWords(role),
    ...(isOpen ? { security: [] } : {}),
    parameters: [
      ...pathParameters(path, examples),
      ...queryParameters(route.query, examples),
      ...headerParameters(route.headers, examples),
    ],
    ...requestBody(route),
    responses: answersOf(route),
  };
}

function operationIdOf(verb: string, path: string): string {
  const words = path.split(/[^a-z0-9]+/i).filter((word) => word !== '' && word !== 'v1');
  return [verb.toLowerCase(), ...words].join('_');
}

function roleInWords(role: Access['role']): string {
  if (role === 'watcher') return 'Needs a key of the role viewer, except on loopback.';
  return `Needs a key of the role ${role}.`;
}

function answersOf(route: RouteFacts) {
  const { answers, answerHeaders, answerType = 'application/json' } = route;
  const told: Pick<DescribedAnswer, 'headers'> =
    answerHeaders === undefined ? {} : { headers: headersOf(answerHeaders) };
  const responses: Record<string, DescribedAnswer> = {};
  for (const [status, schema] of Object.entries(answers)) {
    const type = schema === ProblemAnswer ? 'application/problem+json' : answerType;
    const content = schema === null ? {} : { content: { [type]: { schema: named(schema) } } };
    responses[status] = { description: ANSWERS[status] ?? 'Done', ...told, ...content };
  }
  if (route === DROP_IN) return { ...responses, '4XX': { description: REFUSED, ...told } };
  const content = { 'application/problem+json': { schema: named(ProblemAnswer) } };
  return {
    ...responses,
    '4XX': { description: 'Refused: `code` says why', content },
    default: { description: 'It failed here: `code` says why', content },
  };
}

function headersOf(headers: NonNullable<Route['answerHeaders']>) {
  const described = Object.entries(headers).map(([name, description]) => {
    return [name, { description, schema: { type: 'string' } as Schema }] as const;
  });
  return Object.fromEntries(described);
}

function requestBody({ body, forms = [], examples }: RouteFacts) {
  if (body === undefined && forms.length === 0) return {};
  const content: Record<string, MediaContent> = {};
  if (body !== undefined) {
    const given = examplesOf(examples, (example) => example.body);
    content['application/json'] = { schema: named(body), ...given };
  }
  for (const form of forms) {
    const given = examplesOf(examples, ({ text }) =>
      text?.type === form ? text.content : undefined,
    );
    content[form] = { schema: { type: 'string' }, ...given };
  }
  return { requestBody: { required: true, content } };
}

function pathParameters(path: string, examples: Route['examples']): DescribedParameter[] {
  const names = path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...examplesOf(examples, ({ params }) => params?.[name]),
  }));
}

function queryParameters(
  query: TSchema | undefined,
  examples: Route['examples'],
): DescribedParameter[] {
  if (query === undefined || !('properties' in query)) return [];
  const { properties, required = [] } = query as {
    properties: Readonly<Record<string, Schema>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) ? { required: true } : {}),
    schema: named(schema),
    ...examplesOf(examples, (example) => example.query?.[name]),
  }));
}

function headerParameters(
  headers: Route['headers'],
  examples: Route['examples'],
): DescribedParameter[] {
  return Object.entries(headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
    ...examplesOf(examples, (example) => example.headers?.[name]),
  }));
}

function examplesOf(
  examples: Route['examples'],
  part: (example: Example) => unknown,
): Pick<MediaContent, 'examples'> {
  const given = Object.entries(examples)
    .map(([name, example]) => [name, { value: part(example) }] as const)
    .filter(([, { value }]) => value !== undefined);
  return given.length === 0 ? {} : { examples: Object.fromEntries(given) };
}

function named(schema: object): Schema {
  const name = NAMES.get(schema);
  return name === undefined ? inside(schema) : { $ref: `#/components/schemas/${name}` };
}

function inside(schema: object): Schema {
  const walked = Object.entries(schema).map(([key, value]) => [key, walk(value)]);
  return Object.fromEntries(walked) as Schema;
}

function walk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walk);
  return typeof value === 'object' && value !== null ? named(value) : value;
}
