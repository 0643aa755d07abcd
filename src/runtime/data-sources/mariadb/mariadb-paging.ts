import type { Page } from '../../query/record-query.ts';
import { boundPaging, type Paging } from '../sql/binding.ts';

/**
 * From so many skipped rows on, a page is found before the records that it refers to. MariaDB keeps it in a table of its
 * own, which takes as long as to look up the related records of 50 to 100 rows.
 */
const deepSkip = 100;

export const mariadbPaging: Paging = {
  ...boundPaging,
  keyOf: (page) => (isDeep(page) ? 'deep' : 'page'),
  isBeforeJoins: isDeep,
};

function isDeep({ skip }: Page): boolean {
  return skip >= deepSkip;
}
