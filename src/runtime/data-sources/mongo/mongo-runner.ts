import type { MongoStatements } from '#kernel/ports/mongo-database';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { QueryContext, TellKeys } from '../interface/data-source.ts';
import type { MongoCollection } from './document-source.ts';

/** What the statements of a store run on: the database itself, or one of its transactions. */
export interface MongoRunner {
  readonly statements: MongoStatements;
  /** Run statements that belong together. Inside of a transaction they join it. */
  together<Result>(work: (statements: MongoStatements) => Promise<Result>, context: QueryContext): Promise<Result>;
  /** Whether `together` undoes what it did when a part fails. */
  readonly isAtomic: boolean;
}

/** The records that a write is about. */
export interface ChosenRecords {
  readonly collection: MongoCollection;
  readonly where: ConditionTree | undefined;
  readonly context: QueryContext;
  readonly tell: TellKeys | undefined;
}
