import { describe, expect, it } from 'vitest';
import { compareOutlines } from '#contracts/compare-outlines';
import type { SchemaDocument } from '#contracts/schema-document';
import { outlineOfDocument } from '#contracts/schema-outlines';

/** A collection with an action whose form has these fields. */
function withInputs(...fields: SchemaDocument['collections'][number]['actions'][number]['fields']) {
  const action = { name: 'Refund', type: 'single', download: false, fields };
  const collection = {
    name: 'orders',
    isReadOnly: false,
    isSearchable: true,
    fields: [],
    actions: [action],
    segments: [],
  };
  return outlineOfDocument({ collections: [collection] } as unknown as SchemaDocument);
}

describe('outlineOfDocument', () => {
  it('tells that an input of an action takes another type', () => {
    const before = withInputs({ field: 'Amount', type: 'Number' }, { field: 'Tags', type: ['String'] });
    const after = withInputs({ field: 'Amount', type: 'String' }, { field: 'Tags', type: ['String'] });
    expect(compareOutlines(before, after)).toEqual([
      {
        change: 'changed',
        collection: 'orders',
        part: { kind: 'action', name: 'Refund' },
        facts: ['inputs: Amount: Number, Tags: list of String → Amount: String, Tags: list of String'],
        isBreaking: true,
      },
    ]);
  });

  it('takes inputs that another agent has published without a type', () => {
    expect(
      compareOutlines(withInputs({ field: 'Amount' }), withInputs({ field: 'Amount', type: 'Number' })),
    ).toMatchObject([{ facts: ['inputs: Amount: of an unknown type → Amount: Number'] }]);
  });
});
