import { describe, expectTypeOf, it } from 'vitest';
import type { SavedTable } from '#contracts/saved-schema';
import type {
  ColumnDescription,
  ForeignKeyDescription,
  TableDescription,
} from '#runtime/data-sources/tables/table-description';

describe('the saved schema', () => {
  it('holds every member of the description of a table', () => {
    expectTypeOf<keyof SavedTable>().toEqualTypeOf<keyof TableDescription>();
    expectTypeOf<keyof SavedTable['columns'][number]>().toEqualTypeOf<keyof ColumnDescription>();
    expectTypeOf<keyof SavedTable['foreignKeys'][number]>().toEqualTypeOf<keyof ForeignKeyDescription>();
  });
});
