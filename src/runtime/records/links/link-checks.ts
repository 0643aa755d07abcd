import { writableCollection } from '../../model/compiled-model.ts';
import { relationNamed } from '../../model/relation-named.ts';
import type { LinkService } from '../request/link-service.ts';
import type { RecordReader } from '../request/record-reader.ts';
import { readInput } from '../request/unread-input.ts';
import type { ReportError } from '../write/record-writes.ts';
import { linkEnds, reachableTarget } from './link-ends.ts';
import { relatedSelection, toMany, toOne } from './related-selection.ts';

/** Checks of links that are neither made nor taken away. */
export function linkChecks(
  reader: RecordReader,
  report: ReportError,
): Pick<LinkService, 'checkLink' | 'checkDissociate'> {
  const { model, authoriser, engine } = reader;
  return {
    async checkLink(end, id, context) {
      const { collection, foreign, field } = relationNamed(model, end.collection, end.relation, [...toMany, ...toOne]);
      const { name: written } = field.kind === 'ManyToOne' ? collection : foreign;
      await authoriser.require(context.caller, written, 'edit');
      if (field.kind !== 'ManyToMany') writableCollection(model, written, 'update');
      const target = readInput(id);
      const link = { reader, report, context };
      await linkEnds(link, end, [field.kind]);
      const reachable = await reachableTarget(link, foreign, target);
      return (await engine.count(engine.collectionNamed(foreign.name), reachable, context)) > 0;
    },

    async checkDissociate(end, where, context) {
      const { foreign, field } = relationNamed(model, end.collection, end.relation, toMany);
      await authoriser.require(context.caller, foreign.name, 'edit');
      if (field.kind !== 'ManyToMany') writableCollection(model, foreign.name, 'update');
      const { meant } = await relatedSelection({ reader, report, context }, end, where);
      return engine.count(engine.collectionNamed(foreign.name), meant, context);
    },
  };
}
