import { onTestFinished } from 'vitest';
import type { DataSource, QueryContext } from '#runtime/data-sources/interface/data-source';
import type { ReadSession, ReplicaStatus } from '#runtime/data-sources/interface/read-session';
import type { ReplicaOptions } from '#runtime/data-sources/sql/sql-data-source-options';
import { createSqlDataSource } from '#runtime/index';
import { ReadPositions } from '#runtime/surfaces/request/read-positions';
import { eventually } from './eventually.ts';

/** A host of an environment, as far as reads from replicas go: its data source, and the key that all hosts share. */
export interface ReplicatedHost {
  readonly source: DataSource;
  readonly positions: ReadPositions;
}

const environmentKey = new Uint8Array(32).fill(7);

/** Open a data source with replicas until the test ends, and wait until the wanted ones are in use. */
export async function openHost(
  primary: string,
  replicas: ReplicaOptions,
  { key = environmentKey, inUse = replicas.uris.length, connectTimeoutMs = 5_000, schemas = ['public'] } = {},
): Promise<ReplicatedHost> {
  const source = await createSqlDataSource(primary, { replicas, connectTimeoutMs, schemas })();
  onTestFinished(() => source.close());
  await eventually(
    async () => {
      const used = (await source.replicas?.look())?.filter(({ leftOut }) => leftOut === undefined) ?? [];
      if (used.length !== inUse) throw new Error(`${used.length} replicas are in use.`);
    },
    { interval: 20 },
  );
  return { source, positions: new ReadPositions(key) };
}

/** A client of a person: it keeps cookies, and may ask another host each time. */
export class CookieClient {
  readonly cookies = new Map<string, string>();
  readonly personId: number;
  /** The servers that answered last. */
  servers: readonly string[] = [];

  readonly #asksPrimary: boolean;

  /** @param asksPrimary whether it is a client that can bring no position along. */
  constructor(personId: number, { asksPrimary = false } = {}) {
    this.personId = personId;
    this.#asksPrimary = asksPrimary;
  }

  read<Result>(host: ReplicatedHost, work: (context: QueryContext) => Promise<Result>): Promise<Result> {
    return this.#request(host, true, (reads) => work({ timezone: 'UTC', reads }));
  }

  write<Result>(host: ReplicatedHost, work: (context: QueryContext) => Promise<Result>): Promise<Result> {
    return this.#request(host, false, () => work({ timezone: 'UTC' }));
  }

  async #request<Result>(
    { source, positions }: ReplicatedHost,
    isReading: boolean,
    work: (reads: ReadSession) => Promise<Result>,
  ): Promise<Result> {
    const databases = source.replicas ? [source.replicas] : [];
    const { personId } = this;
    const sent = this.#asksPrimary ? [] : [...this.cookies.values()];
    const reads = positions.begin({ databases, personId, sent, isReading, asksPrimary: this.#asksPrimary });
    let outcome: 'done' | 'uncertain' = 'uncertain';
    try {
      const result = await work(reads.session);
      outcome = 'done';
      return result;
    } finally {
      this.servers = reads.session.servers();
      const told = reads.end(outcome);
      for (const name of told?.cookies ?? []) this.cookies.set(name, told?.token ?? '');
    }
  }
}

export function counting(host: ReplicatedHost, client: CookieClient, table: string): Promise<number> {
  return client.read(host, (context) => host.source.count(table, undefined, context));
}

export async function adding(host: ReplicatedHost, client: CookieClient, notes: string, id: number): Promise<void> {
  await client.write(host, (context) => host.source.create(notes, [{ id, text: 'a' }], context));
}

/** A client with a position, which replicas answer. */
export async function welcomed(host: ReplicatedHost, table: string, personId = 1): Promise<CookieClient> {
  const client = new CookieClient(personId);
  // A position may be of a part of the log that the primary has not sent yet.
  await eventually(
    async () => {
      await counting(host, client, table);
      if (client.servers.includes('primary')) throw new Error('No replica has answered yet.');
    },
    { interval: 20 },
  );
  return client;
}

export async function statusOf(
  { source }: ReplicatedHost,
  { port }: { readonly port: number },
): Promise<ReplicaStatus | undefined> {
  return (await source.replicas?.look())?.find(({ name }) => name === `127.0.0.1:${port}`);
}
