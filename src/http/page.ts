// The page's routes, `/` and `/page/`. What they answer is the dashboard's; who may ask, and the reply, are here.

import type { FastifyInstance, FastifyReply } from 'fastify';

interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

// What is needed of the page. `accepted`: the request's `accept-encoding`.
export interface PagePort {
  index(accepted: string): Promise<PageAnswer>;
  // null: there is no such file.
  file(name: string, accepted: string): Promise<PageAnswer | null>;
}

// The page holds no data; what it shows it asks for with the key of whoever looks. Other sites may link to it.
const FILES_ACCESS = { role: 'anyone', reach: 'open' } as const;
const INDEX_ACCESS = { ...FILES_ACCESS, linked: true } as const;

// Who may use them, for the tables of all routes.
export const PAGE_ROUTES = [
  { method: 'GET', url: '/', access: INDEX_ACCESS },
  { method: 'GET', url: '/page/:file', access: FILES_ACCESS },
] as const;
const [INDEX_ROUTE, FILE_ROUTE] = PAGE_ROUTES;

export function addPageRoutes(app: FastifyInstance, page: PagePort): void {
  const { url, access } = INDEX_ROUTE;
  app.get(url, { config: { access } }, async ({ headers }, reply) =>
    send(reply, await page.index(headers['accept-encoding'] ?? '')),
  );
  const config = { access: FILE_ROUTE.access };
  app.get<{ Params: { file: string } }>(FILE_ROUTE.url, { config }, async (request, reply) => {
    const { params, headers } = request;
    const found = await page.file(params.file, headers['accept-encoding'] ?? '');
    return found === null ? reply.callNotFound() : send(reply, found);
  });
}

function send(reply: FastifyReply, { status, headers, body }: PageAnswer): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}
