/** A document, a stage or a part of a query, in the words of MongoDB. Values are those of the BSON library. */
export type MongoDocument = Readonly<Record<string, unknown>>;

/** The stages of an aggregation, in order. */
export type MongoPipeline = readonly MongoDocument[];

/** What the catalogue of the database says of a collection. */
export interface MongoCollectionDescription {
  readonly name: string;
  /** Whether its documents can only be read, as those of a view. */
  readonly isView: boolean;
  /** The `$jsonSchema` that documents are checked against, where there is one. */
  readonly jsonSchema?: MongoDocument | undefined;
  /** The paths of each unique index, that of `_id` left out. */
  readonly uniqueKeys: readonly (readonly string[])[];
}

export interface MongoRequest {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Statements on documents. All reject with `DATABASE_…` errors. Where the database refuses a write, the `fields` of the error are paths
 * in the document.
 */
export interface MongoStatements {
  aggregate(collection: string, pipeline: MongoPipeline, request?: MongoRequest): Promise<MongoDocument[]>;
  /** All of the documents or, when one is refused, none. Each has its `_id`. */
  insert(collection: string, documents: readonly MongoDocument[], request?: MongoRequest): Promise<void>;
  /**
   * How many documents the filter found. Each of them changes at once.
   *
   * @param change update operators, or an aggregation.
   * @param arrayFilters which elements the positions `$[name]` of `change` stand for.
   */
  update(
    collection: string,
    filter: MongoDocument,
    change: MongoDocument | MongoPipeline,
    request?: MongoRequest & { readonly arrayFilters?: readonly MongoDocument[] },
  ): Promise<number>;
  /** How many documents were deleted. */
  remove(collection: string, filter: MongoDocument, request?: MongoRequest): Promise<number>;
}

/** A MongoDB database. */
export interface MongoDatabase extends MongoStatements {
  /** In alphabetical order, those of the system left out. */
  describeCollections(): Promise<MongoCollectionDescription[]>;
  /** Whether the topology has transactions: replica sets and sharded clusters do, a standalone server does not. */
  hasTransactions(): Promise<boolean>;
  /**
   * Run `work` in one transaction: committed when it resolves, undone when it rejects. Where the topology has no transactions, each
   * statement is on its own.
   *
   * @param request `isRepeatable` says that `work` may run again when another transaction was in the way; default `false`.
   */
  transaction<Result>(
    work: (statements: MongoStatements) => Promise<Result>,
    request?: MongoRequest & { readonly isRepeatable?: boolean },
  ): Promise<Result>;
  /** How many connections are open now. */
  openConnections(): number;
  close(): Promise<void>;
}
