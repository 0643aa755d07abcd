import { relatedEnd } from '../call/related-end.ts';
import type { Route } from '../call/route.ts';
import { idInPath } from '../parse/named-ids.ts';
import { answerOfCount } from './count-records.ts';
import { answerOfList } from './list-records.ts';

/** A page of the records that a to-many relation leads to. */
export const listRelatedRoute: Route = {
  method: 'GET',
  path: '/:collection/:id/relationships/:relation',
  activity: { action: 'listRelatedData', label: ({ params }) => params['relation'], recordIds: idInPath },
  answer: async (call) => {
    const { foreign, end } = relatedEnd(call, 'to many');
    return answerOfList(call, foreign, end);
  },
};

export const countRelatedRoute: Route = {
  method: 'GET',
  path: '/:collection/:id/relationships/:relation/count',
  answer: async (call) => {
    const { foreign, end } = relatedEnd(call, 'to many');
    return answerOfCount(call, foreign, end);
  },
};
