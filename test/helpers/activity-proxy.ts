import { type ActivityEntry, activityBatchSchema } from '#contracts/activity';
import { startHttpServer } from './http-server.ts';

/** A way to a platform on which reports of activities may get lost. */
export interface ActivityProxy {
  readonly url: string;
  /** How many reports came this way. */
  readonly reports: number;
  /** The entries that the platform has stored of them, each once. */
  readonly entries: readonly ActivityEntry[];
  /** What becomes of reports: they and their answers pass, only they do, nothing does, or nobody ever answers. */
  mode: 'open' | 'answer lost' | 'down' | 'hanging';
  /** Cut the connections that hang. */
  cut(): void;
}

export async function startActivityProxy(platformUrl: string): Promise<ActivityProxy> {
  const entries = new Map<string, ActivityEntry>();
  const keep = (chunks: readonly Buffer[]) => {
    for (const entry of activityBatchSchema.parse(JSON.parse(Buffer.concat(chunks).toString())).activities) {
      entries.set(`${entry.id} ${'part' in entry ? entry.part : 0}`, entry);
    }
  };
  const { origin, cut } = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isReport = request.url === '/agent/v1/activities';
    if (isReport) proxy.reports++;
    const mode = isReport ? proxy.mode : 'open';
    if (mode === 'hanging') return;
    if (mode === 'down') return void response.destroy();
    const { method = 'GET', headers } = request;
    const answer = await fetch(`${platformUrl}${request.url}`, {
      method,
      headers: {
        'content-type': headers['content-type'] ?? 'application/json',
        'service-secret-key': String(headers['service-secret-key']),
      },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    if (isReport && answer.status === 204) keep(chunks);
    if (mode === 'answer lost') return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  const proxy: { -readonly [Key in keyof ActivityProxy]: ActivityProxy[Key] } = {
    url: origin,
    reports: 0,
    get entries() {
      return [...entries.values()];
    },
    mode: 'open',
    cut,
  };
  return proxy;
}
