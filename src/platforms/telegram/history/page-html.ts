// The public page of a channel (t.me/s/<name>) as posts. The page is Telegram's own, so it is read by the standard's
// algorithm (parse5); what it says is taken from the classes that its own script goes by. An album is one block on the
// page: it becomes one post under the block's id, because the page does not say which text belongs to which part.

import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { MediaReference, ReadPost } from '../../history.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface ChannelPage {
  // null: it is not the page of a channel that shows its posts.
  readonly channel: { readonly name: string; readonly title: string } | null;
  // Ascending.
  readonly posts: readonly ReadPost[];
}

// Deeper than any page of Telegram's; what lies below is not read.
const DEPTH_MAX = 200;

const BLOCK = 'tgme_widget_message';
const MEDIA: Readonly<Record<string, string>> = {
  tgme_widget_message_photo_wrap: 'photo',
  tgme_widget_message_video_player: 'video',
  tgme_widget_message_roundvideo_player: 'video_note',
  tgme_widget_message_voice_player: 'voice',
  tgme_widget_message_document_wrap: 'document',
  tgme_widget_message_sticker_wrap: 'sticker',
  tgme_widget_message_poll: 'poll',
  tgme_widget_message_location_wrap: 'location',
};

export function readChannelPage(html: string): ChannelPage {
  const posts: ReadPost[] = [];
  let name: string | null = null;
  let title: string | null = null;
  visit(parse(html), (element) => {
    if (hasClass(element, BLOCK)) {
      const post = readPost(element);
      if (post !== null) posts.push(post);
      return 'seen';
    }
    if (hasClass(element, 'tgme_channel_info_header_title')) title ??= textOf(element).trim();
    else if (hasClass(element, 'tgme_channel_info_header_username'))
      name ??= nameIn(textOf(element));
    else return 'go_on';
    return 'seen';
  });
  posts.sort((a, b) => Number(a.id) - Number(b.id));
  return { channel: name === null ? null : { name, title: title ?? name }, posts };
}

function readPost(block: Element): ReadPost | null {
  const id = /^[\w-]{1,64}\/(\d{1,18})$/.exec(attribute(block, 'data-post') ?? '')?.[1];
  if (id === undefined || hasClass(block, 'service_message')) return null;
  const found = { text: '', date: Number.NaN, author: null as string | null };
  const media: MediaReference[] = [];
  visit(block, (element) => {
    const kind = mediaKind(element);
    if (kind !== null) media.push(readMedia(kind, element));
    // Long posts have one within the other: the outer one has it all.
    else if (hasClass(element, 'js-message_text')) found.text ||= textOf(element).trim();
    else if (hasClass(element, 'tgme_widget_message_from_author'))
      found.author = textOf(element).trim();
    else if (element.tagName === 'time' && hasClass(element, 'time'))
      found.date = Date.parse(attribute(element, 'datetime') ?? '');
    else return 'go_on';
    return 'seen';
  });
  if (Number.isNaN(found.date)) return null;
  return {
    ...{ id: String(BigInt(id)), date: found.date, text: found.text, author: found.author },
    // It says that a post was edited, not when.
    editedAt: null,
    groupId: null,
    media,
  };
}

function mediaKind(element: Element): string | null {
  for (const name of classesOf(element)) if (Object.hasOwn(MEDIA, name)) return MEDIA[name]!;
  return null;
}

function readMedia(kind: string, element: Element): MediaReference {
  let name: string | null = null;
  // Where the picture or the film lies; those of other kinds have no address on the page.
  let reference = addressOf(element);
  visit(element, (inner) => {
    reference ??= addressOf(inner);
    if (!hasClass(inner, 'tgme_widget_message_document_title')) return 'go_on';
    name ??= textOf(inner).trim();
    return 'seen';
  });
  return { kind, name, bytes: null, reference };
}

function addressOf(element: Element): string | null {
  const style = /url\('(https?:[^'\s]{1,2000})'\)/.exec(attribute(element, 'style') ?? '')?.[1];
  const address = attribute(element, 'src') ?? attribute(element, 'data-webp') ?? style;
  return address?.startsWith('http') ? address : null;
}

function nameIn(text: string): string | null {
  return /^@?([A-Za-z]\w{3,63})$/.exec(text.trim())?.[1] ?? null;
}

// In the order of the document, below the node. What lies in an element that was seen is not looked at again, so that
// whatever is nested in itself costs no more than its length.
function visit(node: Node, look: (element: Element) => 'seen' | 'go_on', depth = 0): void {
  if (depth > DEPTH_MAX || !('childNodes' in node)) return;
  for (const child of node.childNodes) {
    if ('tagName' in child && look(child) === 'go_on') visit(child, look, depth + 1);
  }
}

function textOf(root: Element): string {
  const parts: string[] = [];
  collectText(root, parts, 0);
  return parts.join('');
}

function collectText(node: Node, parts: string[], depth: number): void {
  if (node.nodeName === '#text' && 'value' in node) parts.push(node.value);
  if (node.nodeName === 'br') parts.push('\n');
  if (depth > DEPTH_MAX || !('childNodes' in node)) return;
  for (const child of node.childNodes) collectText(child, parts, depth + 1);
}

function hasClass(element: Element, name: string): boolean {
  return classesOf(element).includes(name);
}

function classesOf(element: Element): readonly string[] {
  return (attribute(element, 'class') ?? '').split(/\s/);
}

function attribute(element: Element, name: string): string | null {
  return element.attrs.find((each) => each.name === name)?.value ?? null;
}
