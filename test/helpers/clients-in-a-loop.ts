import { Client } from 'undici';

/** What clients that ask again and again have met. */
interface MetByClients {
  asked: number;
  /** Answers by their status. */
  readonly statuses: Map<number, number>;
  /** Connections that were refused or reset, and answers that were cut off: the codes of their errors. */
  readonly broken: string[];
  /** Answers of 503 without `Retry-After`. */
  withoutRetryAfter: number;
}

export interface ClientsInALoop {
  readonly met: MetByClients;
  /** Resolves when every client has had `count` more answers. */
  rounds(count: number): Promise<void>;
  /** Let the requests in flight end, and close the connections. */
  stop(): Promise<void>;
}

/** Each client asks over one connection that it keeps, and asks again when it has the answer. */
export function startClients(url: string, token: string, count: number): ClientsInALoop {
  const { origin, pathname, search } = new URL(url);
  const met: MetByClients = { asked: 0, statuses: new Map(), broken: [], withoutRetryAfter: 0 };
  const answered = Array.from({ length: count }, () => 0);
  let isStopped = false;
  let wake: () => void = () => undefined;

  const ask = async (client: Client) => {
    met.asked++;
    try {
      const headers = { authorization: `Bearer ${token}` };
      const {
        statusCode,
        headers: sent,
        body,
      } = await client.request({
        method: 'GET',
        path: pathname + search,
        headers,
      });
      await body.dump();
      met.statuses.set(statusCode, (met.statuses.get(statusCode) ?? 0) + 1);
      if (statusCode === 503 && sent['retry-after'] === undefined) met.withoutRetryAfter++;
    } catch (error) {
      met.broken.push(error instanceof Error && 'code' in error ? String(error.code) : String(error));
    }
  };
  const clients = answered.map(async (_none, index) => {
    // The patience of a client is not part of what is tested.
    const client = new Client(origin, { headersTimeout: 0, bodyTimeout: 0 });
    while (!isStopped) {
      await ask(client);
      answered[index] = (answered[index] ?? 0) + 1;
      wake();
    }
    await client.close();
  });

  return {
    met,
    rounds: async (more) => {
      const wanted = answered.map((had) => had + more);
      while (answered.some((has, index) => has < (wanted[index] ?? 0))) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}
