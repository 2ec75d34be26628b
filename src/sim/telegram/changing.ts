// Methods that change what is already in a chat, or only show something: edits, deletions, pins, reactions,
// typing and drafts.

import { intOf, listOf, type SimParams, textOf } from '../params.ts';
import {
  act,
  charge,
  isThere,
  namedTopic,
  no,
  type Planned,
  type Scene,
  target,
  topicOf,
} from './act.ts';
import { badRequest, NOT_MODIFIED, type SimRefusal } from './answers.ts';
import { argOf, isObject, jsonArg, requiredProblem } from './args.ts';
import { chatView } from './chats.ts';
import {
  actionProblem,
  keyboardProblem,
  mediaProblem,
  messageIdsProblem,
  reactionProblem,
} from './forms.ts';
import {
  contentOf,
  keyboardOf,
  type ReadText,
  readCaption,
  readText,
  shownText,
} from './sending.ts';

export type Edited = 'text' | 'caption' | 'media' | 'markup';

export function edit(scene: Scene, what: Edited): Planned {
  const id = Math.max(0, intOf(scene.params, 'message_id') ?? 0);
  const fresh = readNew(scene.params, what);
  if ('status' in fresh) return no(fresh);
  if (textOf(scene.params, 'chat_id') === '' && id === 0) {
    if (textOf(scene.params, 'inline_message_id') === '') return no(NO_MESSAGE);
    return act({ text: fresh.text, run: () => ({ result: true, messageIds: [] }) });
  }
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const known = scene.messages.get(scene.bot.id, to.chat.id, id);
  const read: ReadText = what === 'markup' && known !== null ? known : fresh;
  const { text, entities } = read;
  const content = contentOf(scene.params, read);
  let backend: SimRefusal | null = to.backend;
  if (backend === null && !isThere(scene, to.chat, id)) {
    backend = badRequest('message to edit not found');
  }
  if (backend === null && what !== 'media' && known?.content === content) backend = NOT_MODIFIED;
  return act({
    chat: to.chat,
    thread: known?.thread ?? null,
    charge: charge(scene, to.chat, 'edit', 1),
    backend,
    text,
    run(at) {
      if (known !== null) Object.assign(known, { text, entities, content });
      const edit_date = Math.floor(at / 1000);
      const date = known?.date ?? edit_date;
      const body = shownText(what === 'caption' ? 'caption' : '', text, entities);
      const from = to.chat.kind === 'channel' ? {} : { from: scene.bot.view };
      const view = { message_id: id, ...from, chat: chatView(to.chat), date, edit_date, ...body };
      const keyboard = keyboardOf(scene.params);
      const result = keyboard === null ? view : { ...view, reply_markup: keyboard };
      return { result, messageIds: [id] };
    },
  });
}

const NO_CHAT = badRequest('chat identifier is not specified');
const NO_MESSAGE = badRequest('message identifier is not specified');

function readNew(params: SimParams, what: Edited): ReadText | SimRefusal {
  const markup = keyboardProblem(params);
  switch (what) {
    case 'text': {
      const read = readText(params);
      return 'status' in read || markup === null ? read : badRequest(markup);
    }
    case 'caption':
      return markup === null ? readCaption(params) : badRequest(markup);
    case 'media':
      return markup === null ? readMedia(params) : badRequest(markup);
    case 'markup':
      return markup === null ? { text: '', entities: [] } : badRequest(markup);
  }
}

function readMedia(params: SimParams): ReadText | SimRefusal {
  const missing = requiredProblem(params, 'media');
  if (missing !== null) return badRequest(missing);
  const arg = jsonArg(params, 'media');
  if (arg.kind !== 'value') return badRequest("can't parse input media JSON object");
  const caption = isObject(arg.value) ? readCaption(arg.value) : null;
  if (caption !== null && 'status' in caption) return caption;
  const problem = mediaProblem(params, arg.value, false);
  if (problem !== null) return badRequest(`can't parse InputMedia: ${problem}`);
  return { text: argOf(params, 'media'), entities: [] };
}

export function deleteMessages(scene: Scene, isBatch: boolean): Planned {
  const { params } = scene;
  const id = Math.max(0, intOf(params, 'message_id') ?? 0);
  if (!isBatch && textOf(params, 'chat_id') === '') return no(NO_CHAT);
  if (!isBatch && id === 0) return no(NO_MESSAGE);
  const problem = isBatch ? messageIdsProblem(params) : null;
  if (problem !== null) return no(badRequest(problem));
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const ids = isBatch ? listOf(scene.params, 'message_ids').map(Number) : [id];
  const found = ids.filter((id) => isThere(scene, to.chat, id));
  const isMissing = !isBatch && found.length === 0;
  return act({
    chat: to.chat,
    backend: to.backend ?? (isMissing ? badRequest('message to delete not found') : null),
    run() {
      for (const id of found) {
        const known = scene.messages.get(scene.bot.id, to.chat.id, id);
        if (known !== null) known.isDeleted = true;
      }
      return { result: true, messageIds: found };
    },
  });
}

// Without a message: whatever is pinned, which only unpinning can mean.
export function pin(scene: Scene, what: 'pin' | 'unpin' | 'unpin all'): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const id = what === 'unpin all' ? 0 : Math.max(0, intOf(scene.params, 'message_id') ?? 0);
  const isNamed = what === 'pin' || id > 0;
  const isMissing = isNamed && !isThere(scene, to.chat, id);
  return act({
    chat: to.chat,
    backend: to.backend ?? (isMissing ? badRequest(`message to ${what} not found`) : null),
    run: () => ({ result: true, messageIds: [] }),
  });
}

// Marks that are not valid reactions of a bot.
const NO_REACTIONS = ['✅', '❌'];

export function react(scene: Scene): Planned {
  const problem = reactionProblem(scene.params);
  if (problem !== null) return no(badRequest(problem));
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const isInvalid = NO_REACTIONS.some((mark) => JSON.stringify(scene.params).includes(mark));
  if (isInvalid) return no(badRequest('REACTION_INVALID'));
  const isMissing = !isThere(scene, to.chat, intOf(scene.params, 'message_id') ?? 0);
  return act({
    chat: to.chat,
    charge: charge(scene, to.chat, 'reaction', 1),
    backend: to.backend ?? (isMissing ? badRequest('message to react not found') : null),
    run: () => ({ result: true, messageIds: [] }),
  });
}

// Nobody looks whether the topic is there, and General may be named; only a chat that can never have topics refuses.
export function showTyping(scene: Scene): Planned {
  const problem = actionProblem(scene.params);
  if (problem !== null) return no(badRequest(problem));
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const { kind } = to.chat;
  const isBusiness = textOf(scene.params, 'business_connection_id') !== '';
  if (!isBusiness && namedTopic(scene.params) !== 0 && (kind === 'group' || kind === 'channel')) {
    return no(badRequest('chat is not a forum'));
  }
  return act({
    chat: to.chat,
    thread: topicOf(scene, to.chat),
    charge: charge(scene, to.chat, 'typing', 1),
    backend: to.backend,
    run: () => ({ result: true, messageIds: [] }),
  });
}

// A draft is shown for half a minute and is in no history; an empty text means "thinking".
export function draft(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const { params } = scene;
  if (to.chat.kind !== 'private') return no(badRequest('TEXTDRAFT_PEER_INVALID'));
  if ((intOf(params, 'draft_id') ?? 0) === 0) return no(badRequest('RANDOM_ID_INVALID'));
  const isThinking = textOf(params, 'text') === '' && params.rich_message === undefined;
  const read = isThinking ? { text: '' } : readText(params);
  if ('status' in read) return no(read);
  return act({
    chat: to.chat,
    thread: topicOf(scene, to.chat),
    charge: charge(scene, to.chat, 'typing', 1),
    backend: to.backend,
    text: read.text,
    run: () => ({ result: true, messageIds: [] }),
  });
}
