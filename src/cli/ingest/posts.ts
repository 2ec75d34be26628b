// sluice ingest posts, sluice ingest export: what was read, for people and as a file.

import type { Command } from 'commander';
import { addClientOptions, type Client, connect } from '../client.ts';
import { type Io, printJson } from '../io.ts';
import { postsListed, type ShownPost } from './view.ts';

interface PostsOptions {
  readonly text?: string;
  readonly after?: string;
  readonly limit: string;
  readonly json?: true;
}

interface ExportOptions {
  readonly format: 'ndjson' | 'csv';
  readonly text?: string;
  readonly after?: string;
}

interface Page {
  readonly posts: readonly ShownPost[];
  readonly next: string | null;
}

export function addPosts(ingest: Command, io: Io): void {
  const command = ingest
    .command('posts')
    .description('posts that were read, newest first')
    .argument('[source]', 'of this source (default: of all)')
    .option('--text <words>', 'with this in their text')
    .option(
      '--after <when>',
      'posted at or after (ISO 8601), or of one source above this message id',
    )
    .option('--limit <n>', 'at most so many, up to 1000', '20');
  addClientOptions(command).action(async (source: string | undefined, options: PostsOptions) => {
    const client = connect(io, { ...options });
    const posts: ShownPost[] = [];
    const wanted = Number(options.limit);
    for await (const page of pages(client, { ...options, ...(source && { source }) })) {
      posts.push(...page.posts);
      if (posts.length >= wanted) break;
    }
    const shown = posts.slice(0, wanted);
    if (options.json) printJson(io, shown);
    else io.out(shown.length === 0 ? 'no posts' : postsListed(shown));
  });
}

export function addExport(ingest: Command, io: Io): void {
  const command = ingest
    .command('export')
    .description('all posts, oldest first, a line each')
    .argument('[source]', 'of this source (default: of all)')
    .option('--text <words>', 'with this in their text')
    .option(
      '--after <when>',
      'posted at or after (ISO 8601), or of one source above this message id',
    );
  command.addOption(
    command
      .createOption('--format <format>', 'a JSON document a line, or comma-separated values')
      .choices(['ndjson', 'csv'])
      .default('ndjson'),
  );
  addClientOptions(command).action(async (source: string | undefined, options: ExportOptions) => {
    const client = connect(io, { ...options });
    const query = queryOf({ ...options, ...(source && { source }) });
    for await (const line of client.lines(`/v1/ingest/export?${query}`)) io.out(line);
  });
}

interface Asked {
  readonly source?: string;
  readonly text?: string;
  readonly after?: string;
  readonly limit?: string;
  readonly format?: string;
}

function queryOf(asked: Asked): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ['source', 'text', 'after', 'limit', 'format'] as const) {
    const value = asked[name];
    if (value !== undefined) query.set(name, value);
  }
  return query;
}

async function* pages(client: Client, asked: Asked): AsyncGenerator<Page> {
  const query = queryOf(asked);
  for (;;) {
    const page = (await client.call('GET', `/v1/ingest/posts?${query}`)) as Page;
    yield page;
    if (page.next === null) return;
    query.set('cursor', page.next);
  }
}
