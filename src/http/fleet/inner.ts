// What nodes ask each other at their internal listeners, beside what they forward: whether an account is theirs, and
// deliveries, moves and streams of what is. None of it is on the public listener.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Where } from '../../cluster/accounts.ts';
import type { RateQuestion } from '../../cluster/rates.ts';
import type { NewDelivery } from '../../domain/delivery.ts';
import { FLEET_PATHS } from '../../domain/fleet.ts';
import { type AccountId, parseAccountId } from '../../domain/ids.ts';
import type { MoveOrder } from '../../road/road.ts';
import type { SpillPart } from '../../store/ports/hand-over.ts';
import type { NewStream } from '../../streams/streams.ts';
import { ANYONE } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { incidentsHere, LongestWaiting, type NodeGlance } from '../watch/glance.ts';
import type { FleetPort } from './port.ts';
import { answerMoved } from './to-owner.ts';

// A delivery, whose content may be written in twice as many characters.
const BODY_BYTES_MAX = 64 * 1024 * 1024;
// The secret of the fleet was asked for before.
const config = { access: ANYONE };

export function addFleetRoutes(app: FastifyInstance, port: FleetPort, options: HttpParts): void {
  const { output } = options;
  const post = <B>(
    url: string,
    accountIn: (body: B) => string,
    answer: (body: B) => Promise<object>,
  ) => {
    app.post(
      url,
      { config, bodyLimit: BODY_BYTES_MAX },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const body = request.body as B;
        const where = await claimed(port, accountIn(body));
        if (where.kind !== 'here') {
          return answerMoved(reply, where.kind === 'there' ? where.node.incarnation : '');
        }
        const value = await answer(body);
        return 'kind' in value && value.kind === 'not_owner' ? answerMoved(reply, '') : value;
      },
    );
  };
  app.post(FLEET_PATHS.alive, { config }, async () => ({}));
  let changes = 0;
  const unlisten = output?.live.listen(() => void changes++);
  // A hook's answer would be taken for a failure.
  app.addHook('preClose', async () => void unlisten?.());
  const view = viewOf(port, options);
  app.post(FLEET_PATHS.view, { config }, async () => view(changes));
  app.post(FLEET_PATHS.handOver, { config, bodyLimit: BODY_BYTES_MAX }, async (request) => ({
    handedOver: await port.handOver(request.body as SpillPart),
  }));
  app.post(FLEET_PATHS.rate, { config }, async (request) => ({
    waitMs: await port.rates.grant(request.body as RateQuestion),
  }));
  app.post(FLEET_PATHS.uses, { config }, async (request) => ({
    uses: port.rates.usesOf((request.body as RateQuestion).key),
  }));
  const ofAccount = ({ account }: { account: AccountId }) => account;
  post(FLEET_PATHS.claim, ofAccount, async () => ({}));
  post(FLEET_PATHS.look, ofAccount, async ({ account }) => {
    await port.look(account);
    return {};
  });
  post(
    FLEET_PATHS.submit,
    ({ delivery }: { delivery: NewDelivery }) => delivery.account,
    ({ delivery }) => port.submit(delivery),
  );
  post(
    FLEET_PATHS.move,
    ({ order }: { order: MoveOrder }) => order.account,
    ({ order }) => port.move(order),
  );
  post(
    FLEET_PATHS.moveTogether,
    ({ orders }: { orders: MoveOrder[] }) => orders[0]!.account,
    ({ orders }) => port.moveTogether(orders),
  );
  post(
    FLEET_PATHS.stream,
    ({ stream }: { stream: NewStream }) => stream.account,
    ({ stream }) => output!.live.open(stream),
  );
}

function viewOf(port: FleetPort, options: HttpParts) {
  const longest = new LongestWaiting(options);
  return async (changes: number) => {
    const view = port.view();
    const [oldest, incidents] = await Promise.all([
      // While the store is away nobody can say what it is that waits.
      longest.show(options.clock.now()).catch(() => []),
      incidentsHere(options, view.accounts),
    ]);
    const streams = { open: options.output?.live.openCount ?? 0, changes };
    return { ...view, streams, glance: { oldest, incidents } satisfies NodeGlance };
  };
}

// What no account can be called is nobody's.
async function claimed(port: FleetPort, name: string): Promise<Where> {
  const account = parseAccountId(name);
  return account === null ? { kind: 'nobody' } : port.claim(account);
}
