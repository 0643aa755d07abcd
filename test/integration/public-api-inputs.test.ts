import { request } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoreAddress } from '#platform/store/open-store';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { postgresPlace } from '../helpers/store-engines.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const server = usePostgresServer();
const engines = [
  {
    engine: 'SQLite',
    place: async (): Promise<StoreAddress> => `sqlite:${path.join(await temporaryFolder(), 'store.sqlite')}`,
  },
  { engine: 'PostgreSQL', place: async () => postgresPlace(server, await server.createDatabase()) },
];

/** Texts that are not a value of any parameter, percent-encoded as they are sent. */
const refused = {
  'a character 0': '%00',
  'a character 0 in a text': 'a%00b',
  'an empty value': '',
  'more than 4,096 characters': 'a'.repeat(8_000),
};

/** Odd texts that a name or an id may well have. */
const found = {
  'half of a pair': '%ED%A0%80',
  'an overlong slash': '%C0%AF',
  'an overlong character 0': '%C0%80',
  'a byte that no text has': '%FF',
  'a broken escape': '%',
  quotes: `%27%22%60`,
  'a comment': '1;--%20',
  'an injection that is always true': '%27%20OR%20%271%27%3D%271',
  'an injection that changes the table': '%27%3B%20DROP%20TABLE%20audit_rows%3B--',
  'an injection that waits': '%27%3B%20SELECT%20pg_sleep(10)--',
  'an injection that joins': '%27%20UNION%20SELECT%20secret_hash%20FROM%20environments--',
  wildcards: '%25_%25',
  'a path': '..%2F..%2Fetc%2Fpasswd',
  'a template': '%24%7B7*7%7D',
  'right to left': '%E2%80%AE',
  'a line separator': '%E2%80%A8',
};

const texts = ['teamName', 'collectionName', 'recordId', 'correlationId', 'client', 'tool'];
const numbers = ['limit', 'userId'];

describe.each(engines)('the public API on $engine', ({ place }) => {
  async function start() {
    const { sandbox, token, report } = await startAuditApi({ store: await place() });
    await report([activity(), activity()]);
    const slow: string[] = [];
    /** The query exactly as it is written here. */
    const ask = (query: string) =>
      new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
        const { hostname, port } = new URL(sandbox.url);
        const route = `/v1/project/shop/environment/development/activity-logs?${query}`;
        const begun = performance.now();
        const call = request(
          { hostname, port, path: route, headers: { authorization: `Bearer ${token}` } },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
            answer.on('end', () => {
              const ms = performance.now() - begun;
              if (ms > 50) slow.push(`${query.slice(0, 60)}: ${Math.round(ms)} ms`);
              resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
            });
          },
        );
        call.on('error', reject);
        call.end();
      });
    return { ask, slow };
  }

  it('refuses what is not a text, and finds nothing by what is only odd', async () => {
    const { ask, slow } = await start();
    for (const name of texts) {
      for (const [what, value] of Object.entries(refused)) {
        expect(await ask(`${name}=${value}`), `${name}: ${what}`).toMatchObject({ status: 400 });
      }
      for (const [what, value] of Object.entries(found)) {
        const { status, text } = await ask(`${name}=${value}`);
        expect([200, 400], `${name}: ${what} was answered with ${status} ${text}`).toContain(status);
        if (status === 200) expect(JSON.parse(text), `${name}: ${what}`).toMatchObject({ data: [], hasMore: false });
      }
    }
    // The log is still there.
    expect(JSON.parse((await ask('limit=10')).text)).toMatchObject({ data: [{}, {}] });
    if (slow.length > 0) console.log(`more than 50 ms: ${slow.join(', ')}`);
  });

  it('refuses everything that is not a number', async () => {
    const { ask } = await start();
    const odd = ['0', '-0', '-1', '1e2', '0x10', '1.0', '%2B5', '%205', '1%00', '%D9%A1', 'NaN', '9'.repeat(400)];
    for (const name of numbers) {
      for (const value of odd) expect(await ask(`${name}=${value}`), `${name}=${value}`).toMatchObject({ status: 400 });
    }
  });

  it('refuses repeated, nested and unknown parameters', async () => {
    const { ask } = await start();
    for (const query of [
      'limit=5&limit=5',
      'limit=5&limit=6',
      'teamName=a&teamName=b',
      'teamName[]=a',
      'teamName[0]=a',
      'createdAt[lt]=2026-01-01T00:00Z',
      'createdAt.lt.lt=2026-01-01T00:00Z',
      '__proto__=1',
      'constructor=1',
      'toString=1',
      'LIMIT=5',
      'limit%00=5',
      '%6Climit=5',
      '=5',
    ]) {
      expect(await ask(query), query).toMatchObject({ status: 400 });
    }
  });

  it('answers an address of 64 KiB with an error of the client', async () => {
    const { ask } = await start();
    const { status } = await ask(`teamName=${'a'.repeat(65_536)}`);
    expect([400, 414, 431]).toContain(status);
  });
});
