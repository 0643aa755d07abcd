import { type ActivityEntry, activityBatchSchema } from '#contracts/activity';
import { startHttpServer } from '../../helpers/http-server.ts';

/** A platform that allows everything, keeps the reports of activities, and is not to be relied on. */
export interface UnreliablePlatform {
  readonly url: string;
  /** Every entry that it has stored, by id and part. */
  readonly entries: ReadonlyMap<string, ActivityEntry>;
  /** How many entries came again. */
  readonly repeated: number;
  /** Whether it answers 503 to some reports, and cuts the connection of others once it has stored them. */
  isUnreliable: boolean;
}

export async function startUnreliablePlatform(): Promise<UnreliablePlatform> {
  const entries = new Map<string, ActivityEntry>();
  let requests = 0;
  const { origin } = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === '/agent/v1/activities') {
      requests++;
      if (platform.isUnreliable && requests % 3 === 0) return void response.writeHead(503).end();
      keep(Buffer.concat(chunks).toString());
      if (platform.isUnreliable && requests % 3 === 1) return void response.destroy();
      return void response.writeHead(204).end();
    }
    const isRights = request.url === '/agent/v4/permissions/environment';
    response.writeHead(isRights ? 200 : 404, { 'content-type': 'application/json' }).end(isRights ? 'true' : '{}');
  });
  const keep = (body: string) => {
    for (const entry of activityBatchSchema.parse(JSON.parse(body)).activities) {
      const part = 'part' in entry ? entry.part : 0;
      const key = `${entry.id} ${part}`;
      if (part > 0 && !entries.has(`${entry.id} 0`)) throw new Error(`The continuation ${key} came before its report.`);
      if (entries.has(key)) platform.repeated++;
      else entries.set(key, entry);
    }
  };
  const platform = { url: origin, entries, repeated: 0, isUnreliable: true };
  return platform;
}
