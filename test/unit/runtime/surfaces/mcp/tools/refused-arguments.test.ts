import { describe, expect, it } from 'vitest';
import { isCloudError } from '#kernel/errors/cloud-error';
import { tools } from '#runtime/surfaces/mcp/tools/index';

const step = /^Give "(?<argument>\w+)" as its schema says: (?<schema>\{.*\})$/;

function refusal(name: string, sent: Readonly<Record<string, unknown>>) {
  try {
    tools.find((tool) => tool.name === name)?.read(sent);
  } catch (error) {
    if (isCloudError(error)) return error;
  }
  throw new TypeError('Nothing was refused.');
}

describe('an argument of a tool that cannot be used', () => {
  it.each<[unknown, string]>([
    [5, 'The argument "sort" of the tool "list" cannot be used: it has the wrong form.'],
    [{ fields: 'id' }, 'The argument "sort.field" of the tool "list" cannot be used: '],
    [{ field: 'id', ascending: 'up' }, 'The argument "sort.ascending" of the tool "list" cannot be used: '],
    [
      { field: 'id', order: 'asc' },
      'The argument "sort" of the tool "list" cannot be used: Unrecognized key: "order".',
    ],
  ])('is answered with its place and its schema: the sort %j', (sort, message) => {
    const error = refusal('list', { collectionName: 'orders', sort });
    expect(error.message).toContain(message);
    const { argument, schema = '' } = step.exec(error.nextSteps.join())?.groups ?? {};
    expect([argument, JSON.parse(schema)]).toEqual([
      'sort',
      {
        description: '{field, ascending}, or "-total,customer:name".',
        type: ['object', 'string'],
        properties: { field: { type: 'string' }, ascending: { type: 'boolean', default: true } },
        required: ['field'],
      },
    ]);
  });

  it.each(tools.map(({ name, input }) => [name, Object.keys(input.shape)] as const))(
    'is answered with its schema by each tool: %s',
    (name, known) => {
      const wrong = Object.fromEntries(known.map((argument) => [argument, Symbol('no JSON')]));
      const error = refusal(name, known.length > 0 ? wrong : { a: 1 });
      const argument = /^The argument "(\w+)/.exec(error.message)?.[1];
      expect(step.exec(error.nextSteps.join())?.groups?.['argument']).toBe(argument);
      expect(argument === undefined).toBe(known.length === 0);
    },
  );
});
