import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAgent, createMemoryDataSource } from '../../../src/exports/agent.ts';
import { createEmbeddedShop } from '../../helpers/embedded-agent.ts';
import { call } from '../../helpers/rest-call.ts';
import { addDataSources } from './data-source-example.ts';

const repository = path.resolve(import.meta.dirname, '../../..');

describe('the page about data sources', () => {
  it('has the example that is compiled here', async () => {
    const page = await readFile(path.join(repository, 'docs/data-sources.md'), 'utf8');
    const example = await readFile(path.join(import.meta.dirname, 'data-source-example.ts'), 'utf8');
    expect(page).toContain(example.replace('../../../src/exports/agent.ts', '@vendor/cloud/agent'));
  });

  it('has an example that serves its records, also after a restart', async () => {
    const { agent, token } = await createEmbeddedShop();
    const lines: string[] = [];
    let reads = 0;
    const readCountries = async () => {
      reads += 1;
      return [{ code: 'fr', label: `France ${reads}` }];
    };
    addDataSources(agent, readCountries, (line) => lines.push(line));
    agent.mountOnStandaloneServer(0);
    await agent.start();
    const labels = async (collection: string) => {
      const agentUrl = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
      const { json } = await call({ agentUrl, token }, `/${collection}?sort=label`, { timezone: 'UTC' });
      return (json as { data: { attributes: { label: string } }[] }).data.map(({ attributes }) => attributes.label);
    };
    expect(await labels('regions')).toEqual(['North', 'South']);
    expect(lines).toEqual(['list regions']);
    expect(await labels('countries')).toEqual(['France 1']);
    await agent.restart();
    expect(await labels('regions')).toEqual(['North', 'South']);
    expect(await labels('countries')).toEqual(['France 2']);
  });
});

describe('adding a data source', () => {
  it.each([undefined, 'sqlite:./shop.sqlite', Promise.resolve(createMemoryDataSource([]))])(
    'refuses %s, and says what it takes',
    (source) => {
      const agent = createAgent({ authSecret: 'a secret', envSecret: 'e'.repeat(64) });
      expect(() => agent.addDataSource(source as never)).toThrow(
        expect.objectContaining({
          code: 'AGENT_OPTION_INVALID',
          message: expect.stringContaining('createSqlDataSource'),
        }),
      );
    },
  );
});
