import { writableCollection } from '../../model/compiled-model.ts';
import { relationNamed } from '../../model/relation-named.ts';
import type { ManyToManyRelation, OneToManyRelation, ToOneRelation } from '../../query/collection-schema.ts';
import type { LinkService } from '../request/link-service.ts';
import type { RecordReader } from '../request/record-reader.ts';
import { readInput } from '../request/unread-input.ts';
import { keysFor } from '../write/nested-writes.ts';
import { notingRecords } from '../write/noted-records.ts';
import { deleteByRequest, type ReportError } from '../write/record-writes.ts';
import { linkChecks } from './link-checks.ts';
import { linkEnds, reachableTarget, writeOn } from './link-ends.ts';
import { keysToTarget, linkHere, linkThere } from './link-to-one.ts';
import { addLink, removeLinks } from './links-through.ts';
import { relatedSelection, toMany, toOne } from './related-selection.ts';
import { updateInScope } from './writes-in-scope.ts';

const manyToOne = ['ManyToOne'] as const;

export function createLinkService(reader: RecordReader, report: ReportError): LinkService {
  const { model, authoriser, engine } = reader;
  return {
    ...linkChecks(reader, report),
    async associate(end, id, context) {
      const { foreign } = relationNamed(model, end.collection, end.relation, toMany);
      await authoriser.require(context.caller, foreign.name, 'edit');
      const target = readInput(id);
      const link = { reader, report, context };
      const ends = await linkEnds(link, end, toMany);
      const reachable = await reachableTarget(link, foreign, target);
      if (ends.relation.kind === 'ManyToMany')
        return addLink(link, ends, ends.relation as ManyToManyRelation, reachable);
      writableCollection(model, foreign.name, 'update');
      const patch = keysFor(ends.relation as OneToManyRelation, ends.parent);
      return (await updateInScope(link, foreign, reachable, patch)) > 0;
    },

    async dissociate(end, where, isDeleting, context) {
      const { foreign } = relationNamed(model, end.collection, end.relation, toMany);
      await authoriser.require(context.caller, foreign.name, isDeleting ? 'delete' : 'edit');
      const { ends, relation, meant } = await relatedSelection({ reader, report, context }, end, where);
      return notingRecords(context.notes, engine.collectionNamed(foreign.name), async (tell) => {
        const link = { reader, report, context, tell };
        if (relation.kind === 'ManyToMany') return removeLinks(link, ends, relation, meant, isDeleting);
        writableCollection(model, foreign.name, isDeleting ? 'delete' : 'update');
        if (isDeleting) {
          return deleteByRequest(writeOn(link, foreign), meant);
        }
        const patch = Object.fromEntries(relation.join.map((pair) => [pair.foreign, null]));
        return updateInScope(link, foreign, meant, patch);
      });
    },

    async keysTo(name, relationName, id, context) {
      const { collection, foreign } = relationNamed(model, name, relationName, manyToOne);
      const originalName = model.names.originalPath(collection.name, relationName);
      const relation = engine.collectionNamed(collection.name).fields.get(originalName) as ToOneRelation;
      const keys = await keysToTarget({ reader, report, context }, foreign, relation, id);
      return Object.fromEntries(
        Object.entries(keys).map(([column, value]) => [model.names.publishedName(collection.name, column), value]),
      );
    },

    async linkToOne(end, id, context) {
      const { collection, foreign, field } = relationNamed(model, end.collection, end.relation, toOne);
      const written = field.kind === 'ManyToOne' ? collection : foreign;
      await authoriser.require(context.caller, written.name, 'edit');
      writableCollection(model, written.name, 'update');
      const target = readInput(id);
      const link = { reader, report, context };
      const ends = await linkEnds(link, end, toOne);
      const relation = ends.relation as ToOneRelation;
      if (relation.kind === 'ManyToOne') await linkHere(link, ends, relation, collection, target);
      else await linkThere(link, ends, relation, target);
    },
  };
}
