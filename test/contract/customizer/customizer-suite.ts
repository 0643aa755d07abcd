import { describe } from 'vitest';
import type { OpenTables } from '../data-source/opened.ts';
import { describeFields } from './field-tests.ts';
import { describeInteractions } from './interaction-tests.ts';
import { describeQueries } from './query-tests.ts';
import { describeRelations } from './relation-tests.ts';
import { describeSearch } from './search-tests.ts';
import { describeWrites } from './write-tests.ts';

/** Every customization, with the same results whatever the records are kept in. */
export function describeCustomizer(name: string, open: OpenTables): void {
  describe(`customizations on ${name}`, () => {
    describeFields(open);
    describeRelations(open);
    describeQueries(open);
    describeSearch(open);
    describeWrites(open);
    describeInteractions(open);
  });
}
