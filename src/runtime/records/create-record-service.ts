import { type CompiledModel, collectionNamed, writableCollection } from '../model/compiled-model.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import { createContextDataSource } from './context/create-handler-context.ts';
import { createLinkService } from './links/create-link-service.ts';
import { createLinkedRecord } from './links/create-linked.ts';
import { publishRefusals } from './publish-refusals.ts';
import { readMethods } from './read-methods.ts';
import { aggregator } from './request/aggregate-query.ts';
import { exporter } from './request/export-records.ts';
import { createRecordReader, type RecordReader } from './request/record-reader.ts';
import type { RecordService } from './request/record-service.ts';
import { selectedIds } from './request/selected-ids.ts';
import { selectionCounter } from './request/selection-counter.ts';
import { readInput } from './request/unread-input.ts';
import { updateListItem } from './update-list-item.ts';
import type { ReportError } from './write/record-writes.ts';
import { writeChecks } from './write-checks.ts';
import { writeMethods } from './write-methods.ts';

/**
 * The service every surface reads and writes records through: authorised, scoped, planned, executed.
 *
 * @param report Logs failures after a write was committed.
 */
export function createRecordService(
  model: CompiledModel,
  authoriser: Authoriser,
  report: ReportError = () => undefined,
): RecordService {
  const reader = createRecordReader(model, authoriser);
  const writing = writeMethods(reader, report);
  const links = createLinkService(reader, report);
  const createLinked: RecordService['createLinked'] = async (name, record, context) => {
    const collection = writableCollection(model, name, 'create');
    await authoriser.require(context.caller, name, 'add');
    const asked = readInput(record);
    for (const holder of asked.holders) await authoriser.require(context.caller, holder.collection, 'edit');
    return createLinkedRecord({ ...writing, ...links }, collection, asked, context);
  };
  return {
    ...readMethods(reader),
    exportRecords: exporter(reader),
    aggregate: aggregator(reader),
    ...contextMethods(reader),
    selectionCounter: (query, context) => selectionCounter(reader, query, context),
    keysTo: links.keysTo,
    checkLink: links.checkLink,
    checkDissociate: links.checkDissociate,
    ...writeChecks(reader),
    ...publishRefusals(model, {
      ...writing,
      ...links,
      createLinked,
      updateListItem: (place, item, context) => updateListItem({ reader, report, context }, place, item),
    }),
  };
}

function contextMethods(
  reader: RecordReader,
): Pick<RecordService, 'contextOf' | 'dataSourceOf' | 'contextFilter' | 'selectedIds'> {
  const { model, engine } = reader;
  return {
    contextOf: (name, context) => engine.contextOf(engine.collectionNamed(name), context),
    dataSourceOf: (context) => createContextDataSource(engine, context),
    contextFilter: async (query, context) => ({
      conditionTree: await reader.filterOf(collectionNamed(model, query.collection), query, context),
    }),
    selectedIds: (name, filter, context) => selectedIds(engine, engine.collectionNamed(name), filter, context),
  };
}
