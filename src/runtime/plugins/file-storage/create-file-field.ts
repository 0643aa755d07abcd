import type { Plugin, PluginAgent } from '../../customizer/agent.ts';
import { declareInPlugin, takesPluginDeclarations } from '../../customizer/plugin-declarations.ts';
import type { Operator } from '../../query/operators.ts';
import { pluginMisused } from '../../user-code/refused-options.ts';
import { type OpenAgents, openFileBucket } from './file-bucket.ts';
import { type FileFieldOptions, fileFieldOf } from './file-field.ts';
import { isKey, readFiles, removeUnused } from './stored-files.ts';
import { fileWriter } from './write-file.ts';

/** What is asked of a field of files is asked of the keys. */
const operators: readonly Operator[] = ['Present', 'Missing', 'Blank', 'Equal', 'In'];

/** The plugin `createFileField`, on connections of the host. */
export function fileFieldPlugin(openAgents: OpenAgents): Plugin<FileFieldOptions> {
  return (agent, collection, options) => declareFileField(agent, collection, options, openAgents);
}

function declareFileField(
  agent: PluginAgent,
  collection: Parameters<Plugin<FileFieldOptions>>[1],
  options: FileFieldOptions | undefined,
  openAgents: OpenAgents,
): void {
  if (!collection) throw pluginMisused('createFileField is used on a collection, not on the agent.');
  const field = fileFieldOf(options);
  const { columnName, fieldName, deleteFiles } = field;
  const bucket = openFileBucket(field.bucket, openAgents);
  const name = `${columnName}__file`;
  collection
    .addField(name, {
      columnType: 'String',
      dependencies: [columnName],
      getValues: (records) =>
        readFiles(
          field,
          bucket,
          records.map((record) => record[columnName]),
        ),
    })
    .replaceFieldWriting(name, fileWriter(agent, field, bucket))
    .removeField(columnName);
  if (takesPluginDeclarations(collection)) collection[declareInPlugin]({ kind: 'field of files', name });
  if (fieldName !== name) collection.renameField(name, fieldName);
  for (const operator of operators) {
    collection.replaceFieldOperator(name, operator, (value) => ({ field: columnName, operator, value }));
  }
  if (!deleteFiles) return;
  collection.addHook('Before', 'Delete', async ({ collection: deleted, filter, afterWrite }) => {
    const isKept = agent.collections.find((outline) => outline.name === deleted.name)?.marksDeletions;
    // The records can be restored, with their files.
    if (isKept) return;
    const records = await deleted.list({ conditionTree: filter.conditionTree }, [columnName]);
    const keys = records.map((record) => record[columnName]).filter(isKey);
    afterWrite(async (outcome, after) => {
      if (outcome !== 'committed') return;
      await removeUnused(bucket, keys, { collection: deleted.name, column: columnName }, after);
    });
  });
}
