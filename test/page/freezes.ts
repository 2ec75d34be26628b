// The operator's hand on the limits: what is frozen or thawed on the page is what the gateway then has.

import { describe, expect, test } from 'vitest';
import { Visitor } from './browser.ts';
import { BOT, FROZEN } from './scene.ts';
import type { Stage } from './stage.ts';

const CHAT = '44';
const OTHER = '55';

interface Freeze {
  readonly scope: string;
  readonly until: string;
  readonly cause: string;
}

export function freezesByHand(stage: Stage): void {
  const { answer, toast, field } = stage.parts;
  const page = () => stage.page;
  const row = (chat: string) => page().locator('.chat-row', { hasText: chat });
  const dialog = () => page().getByRole('dialog');

  // Those of the chat that hold now; '': of the account.
  async function freezesOf(chat: string): Promise<readonly Freeze[]> {
    const query = new URLSearchParams({ account: BOT, frozen: 'true', limit: '100' });
    const { limits } = await stage.scene.get(`/v1/limits?${query}`);
    const found = limits as { chat: string; freezes: Freeze[] }[];
    return found.find((each) => each.chat === chat)?.freezes ?? [];
  }

  describe('freezes by hand', () => {
    test('a chat is frozen for a time with its reason, and thawed only by a yes', async () => {
      const { scene, visitor } = stage;
      await scene.send(CHAT, 'Before', { wait: true });
      await visitor.see(`chats?find=${CHAT}`);
      await row(CHAT).getByText('open', { exact: true }).waitFor();
      await row(CHAT).getByRole('button', { name: 'Freeze…' }).click();
      await answer('Cancel');
      expect(await freezesOf(CHAT)).toEqual([]);
      await row(CHAT).getByRole('button', { name: 'Freeze…' }).click();
      await dialog().getByLabel('For').selectOption('1 hour');
      await field('Reason').fill('maintenance');
      await answer('Freeze');
      await toast(`chat ${CHAT} is frozen until`);
      await row(CHAT).getByText('by hand: maintenance').waitFor();
      await row(CHAT)
        .getByText(/until .*\d\d:\d\d \((1 h|59 m)/)
        .waitFor();
      const [freeze] = await freezesOf(CHAT);
      expect(freeze).toMatchObject({ scope: 'chat', cause: 'by hand: maintenance' });
      const { id } = await scene.send(CHAT, 'Held back');
      await row(CHAT).getByRole('button', { name: 'Thaw now' }).click();
      await dialog().getByText('One call goes first').waitFor();
      await answer('Cancel');
      expect(await freezesOf(CHAT)).toEqual([freeze]);
      await row(CHAT).getByRole('button', { name: 'Thaw now' }).click();
      await answer('Thaw now');
      await toast(`chat ${CHAT} goes on`);
      await scene.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
      await row(CHAT).getByText('open', { exact: true }).waitFor();
    });

    test('what somebody else freezes is shown, also while messages go out all the time', async () => {
      const { scene, visitor } = stage;
      await visitor.see(`chats?find=${CHAT}`);
      await row(CHAT).getByText('open', { exact: true }).waitFor();
      await scene.post('/v1/limits/freeze', { account: BOT, chat: CHAT, seconds: 600 });
      let isOver = false;
      const shown = row(CHAT)
        .getByText('by hand')
        .waitFor()
        .finally(() => {
          isOver = true;
        });
      const traffic = async () => {
        while (!isOver) await scene.send(OTHER, 'More', { wait: true });
      };
      await Promise.all([shown, traffic()]);
      await scene.post('/v1/limits/thaw', { account: BOT, chat: CHAT });
    });

    test('an account is frozen, and thawed from the overview', async () => {
      await stage.visitor.see('accounts');
      const card = page().locator('.card', { hasText: BOT });
      await card.getByRole('button', { name: 'Freeze…' }).click();
      await answer('Freeze');
      await toast(`${BOT} is frozen until`);
      await card.getByText('frozen', { exact: true }).waitFor();
      await card.getByRole('button', { name: 'Thaw now' }).waitFor();
      expect(await freezesOf('')).toMatchObject([{ scope: 'account', cause: 'by hand' }]);
      await stage.visitor.see('');
      const line = page().locator('.lines li', { hasText: `${BOT}, all of it` });
      await line.getByRole('button', { name: 'Thaw now' }).click();
      await answer('Thaw now');
      await toast(`${BOT} goes on`);
      await line.waitFor({ state: 'detached' });
      expect(await freezesOf('')).toEqual([]);
    });

    test('are an operator’s: who only looks sees what is frozen, and no button', async () => {
      const { secret } = await stage.scene.post('/v1/keys', { name: 'looks', role: 'viewer' });
      const guest = await Visitor.come(stage.browser, stage.gateway.url);
      await guest.signIn(String(secret));
      await guest.page.getByText('Freezes', { exact: true }).waitFor();
      for (const path of ['', 'chats?frozen=true', 'accounts']) {
        await guest.see(path);
        await guest.page
          .getByText(path === 'accounts' ? BOT : FROZEN)
          .first()
          .waitFor();
        expect(await guest.page.getByRole('button', { name: /Thaw now|Freeze…/ }).count()).toBe(0);
        expect(await guest.barriers()).toEqual([]);
      }
      await guest.leave();
    });
  });
}
