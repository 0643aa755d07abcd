import type { CollectionSchema } from './collection-schema.ts';
import { nestPath, unnestPath } from './record-path.ts';

/** The paths of the fields to read, in order and without repetition. Never changed, only copied. */
export class Projection implements Iterable<string> {
  readonly paths: readonly string[];

  /** @param paths columns, and paths `relation:column` through to-one relations. */
  constructor(...paths: readonly string[]) {
    this.paths = [...new Set(paths)];
  }

  [Symbol.iterator](): Iterator<string> {
    return this.paths[Symbol.iterator]();
  }

  /** Columns of the collection itself. */
  get columns(): readonly string[] {
    return this.paths.filter((path) => !path.includes(':'));
  }

  /** The paths that are read through each relation. */
  get relations(): ReadonlyMap<string, Projection> {
    const behind = this.paths.filter((path) => path.includes(':'));
    const byRelation = Map.groupBy(behind, (path) => path.slice(0, path.indexOf(':')));
    return new Map([...byRelation].map(([relation, paths]) => [relation, new Projection(...paths).unnest(relation)]));
  }

  /**
   * The projection with the primary keys of its collection and of every collection it goes through, at the end.
   *
   * @param collectionNamed the collection that a relation leads to.
   */
  withPks(collection: CollectionSchema, collectionNamed: (name: string) => CollectionSchema | undefined): Projection {
    const behind = [...this.relations].flatMap(([name, projection]) => {
      const relation = collection.fields.get(name);
      const foreign = relation && relation.kind !== 'column' ? collectionNamed(relation.foreignCollection) : undefined;
      return foreign ? [...projection.withPks(foreign, collectionNamed).nest(name)] : [];
    });
    return new Projection(...this.paths, ...collection.primaryKey, ...behind);
  }

  /** The projection seen from the other end of `relation`. */
  nest(relation: string): Projection {
    return new Projection(...this.paths.map((path) => nestPath(path, relation)));
  }

  /** The part of the projection behind `relation`, seen from there. */
  unnest(relation: string): Projection {
    return new Projection(...this.paths.flatMap((path) => unnestPath(path, relation) ?? []));
  }
}
