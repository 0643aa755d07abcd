import { describe } from 'vitest';
import { describeAggregates } from './aggregate-tests.ts';
import { describeConditions } from './condition-tests.ts';
import { describeExpressions } from './expression-tests.ts';
import type { EngineLimits, OpenTables } from './opened.ts';
import { describePlaces } from './place-tests.ts';
import { describeReading } from './reading-tests.ts';
import { describeRelatedFilters } from './related-filter-tests.ts';
import { describeRelativeDates } from './relative-date-tests.ts';
import { describeTransactions } from './transaction-tests.ts';
import { describeWriting } from './writing-tests.ts';

/**
 * What every data source must do, the same everywhere.
 *
 * @param open makes a database with the tables and a data source on it; closing that source must free the database.
 */
export function describeDataSource(name: string, open: OpenTables, limits: EngineLimits = {}): void {
  describe(`data source on ${name}`, () => {
    describeReading(open, limits);
    describePlaces(open, limits);
    describeConditions(open, limits);
    describeRelatedFilters(open);
    describeRelativeDates(open, limits);
    describeAggregates(open, limits);
    describeExpressions(open, limits);
    describeTransactions(open);
    describeWriting(open, limits);
  });
}
