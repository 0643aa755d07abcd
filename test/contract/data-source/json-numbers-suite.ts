import { expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { post } from '../../helpers/mcp-post.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';

interface JsonDatabase {
  open(): Promise<DataSource>;
  /** The document of record `id`, as the database keeps it; null for no document. */
  stored(id: number): Promise<unknown>;
}

const exactDocument = '{"id": 750727362669608961, "price": 10.00, "huge": 1e40, "list": [1.50, null]}';
const digits = ['750727362669608961', '10.00', '1.50'];

/** What a table `ev` needs: record 1 with `exactDocument`, record 2 with the document `null`, record 3 without a document. */
export const jsonRows = `(1, '${exactDocument}'), (2, 'null'), (3, null)`;

/** Numbers in the documents of a database have every digit on each surface, in both directions. */
export function describeJsonNumbers(create: () => Promise<JsonDatabase>): void {
  async function started() {
    const database = await create();
    return { database, agent: await startShopAgent(undefined, { dataSources: { main: database.open } }) };
  }
  type Agent = Awaited<ReturnType<typeof started>>['agent'];
  const ofRecord = (text: string, id: number | string) =>
    `{"data":{"type":"ev","id":"${id}","attributes":{"id":${id},"doc":${text}}}}`;
  const tool = async (agent: Agent, name: string, argumentsText: string) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${argumentsText}}}`;
    return (await post(agent, body, { headers: { 'mcp-protocol-version': '2025-11-25' } })).text;
  };
  const withoutSpaces = (text: unknown) => String(text).replaceAll(/\s/g, '');

  it('are shown with every digit on REST, MCP and CSV', async () => {
    const { agent } = await started();
    const answers = [
      (await call(agent, '/ev/1')).text,
      (await call(agent, '/ev?fields[ev]=doc')).text,
      (await call(agent, '/ev.csv?fields[ev]=doc&header=doc&filename=ev')).text,
      await tool(agent, 'list', '{"collectionName":"ev","fields":["doc"]}'),
    ];
    for (const answer of answers) for (const number of digits) expect(answer).toContain(number);
  });

  it('are written with every digit, and a document that is saved as it was shown stays byte for byte', async () => {
    const { agent, database } = await started();
    const before = await database.stored(1);
    const shown = /"doc":(\{.*?\})/.exec((await call(agent, '/ev/1')).text)?.[1] ?? '';
    expect((await call(agent, '/ev/1', { method: 'PUT', body: ofRecord(shown, 1) })).status).toBe(200);
    expect(await database.stored(1)).toBe(before);
    const longer = '{"id":750727362669608963,"sum":0.10,"deep":{"list":[12345678901234567890.5]}}';
    expect((await call(agent, '/ev/1', { method: 'PUT', body: ofRecord(longer, 1) })).status).toBe(200);
    for (const number of ['750727362669608963', '0.10', '12345678901234567890.5']) {
      expect(withoutSpaces(await database.stored(1))).toContain(number);
    }
    expect((await call(agent, '/ev', { method: 'POST', body: ofRecord(longer, 4) })).text).toContain(
      '750727362669608963',
    );
    const update = `{"collectionName":"ev","recordId":"4","attributes":{"doc":{"id":750727362669608965}}}`;
    expect(await tool(agent, 'update', update)).toContain('750727362669608965');
    expect(withoutSpaces(await database.stored(4))).toBe('{"id":750727362669608965}');
  });

  it('are not overwritten by a client that has rounded them', async () => {
    const { agent, database } = await started();
    const before = await database.stored(1);
    const rounded = JSON.stringify(JSON.parse(exactDocument));
    const { status, text } = await call(agent, '/ev/1', { method: 'PUT', body: ofRecord(rounded, 1) });
    expect([status, text]).toEqual([400, expect.stringContaining('holds the number 750727362669608961')]);
    expect(await database.stored(1)).toBe(before);
  });

  it('leaves the document null what it is, and no document none', async () => {
    const { agent, database } = await started();
    for (const id of [2, 3]) {
      expect((await call(agent, `/ev/${id}`)).text).toContain('"doc":null');
      expect((await call(agent, `/ev/${id}`, { method: 'PUT', body: ofRecord('null', id) })).status).toBe(200);
    }
    expect([await database.stored(2), await database.stored(3)]).toEqual(['null', null]);
    await call(agent, '/ev/1', { method: 'PUT', body: ofRecord('null', 1) });
    expect(await database.stored(1)).toBeNull();
  });
}
