import { introspectMongo } from '../../src/runtime/data-sources/mongo/introspect/introspect-mongo.ts';
import { createMongoSourceOn } from '../../src/runtime/data-sources/mongo/mongo-data-source.ts';
import type { Bench } from '../bench-report.ts';
import { pairedSpeed } from '../paired-speed.ts';
import { type MongoPeer, openMingoPeer, openServerPeer } from './open-peer.ts';
import { scenarios } from './scenarios.ts';
import { shopDocuments } from './shop-documents.ts';

/** mingo reads every document for each question. */
const ordersInMemory = 1_000;
const ordersOnServer = 100_000;

/**
 * The speed of the MongoDB data source as a share of pipelines by hand on the same peer: a server where `SERVICE_TEST_MONGO_URL` names
 * one, else documents in memory. The figures are named after the peer.
 */
export const benchMongo: Bench = async ({ isQuick }) => {
  const uri = process.env['SERVICE_TEST_MONGO_URL'] ?? '';
  const scale = isQuick ? 0.25 : 1;
  const peer =
    uri === ''
      ? openMingoPeer(shopDocuments(ordersInMemory * scale))
      : await openServerPeer(uri, shopDocuments(ordersOnServer * scale));
  try {
    const figures = await measurePeer(peer, isQuick);
    const shares = Object.entries(figures).flatMap(([name, value]) => (name.startsWith('share.') ? [value] : []));
    return { name: 'mongo', figures: { 'share.min': Math.min(...shares), ...figures } };
  } finally {
    await peer.close();
  }
};

async function measurePeer({ name: peerName, database }: MongoPeer, isQuick: boolean) {
  const source = await createMongoSourceOn(database, await introspectMongo(database, { flattenMode: 'auto' }));
  const figures: Record<string, number> = {};
  for (const { name, ask, pipeline, shape } of scenarios) {
    const question = {
      name: `${peerName} ${name}`,
      asked: (round: number) => ask(source, round),
      byHand: async (round: number) => shape(await database.aggregate('orders', pipeline(round))),
      checks: 20,
    };
    const { share, askedUs } = await pairedSpeed(question, isQuick);
    figures[`share.${peerName}.${name}`] = share;
    figures[`${peerName}.${name}Us`] = askedUs;
  }
  return figures;
}
