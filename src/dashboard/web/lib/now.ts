// The gateway's time, told once a second to whatever shows how long ago or how soon.

import { useEffect } from 'preact/hooks';
import { every, wallNow } from './browser.ts';
import { clockOffsetMs } from './live.ts';
import { Store, useStore } from './store.ts';

const now = new Store(wallNow());
let users = 0;
let stop = () => {};

function gatewayNow(): number {
  return wallNow() + clockOffsetMs.value;
}

export function useNow(): number {
  useEffect(() => {
    users += 1;
    if (users === 1) stop = every(1000, () => now.set(gatewayNow()));
    now.set(gatewayNow());
    return () => {
      users -= 1;
      if (users === 0) stop();
    };
  }, []);
  return useStore(now);
}
