import { strict as assert } from 'node:assert';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import autocannon from 'autocannon';
import { ExecaError, execa } from 'execa';
import { Client } from 'pg';
import { freePort } from '../../test/helpers/free-port.ts';
import { installDirectus } from '../console/directus.ts';
import { median, rounded } from '../statistics.ts';
import { connections, type Load, loadOf, loadVaried } from './load.ts';
import type { Target } from './target.ts';
import { variedAddresses, variedScenarios } from './varied.ts';

type Stops = (() => Promise<unknown>)[];
/** The values of a record in the order of the fields that the agent is asked for; amounts as numbers, instants in milliseconds. */
type Values = readonly unknown[];

/** Another server on the same tables. */
interface Rival {
  readonly name: 'postgraphile' | 'directus';
  /** Install it, and start it on the tables of the shop. Throws where the registry cannot be reached. */
  start(databaseUrl: string, folder: string, stops: Stops): Promise<Target>;
  /** The same question as the agent gets. */
  request(scenario: string, asked: Question): Pick<autocannon.Request, 'method' | 'path' | 'body'>;
  /** The records of an answer. */
  records(answer: unknown): readonly Values[];
}

/** What an address of the varied load asks for. */
interface Question {
  readonly id: number;
  readonly size: number;
  readonly skip: number;
  readonly isDescending: boolean;
  readonly status: string;
  readonly total: number;
}

function questionOf(address: string): Question {
  const { pathname, searchParams } = new URL(address, 'http://bench');
  const size = Number(searchParams.get('page[size]'));
  const { conditions = [] } = JSON.parse(searchParams.get('filters') ?? '{}') as { conditions?: { value: unknown }[] };
  return {
    id: Number(pathname.split('/')[2]),
    size,
    skip: (Number(searchParams.get('page[number]')) - 1) * size,
    isDescending: searchParams.get('sort') === '-id',
    status: String(conditions[0]?.value),
    total: Number(conditions[1]?.value),
  };
}

const graphql: Readonly<Record<string, string>> = {
  get: 'query($id:Int!){found:customerByRowId(rowId:$id){rowId email firstName lastName}}',
  list: 'query($first:Int,$offset:Int,$order:[CustomerOrderBy!]){found:allCustomers(first:$first,offset:$offset,orderBy:$order){nodes{rowId email firstName lastName country balance createdAt}}}',
  'list-relation':
    'query($first:Int,$offset:Int,$order:[OrderOrderBy!]){found:allOrders(first:$first,offset:$offset,orderBy:$order){nodes{rowId status total customerByCustomerId{email}}}}',
  'list-filter':
    'query($first:Int,$offset:Int,$order:[OrderOrderBy!],$filter:OrderFilter){found:allOrders(first:$first,offset:$offset,orderBy:$order,filter:$filter){nodes{rowId status total}}}',
};

const postgraphile: Rival = {
  name: 'postgraphile',
  async start(databaseUrl, folder, stops) {
    const place = path.join(folder, 'postgraphile');
    const packages = ['postgraphile@5.1.5', 'postgraphile-plugin-connection-filter@4.0.1'];
    await mkdir(place, { recursive: true });
    await writeFile(path.join(place, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await execa('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], {
      cwd: place,
      timeout: 300_000,
    });
    await copyFile(path.join(import.meta.dirname, 'postgraphile.js'), path.join(place, 'server.js'));
    const port = await freePort();
    await startProgram(
      [process.execPath, 'server.js'],
      place,
      { DATABASE_URL: databaseUrl, PORT: String(port) },
      port,
      stops,
    );
    return { base: `http://127.0.0.1:${port}/graphql`, headers: { 'content-type': 'application/json' } };
  },
  request(scenario, { id, size, skip, isDescending, status, total }) {
    const page = { first: size, offset: skip, order: [isDescending ? 'ROW_ID_DESC' : 'ROW_ID_ASC'] };
    const filter = { status: { equalTo: status }, total: { greaterThan: String(total) } };
    const variables = scenario === 'get' ? { id } : scenario === 'list-filter' ? { ...page, filter } : page;
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: graphql[scenario], variables }) };
  },
  records(answer) {
    const { found } = (answer as { readonly data: { readonly found: { readonly nodes?: readonly object[] } } }).data;
    return (found.nodes ?? [found]).map(valuesOf);
  },
};

const fields: Readonly<Record<string, string>> = {
  get: 'id,email,first_name,last_name',
  list: 'id,email,first_name,last_name,country,balance,created_at',
  'list-relation': 'id,status,total,customer_id.email',
  'list-filter': 'id,status,total',
};

const directus: Rival = {
  name: 'directus',
  async start(databaseUrl, folder, stops) {
    const { program, cwd } = await installDirectus();
    const cli = 'node_modules/directus/cli.js';
    const port = await freePort();
    const env = {
      ...{
        DB_CLIENT: 'pg',
        DB_CONNECTION_STRING: await ownDatabase(databaseUrl),
        HOST: '127.0.0.1',
        PORT: String(port),
      },
      ...{
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        KEY: 'the bench',
        SECRET: 'a secret of the bench that is long enough',
      },
      ...{ ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'correct horse battery', ADMIN_TOKEN: 'of-the-bench' },
      ...{ TELEMETRY: 'false', NODE_ENV: 'production', STORAGE_LOCAL_ROOT: folder },
    };
    await execa(program, [cli, 'bootstrap'], { cwd, env, timeout: 300_000 });
    await startProgram([program, cli, 'start'], cwd, env, port, stops);
    return { base: `http://127.0.0.1:${port}`, headers: { authorization: 'Bearer of-the-bench' } };
  },
  request(scenario, { id, size, skip, isDescending, status, total }) {
    const list = `sort=${isDescending ? '-' : ''}id&limit=${size}&offset=${skip}&fields=${fields[scenario]}`;
    const filter = scenario === 'list-filter' ? `&filter[status][_eq]=${status}&filter[total][_gt]=${total}` : '';
    const collection = scenario === 'list' ? 'customers' : 'orders';
    const target = scenario === 'get' ? `customers/${id}?fields=${fields['get']}` : `${collection}?${list}${filter}`;
    return { method: 'GET', path: `/items/${target}` };
  },
  records: (answer) => [(answer as { readonly data: object | readonly object[] }).data].flat().map(valuesOf),
};

/** The shop in a database of its own, since Directus adds tables. */
async function ownDatabase(databaseUrl: string): Promise<string> {
  const own = Object.assign(new URL(databaseUrl), { pathname: '/directus' }).href;
  const statements = {
    [databaseUrl]: 'create database directus',
    [own]: await readFile(path.join(import.meta.dirname, 'shop.sql'), 'utf8'),
  };
  for (const [connectionString, statement] of Object.entries(statements)) {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(statement);
    await client.end();
  }
  return own;
}

function valuesOf(record: object): Values {
  return Object.entries(record).map(([name, value]): unknown => {
    if (/^(?:balance|total|id|rowId)$/.test(name)) return Number(value);
    if (/^created/.test(name)) return Date.parse(String(value));
    return typeof value === 'object' && value !== null ? valuesOf(value) : value;
  });
}

async function startProgram(
  [program = '', ...argv]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  port: number,
  stops: Stops,
): Promise<void> {
  const child = execa(program, argv, { cwd, env, reject: false, stdio: 'ignore' });
  stops.push(async () => {
    child.kill();
    await child;
  });
  for (let attempt = 0; ; attempt++) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    assert.ok(attempt < 600, `${argv.join(' ')} does not answer.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The rate of the agent over that of other servers with the same tables and equal records, in pairs whose order alternates. */
export async function measureRivals(
  agent: Target,
  databaseUrl: string,
  folder: string,
): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const rival of [postgraphile, directus]) {
    const stops: Stops = [];
    try {
      const target = await rival.start(databaseUrl, folder, stops);
      for (const scenario of variedScenarios) {
        await requireEqualRecords(agent, target, rival, scenario);
        const ask = (seconds: number) => loadRival(target, rival, scenario, seconds);
        for (const warm of [() => loadVaried(agent, scenario, 5), () => ask(5)]) await warm();
        const ratios: number[] = [];
        for (let round = 0; round < 4; round++) {
          const first = await (round % 2 === 0 ? loadVaried(agent, scenario, 3) : ask(3));
          const second = await (round % 2 === 0 ? ask(3) : loadVaried(agent, scenario, 3));
          ratios.push(round % 2 === 0 ? first.rate / second.rate : second.rate / first.rate);
        }
        figures[`${rival.name}.${scenario}`] = rounded(median(ratios));
      }
    } catch (error) {
      if (!(error instanceof ExecaError && error.command.startsWith('npm '))) throw error;
      console.error(`${rival.name} is left out, because npm cannot install it: ${error.shortMessage}`);
    } finally {
      for (const stop of stops.toReversed()) await stop();
    }
  }
  return figures;
}

async function loadRival({ base, headers }: Target, rival: Rival, scenario: string, seconds: number): Promise<Load> {
  let opened = 0;
  const result = await autocannon({
    url: base,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const asked = variedAddresses(scenario, opened++ % connections).map(questionOf);
      client.setRequests(asked.map((question) => ({ ...rival.request(scenario, question), headers })));
    },
  });
  return loadOf(result, `${rival.name} ${scenario}`);
}

async function requireEqualRecords(agent: Target, target: Target, rival: Rival, scenario: string): Promise<void> {
  for (const address of variedAddresses(scenario, 0).slice(0, 5)) {
    const { method, path: place = '', body } = rival.request(scenario, questionOf(address));
    const answer = await fetch(new URL(place, target.base), {
      headers: target.headers,
      ...(method === undefined ? {} : { method }),
      ...(typeof body === 'string' ? { body } : {}),
    });
    const own = await fetch(agent.base + address, { headers: agent.headers });
    assert.deepEqual(rival.records(await answer.json()), recordsOfAgent(await own.json()), `${rival.name} ${address}`);
  }
}

interface JsonApiRecord {
  readonly id: string;
  readonly attributes: object;
  readonly relationships?: { readonly customer?: { readonly data?: { readonly id: string } } };
}

/** With the email of the customer, where it was asked for. */
function recordsOfAgent(document: unknown): readonly Values[] {
  const { data, included = [] } = document as { data: JsonApiRecord | JsonApiRecord[]; included?: JsonApiRecord[] };
  return [data].flat().map(({ attributes, relationships }) => {
    const customer = included.find(({ id }) => id === relationships?.customer?.data?.id);
    const { email } = (customer?.attributes ?? {}) as { readonly email?: string };
    return [...valuesOf(attributes), ...(email === undefined ? [] : [[email]])];
  });
}
