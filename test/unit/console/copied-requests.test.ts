import { describe, expect, it } from 'vitest';
import { listRequest } from '../../../src/console/grid/list-request.ts';
import { asCurl, copiesOf } from '../../../src/console/model/copied-requests.ts';

const source = {
  agent: { environment: 'development' },
  collection: "o'rders",
  path: ["o'rders"],
  parameters: {
    search: "it's $HOME",
    sort: '-customer.name,id',
    filters: '{"aggregator":"and","conditions":[{"field":"total","operator":"greater_than","value":5}]}',
  },
  paths: ['id', 'customer:name'],
};

describe('a copied request', () => {
  it('is one command of a shell, whatever names and values hold, and has no token', () => {
    const command = asCurl(listRequest(source));
    expect(command).toMatch(/^curl "\$AGENT_URL"'\/o'\\''rders\?timezone=[^']*search=it%27s\+%24HOME/);
    expect(command).toContain('-H "authorization: Bearer $TOKEN"');
    expect(command).toContain("-H 'service-projection: id, customer:name'");
    const write = asCurl({ label: 'a', agent: source.agent, method: 'POST', path: ['a'], body: { text: "it's" } });
    expect(write).toMatch(/^curl -X POST .* -H 'content-type: application\/json' -d '\{"text":"it'\\''s"\}'$/);
  });

  it('is a call of the tool that lists, with its names for operators and sorts', () => {
    const [, json = ''] = /--arguments '(.*)'$/.exec(String(copiesOf(listRequest(source)).mcp)) ?? [];
    expect(JSON.parse(json.replaceAll("'\\''", "'"))).toEqual({
      collectionName: "o'rders",
      search: "it's $HOME",
      filters: { aggregator: 'And', conditions: [{ field: 'total', operator: 'GreaterThan', value: 5 }] },
      sort: '-customer:name,id',
      fields: ['id', 'customer:name'],
    });
    const related = { ...source, path: ['customers', '7', 'relationships', 'orders'] };
    expect(copiesOf(listRequest(related)).mcp).toContain(
      'call listRelated --arguments \'{"collectionName":"customers","parentRecordId":"7","relationName":"orders"',
    );
  });
});
