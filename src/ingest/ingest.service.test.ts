import type { HistoryPage, Read } from '../platforms/history.ts';
import { serviceContract } from '../system/service.contract.ts';
import { aPage, aService, KIND } from './ingest.fixture.ts';

// Left alone it looks at its source: each is a call of the reader.
serviceContract('ingest', async () => {
  let hold: PromiseWithResolvers<Read<HistoryPage>> | null = null;
  const history = () => hold?.promise ?? aPage([], { mark: null });
  const { service, clock, calls } = aService({ answers: { history } });
  const { source } = await service.add(KIND, '@news');
  const work = {
    async begin() {
      hold ??= Promise.withResolvers<Read<HistoryPage>>();
      service.run(source.id);
    },
    finish() {
      hold?.resolve(aPage([], { mark: null }));
    },
  };
  return { service, clock, deeds: () => calls.length, work };
});
