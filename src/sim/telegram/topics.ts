// What changes a chat itself and is told in it by a message: its topics, its title, its photo. And gifts, which are
// told to whom they go.

import { intOf, textOf } from '../params.ts';
import { act, charge, namedTopic, no, type Planned, type Scene, target, topicOf } from './act.ts';
import { badRequest, type SimRefusal } from './answers.ts';
import type { SimChat } from './chats.ts';
import { makeMessage } from './sending.ts';
import { isPart } from './uploads.ts';

export function createTopic(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const name = textOf(scene.params, 'name');
  if (name.trim() === '') return no(badRequest('name must be non-empty'));
  return act({
    chat: to.chat,
    charge: charge(scene, to.chat, 'message', 1),
    backend: to.backend ?? notForum(to.chat, true),
    text: name,
    run(at) {
      // The first message of a forum is that it was made: the number of General.
      to.chat.lastMessageId = Math.max(1, to.chat.lastMessageId);
      makeMessage(scene, to.chat, at, '', { text: name, entities: [] });
      const message_thread_id = to.chat.lastMessageId;
      return {
        result: { message_thread_id, name, icon_color: 7_322_096 },
        messageIds: [message_thread_id],
      };
    },
  });
}

// `topic`: it is one of the numbered (General has a number here too); if not, General. Names can be changed in
// private chats, and nothing else.
export function changeTopic(scene: Scene, what: string, topic: boolean): Planned {
  const name = textOf(scene.params, 'name');
  const isRenamed = what.endsWith('edited');
  return announce(scene, name === '' ? what : `${what}: ${name}`, (chat) => {
    const refusal = notForum(chat, isRenamed);
    if (refusal !== null) return refusal;
    const isNone = topic && namedTopic(scene.params) === 0;
    return isNone ? badRequest('invalid forum topic identifier specified') : null;
  });
}

// Told by nothing in the chat.
export function deleteTopic(scene: Scene): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  const { chat } = to;
  const isNone = namedTopic(scene.params) === 0;
  const none = isNone ? badRequest('invalid forum topic identifier specified') : null;
  const backend = to.backend ?? notForum(chat, true) ?? none;
  return act({ chat, backend, run: () => ({ result: true, messageIds: [] }) });
}

export function changeChat(scene: Scene, what: string, needs: string | null): Planned {
  const given = needs === null ? '' : textOf(scene.params, needs);
  if (needs !== null && given === '') {
    return no(
      badRequest(
        needs === 'photo' ? 'there is no photo in the request' : 'title must be non-empty',
      ),
    );
  }
  if (needs === 'photo' && !isPart(given)) {
    return no(badRequest('photo must be uploaded as an InputFile'));
  }
  return announce(scene, needs === 'title' ? `${what}: ${given}` : what, notGroup);
}

// To a user by the id of the private chat with it.
export function gift(scene: Scene, what: string): Planned {
  const user = intOf(scene.params, 'user_id');
  const params = user === null ? scene.params : { ...scene.params, chat_id: user };
  return announce({ ...scene, params }, what, () => null);
}

function announce(
  scene: Scene,
  text: string,
  refusal: (chat: SimChat) => SimRefusal | null,
): Planned {
  const to = target(scene);
  if (to.kind === 'refused') return to;
  return act({
    chat: to.chat,
    thread: topicOf(scene, to.chat),
    charge: charge(scene, to.chat, 'message', 1),
    backend: to.backend ?? refusal(to.chat),
    text,
    run(at) {
      makeMessage(scene, to.chat, at, '', { text, entities: [] });
      return { result: true, messageIds: [to.chat.lastMessageId] };
    },
  });
}

// Bots have topics in private chats too (`has_topics_enabled`), of which not everything can be changed.
function notForum(chat: SimChat, inPrivate: boolean): SimRefusal | null {
  if (chat.isForum || (inPrivate && chat.kind === 'private')) return null;
  const what = chat.kind === 'private' ? 'a supergroup forum' : 'a forum';
  return badRequest(`the chat is not ${what}`);
}

function notGroup(chat: SimChat): SimRefusal | null {
  return chat.kind === 'private' ? badRequest("can't change private chats") : null;
}
