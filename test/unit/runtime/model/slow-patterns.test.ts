import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { readCheck } from '#runtime/data-sources/checks/row-check';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { patternsOfChecks, patternWarnings } from '#runtime/model/slow-patterns';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../helpers/call-context.ts';

const call = callIn('UTC');
const openNotes = () =>
  createMemoryDataSource([
    {
      name: 'notes',
      schema: {
        columns: [
          { name: 'id', type: 'Number' },
          { name: 'text', type: 'String' },
        ],
        primaryKey: ['id'],
      },
      records: [{ id: 1, text: 'secret-1' }],
    },
  ]);

async function modelOf(customize: (agent: Agent) => unknown) {
  const collector = createDeclarationCollector();
  await customize(collector.agent);
  return compileModel([openNotes()], await collector.finish());
}

const slow = { operator: 'Match', value: /^(?!secret-2)\w+-\d$/ } as const;

describe('a pattern without a linear form', () => {
  it('is warned of where code declares it: in a validation, a segment, and a computed field', async () => {
    const when = { field: 'text', ...slow };
    // biome-ignore lint/suspicious/noThenProperty: the counterpart of `when`, and no function.
    const expression = { case: [{ when, then: { value: true } }] };
    const { original } = await modelOf((agent) =>
      agent.customizeCollection('notes', (notes) =>
        notes
          .addFieldValidation('text', 'Match', slow.value)
          .addFieldValidation('text', 'Match', /^\w+-\d$/)
          .addSegment('some', { field: 'text', ...slow })
          .addField('isOther', { columnType: 'Boolean', expression }),
      ),
    );
    expect(patternWarnings(original)).toEqual([
      expect.stringContaining(`${slow.value} in the validation of "text" of "notes"`),
      expect.stringContaining(`${slow.value} in the segment "some" of "notes"`),
      expect.stringContaining(`${slow.value} in the field "isOther" of "notes"`),
    ]);
  });

  it('is warned of once where a handler makes it, without the text that somebody typed', async () => {
    const said: string[] = [];
    const model = await modelOf((agent) =>
      agent.customizeCollection('notes', (notes) =>
        notes
          .addSegment('made', () => ({ field: 'text', ...slow }))
          .replaceSearch((search) => ({ field: 'text', operator: 'Match', value: new RegExp(`^(?!${search})`) })),
      ),
    );
    const service = createRecordService(model, everythingAllowed, undefined, (message) => said.push(message));
    const query = { collection: 'notes', projection: ['id'] };
    expect(await service.list({ ...query, segment: 'made' }, call)).toEqual([{ id: 1 }]);
    expect(await service.list({ ...query, search: 'secret-2' }, call)).toEqual([{ id: 1 }]);
    expect(said).toEqual([expect.stringContaining('compares "text" of "notes" with')]);
    expect(said.join()).not.toContain('secret');
    const { collection } = service.contextOf('notes', call);
    await collection.list({ conditionTree: { field: 'text', operator: 'Match', value: /^a+$/ } }, ['id']);
    expect(said).toHaveLength(1);
  });

  it('is warned of where the check of a table has it, and a check that takes too long is left to the database', async () => {
    const [text, linear] = ["code ~ '^(a+)+\\1$'::text", "code ~ '^[A-Z]+$'::text"];
    const source = openNotes();
    const rules = async () =>
      new Map([['orders', { uniqueKeys: [], checks: [readCheck({ text }), readCheck({ text: linear })] }]]);
    expect(await patternsOfChecks([{ ...source, rules }, source])).toEqual([
      expect.stringMatching(/in the check of "code" of "orders" \(code ~ /),
    ]);
    expect(readCheck({ text }).holds?.({ code: `${'a'.repeat(40)}!` })).toBeNull();
    expect(readCheck({ text: linear }).holds?.({ code: 'AB' })).toBe(true);
  });
});
