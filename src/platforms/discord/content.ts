// What a call leaves in a message, as text that is equal when the content is; and what a message says in words.

import { scalarText } from '../../domain/scalar.ts';
import { contentOf } from '../content.ts';
import type { Touch } from '../platform.ts';
import type { DiscordParams } from './describe.ts';
import { withoutEscapes } from './markdown.ts';
import { routeOf } from './routes.ts';

// They say where it goes and how, not what it is.
const PLACE = ['channel_id', 'message_id', 'webhook_id', 'thread_id', 'nonce', 'enforce_nonce'];

export function touch(method: string, body: string): Touch | null {
  const route = routeOf(method);
  if (route === null || route.kind === 'interaction') return null;
  const isNew = method === 'createMessage' || method === 'executeWebhook';
  if (!isNew && route.family !== 'edit' && route.family !== 'delete') return null;
  const params = JSON.parse(body) as DiscordParams;
  if (isNew) return { messages: [], content: contentOf(body, params, PLACE) };
  const many: unknown[] = Array.isArray(params.messages) ? params.messages : [params.message_id];
  const messages = many.map(scalarText).filter((id) => id !== '');
  return { messages, content: route.family === 'edit' ? contentOf(body, params, PLACE) : null };
}

export function wording(_method: string, { content, embeds }: DiscordParams): string | null {
  if (typeof content === 'string' && content !== '') return withoutEscapes(content);
  const [embed] = Array.isArray(embeds) ? (embeds as unknown[]) : [];
  if (typeof embed !== 'object' || embed === null) return null;
  const { title, description } = embed as DiscordParams;
  const words = [title, description].filter((part) => typeof part === 'string' && part !== '');
  return words.length === 0 ? null : words.join('\n');
}
