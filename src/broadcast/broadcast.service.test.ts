import { serviceContract } from '../system/service.contract.ts';
import { aWorld } from './broadcast.fixture.ts';

// Left alone it forgets what is old and compares with the ledger: each is a command to the store.
serviceContract('broadcasting', async () => {
  let commands = 0;
  const beforeApply = async () => {
    commands += 1;
  };
  const { now, clock } = aWorld({ hooks: () => ({ beforeApply }) });
  return { service: now.broadcasting, clock, deeds: () => commands, work: null };
});
