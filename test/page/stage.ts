// What the tests of the page's actions play on: a browser, a gateway in trouble, a simulated Telegram that loses
// an answer of each of two chats, and someone signed in.

import type { Browser, Page } from 'playwright-core';
import { type ServedSim, scriptedFaults, serveSim } from '../../src/sim/sim.ts';
import { GatewayProcess } from '../process/gateway.ts';
import { openBrowser, Visitor } from './browser.ts';
import { partsOf } from './parts.ts';
import { Scene } from './scene.ts';

export const DOUBTFUL = { account: '9:AAAdoubtful', chats: ['600', '601'] } as const;

export class Stage {
  readonly parts = partsOf(() => this.page);
  browser!: Browser;
  sim!: ServedSim;
  gateway!: GatewayProcess;
  scene!: Scene;
  visitor!: Visitor;

  get page(): Page {
    return this.visitor.page;
  }

  async open(): Promise<void> {
    const opening = openBrowser();
    const fault = { kind: 'answer_lost' } as const;
    const faults = scriptedFaults(DOUBTFUL.chats.map((chat) => ({ fault, chat, times: 1 })));
    this.sim = await serveSim({ host: '127.0.0.1', port: 0, faults });
    this.gateway = new GatewayProcess(this.sim.url, ['--uncertain-policy', 'hold']);
    await this.gateway.start();
    this.scene = new Scene(this.gateway);
    await this.scene.makeWaiting();
    this.browser = await opening;
    this.visitor = await Visitor.come(this.browser, this.gateway.url);
    await this.visitor.signIn(this.gateway.key);
  }

  async close(): Promise<void> {
    await this.browser?.close();
    await this.gateway?.end('SIGKILL');
    this.gateway?.remove();
    await this.sim?.close();
  }
}
