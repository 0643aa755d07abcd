import { relationNamed, writableCollection } from '../../model/compiled-model.ts';
import { requireWritableLink } from '../../model/writable-links.ts';
import type { ManyToManyRelation, OneToManyRelation, ToOneRelation } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { readInput, type UnreadLater } from '../calls/call-context.ts';
import { intersect } from '../read/record-filter.ts';
import { relatedCondition, type ToManyRelation } from '../read/related-condition.ts';
import type { LinkService, RelationEnd } from '../request/link-service.ts';
import type { RecordReader } from '../request/record-reader.ts';
import { keysFor } from '../write/nested-writes.ts';
import { deleteByRequest, notingRecords, type ReportError } from '../write/record-writes.ts';
import { type LinkCall, type LinkEnds, linkEnds, reachableTarget, writeOn } from './link-ends.ts';
import { keysToTarget, linkHere, linkThere } from './link-to-one.ts';
import { addLink, removeLinks } from './links-through.ts';
import { updateInScope } from './writes-in-scope.ts';

const manyToOne = ['ManyToOne'] as const;

export function createLinkService(reader: RecordReader, report: ReportError): LinkService {
  const { model, authoriser, engine } = reader;
  return {
    ...linkChecks(reader, report),
    async associate(end, id, context) {
      const { collection, foreign, field } = relationNamed(model, end.collection, end.relation, toMany);
      await authoriser.require(context.caller, foreign.name, 'edit');
      requireWritableLink(model, collection, field);
      const target = readInput(id);
      const link = { reader, report, context };
      const ends = await linkEnds(link, end, toMany);
      const reachable = await reachableTarget(link, foreign, ends.relation, target);
      if (ends.relation.kind === 'ManyToMany')
        return addLink(link, ends, ends.relation as ManyToManyRelation, reachable);
      writableCollection(model, foreign.name, 'update');
      const patch = keysFor(ends.relation as OneToManyRelation, ends.parent);
      return (await updateInScope(link, foreign, reachable, patch)) > 0;
    },

    async dissociate(end, where, isDeleting, context) {
      const { collection, foreign, field } = relationNamed(model, end.collection, end.relation, toMany);
      await authoriser.require(context.caller, foreign.name, isDeleting ? 'delete' : 'edit');
      if (!isDeleting) requireWritableLink(model, collection, field);
      const { ends, relation, meant } = await relatedSelection(
        { reader, report, context },
        end,
        where,
        isDeleting ? 'delete' : 'edit',
      );
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
      requireWritableLink(model, collection, field);
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

/** Checks of links that are neither made nor taken away. */
function linkChecks(reader: RecordReader, report: ReportError): Pick<LinkService, 'checkLink' | 'checkDissociate'> {
  const { model, authoriser, engine } = reader;
  return {
    async checkLink(end, id, context) {
      const { collection, foreign, field } = relationNamed(model, end.collection, end.relation, [...toMany, ...toOne]);
      const { name: written } = field.kind === 'ManyToOne' ? collection : foreign;
      await authoriser.require(context.caller, written, 'edit');
      requireWritableLink(model, collection, field);
      if (field.kind !== 'ManyToMany') writableCollection(model, written, 'update');
      const target = readInput(id);
      const link = { reader, report, context };
      const { relation } = await linkEnds(link, end, [field.kind]);
      const reachable = await reachableTarget(link, foreign, relation, target);
      return (await engine.count(engine.collectionNamed(foreign.name), reachable, context)) > 0;
    },

    async checkDissociate(end, where, context) {
      const { collection, foreign, field } = relationNamed(model, end.collection, end.relation, toMany);
      await authoriser.require(context.caller, foreign.name, 'edit');
      requireWritableLink(model, collection, field);
      if (field.kind !== 'ManyToMany') writableCollection(model, foreign.name, 'update');
      const { meant } = await relatedSelection({ reader, report, context }, end, where, 'edit');
      return engine.count(engine.collectionNamed(foreign.name), meant, context);
    },
  };
}

const toMany = ['OneToMany', 'ManyToMany'] as const;
const toOne = ['ManyToOne', 'OneToOne'] as const;

interface RelatedSelection {
  readonly ends: LinkEnds;
  readonly relation: ToManyRelation;
  /** The condition of the selected records, in original names. */
  readonly meant: ConditionTree | undefined;
}

/** The records that a relation to many leads to and that fulfil `where`, as far as the caller has the right on them. */
async function relatedSelection(
  link: LinkCall,
  end: RelationEnd,
  where: UnreadLater<ConditionTree | undefined>,
  right: 'edit' | 'delete',
): Promise<RelatedSelection> {
  const { reader, context } = link;
  const asked = await readInput(where);
  const ends = await linkEnds(link, end, toMany);
  const relation = ends.relation as ToManyRelation;
  const selected = await reader.filterOf(ends.foreign, { where: asked }, right, context);
  const related = await relatedCondition(reader.engine, relation, ends.owner, ends.parent, context);
  return { ends, relation, meant: intersect([related, selected]) };
}
