// A grammY transformer: what the bot sends goes over Sluice's road in this process, and resolves with the platform's
// own answer; everything else goes the way it went before. grammY itself is needed for its types only.

import type { RawApi, Transformer } from 'grammy';
import type { ApiResponse } from 'grammy/types';
import type { InProcessCall } from '../http/in-process.ts';
import { formOf } from './form.ts';

// What is needed of a gateway. null: not a call that sends.
export interface GrammyCaller {
  call(call: InProcessCall): Promise<unknown>;
}

// `bot.api.config.use(sluice(gateway, token))`
export function sluice(gateway: GrammyCaller, token: string): Transformer<RawApi> {
  return async (prev, method, payload, signal) => {
    const params = await formOf(payload as Readonly<Record<string, unknown>>);
    const call = { platform: 'telegram', token, method, params, signal: signal as AbortSignal };
    const answer = await gateway.call(call);
    if (answer === null) return prev(method, payload, signal);
    return answer as ApiResponse<never>;
  };
}
