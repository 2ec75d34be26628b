import { systemClock } from '../system/clock.ts';
import { coordinationContract } from './coordination.contract.ts';
import { MemoryBoard } from './memory.ts';

coordinationContract('memory', () => {
  const board = new MemoryBoard(systemClock());
  let handles = 0;
  return {
    handle: () => board.handle(`${++handles}`),
    garbage: async (text) => board.publish('a stranger', text, text),
  };
});
