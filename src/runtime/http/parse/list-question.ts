import type { CompiledCollection, CompiledModel } from '../../plan/compiled-model.ts';
import type { RecordQuery } from '../../plan/record-service.ts';
import { frozenTree } from '../../query/condition-tree.ts';
import { derivedOnce } from '../../query/derived-once.ts';
import type { QueryParameters } from '../route.ts';
import { parsePage } from './page.ts';
import { lookupInQuery } from './parameter-lookup.ts';
import { parseRecordSelection } from './record-selection.ts';
import { parseSort } from './sort.ts';

/** What a list is asked for, but for the fields; the same parameters give the same objects. */
export const parseListQuestion = derivedOnce(
  (query: QueryParameters, collection: CompiledCollection, model: CompiledModel): Omit<RecordQuery, 'projection'> => {
    const lookup = lookupInQuery(query);
    const sort = parseSort(lookup('sort'));
    const page = parsePage(lookup);
    const selection = parseRecordSelection(model, collection, lookup);
    const where = selection.where && frozenTree(selection.where);
    const question = { ...selection, where, sort: Object.freeze(sort), page };
    return Object.isFrozen(where) ? Object.freeze(question) : question;
  },
);
