import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { type AgentOptions, createSqlDataSource } from '../../src/exports/agent.ts';
import { startDevSession } from '../helpers/dev-session.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { identity } from '../helpers/shop-agent.ts';

interface Line {
  readonly level: string;
  readonly message: string;
}

/** An agent of an application with these settings, asked by somebody with these tags. */
async function startShop(rest: AgentOptions['rest'] | undefined, tags: Readonly<Record<string, string>> = {}) {
  const log: Line[] = [];
  const logger = (level: string, message: string) => void log.push({ level, message });
  const shop = await createEmbeddedShop({ logger, ...(rest && { rest }) });
  const agent = shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountOnStandaloneServer(0);
  await agent.start();
  onTestFinished(() => agent.stop());
  const token = await createSessionTokens(shop.authSecret, systemClock, () => false).issue({ ...identity, tags });
  const ask = async (query: string) => {
    const response = await fetch(`http://127.0.0.1:${agent.standaloneServerPort}/service/orders?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const body = (await response.json()) as { errors?: readonly { detail: string }[] };
    return [response.status, body.errors?.[0]?.detail];
  };
  return { ask, log };
}

describe('a request without a time zone', () => {
  const missing = [400, 'The parameter "timezone" is missing.'];

  it('is refused where no setting says otherwise', async () => {
    const { ask } = await startShop(undefined, { timezone: 'Asia/Tokyo' });
    expect(await ask('page[size]=1')).toEqual(missing);
  });

  it('is answered in the time zone of the setting', async () => {
    const { ask } = await startShop({ defaultTimezone: 'Europe/Paris' });
    expect(await ask('page[size]=1')).toEqual([200, undefined]);
  });

  it('is answered in the time zone of the person, who has a tag with it', async () => {
    const rest = { defaultTimezone: 'person' };
    const today = encodeURIComponent(JSON.stringify({ field: 'placed_at', operator: 'today', value: null }));
    const { ask } = await startShop(rest, { timezone: 'Asia/Tokyo' });
    expect(await ask(`filters=${today}`)).toEqual([200, undefined]);
    expect(await (await startShop(rest)).ask('')).toEqual(missing);
    expect(await (await startShop(rest, { timezone: 'Mars/Base' })).ask('')).toEqual([
      400,
      'Your tag "timezone" is "Mars/Base", which is not a time zone.',
    ]);
  });

  it('is not a setting where the zone is unknown', async () => {
    await expect(createEmbeddedShop({ rest: { defaultTimezone: 'Mars/Base' } })).rejects.toMatchObject({
      code: 'AGENT_OPTION_INVALID',
      message: expect.stringContaining('IANA time zone'),
    });
  });
});

describe('a parameter that no route knows', () => {
  const known = 'timezone=UTC&page[size]=1&page[number]=1&sort=id&fields[orders]=id,customer&fields[customer]=name';
  const unknown = 'timezone=UTC&filter={}';
  const problem = 'The parameter "filter" is unknown. Did you mean "filters"?';

  it('is ignored where no setting says otherwise', async () => {
    const { ask, log } = await startShop(undefined);
    expect((await ask(unknown))[0]).toBe(200);
    expect(log.filter(({ message }) => message.includes('unknown'))).toEqual([]);
  });

  it('is named in the log with the nearest name, or refused, as the setting says', async () => {
    const logging = await startShop({ unknownParameters: 'log' });
    expect((await logging.ask(unknown))[0]).toBe(200);
    expect((await logging.ask(known))[0]).toBe(200);
    const lines = logging.log.filter(({ message }) => message.includes('is unknown'));
    expect(lines).toEqual([{ level: 'Warn', message: problem }]);
    const refusing = await startShop({ unknownParameters: 'refuse' });
    expect(await refusing.ask(unknown)).toEqual([400, problem]);
    expect(await refusing.ask('timezone=UTC&fields[ordes]=id')).toEqual([
      400,
      'The parameter "fields[ordes]" is unknown. Did you mean "fields[orders]"?',
    ]);
    expect((await refusing.ask(known))[0]).toBe(200);
  });

  it('is logged by dev, and refused as soon as the project says so', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const config = path.join(session.root, 'vendor-cloud.json');
    const project = JSON.parse(await readFile(config, 'utf8')) as object;
    const statusOf = async (query: string) => {
      const headers = { authorization: `Bearer ${session.ready.token}` };
      return (await fetch(`${session.ready.agent.url}/orders?${query}`, { headers })).status;
    };
    expect(await statusOf(unknown)).toBe(200);
    const rest = { unknownParameters: 'refuse', defaultTimezone: 'UTC' };
    await writeFile(config, JSON.stringify({ ...project, rest }));
    await session.next('restarted');
    expect([await statusOf(unknown), await statusOf('page[size]=1')]).toEqual([400, 200]);
    await writeFile(config, JSON.stringify(project));
    await session.next('restarted');
    expect([await statusOf(unknown), await statusOf('page[size]=1')]).toEqual([200, 400]);
  });
});
