import type { CompiledCollection, CompiledModel } from '../../../model/compiled-model.ts';
import { frozenTree } from '../../../query/condition-tree.ts';
import { derivedOnce } from '../../../query/derived-once.ts';
import type { RecordQuery } from '../../../records/request/record-service.ts';
import { lookupInQuery } from '../../request/parameter-lookup.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import { parseRecordSelection } from '../../request/record-selection.ts';
import { parsePage } from './page.ts';
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
