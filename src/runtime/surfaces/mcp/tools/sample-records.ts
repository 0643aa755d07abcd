import { isCloudError } from '#kernel/errors/cloud-error';
import { safeText } from '../../../activity/activity-entries.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { packedKey, packId } from '../../../model/record-id.ts';
import { titleField } from '../../../model/record-title.ts';
import { isUntrusted } from '../../../model/untrusted-fields.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { RecordQuery } from '../../../records/request/record-service.ts';
import type { SampleRecord } from './preview.ts';
import type { ToolCall } from './tool.ts';

const sampleSize = 5;
const labelLength = 80;

/** The first records of a selection. Who may not browse them gets the ids alone that they have sent. */
export async function sampleOf(
  { state }: ToolCall,
  collection: CompiledCollection,
  { keys, ...selection }: Pick<RecordQuery, 'relatedTo'> & { readonly keys: readonly (readonly unknown[])[] },
  context: CallContext,
): Promise<readonly SampleRecord[]> {
  const first = keys.slice(0, sampleSize);
  const title = labelField(collection);
  // A question shows no text that people outside can write, because it may come by the assistant.
  const label = title !== undefined && isUntrusted(state.model, collection, title) ? undefined : title;
  const projection = [...collection.primaryKey, ...(label === undefined ? [] : [label])];
  const query = { ...selection, collection: collection.name, keys: first, projection };
  try {
    const records = await state.recordService.list(query, context);
    return records.map((record) => {
      const text = label === undefined ? undefined : record[label];
      const id = packId(collection, record);
      return typeof text === 'string' ? { id, label: safeText(text, labelLength) } : { id };
    });
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'REQUEST_FORBIDDEN') throw error;
    return first.map((key) => ({ id: packedKey(key) }));
  }
}

/** The title of records, unless it is part of the key, which is shown beside it. */
function labelField(collection: CompiledCollection): string | undefined {
  const title = titleField(collection);
  return title === '' || collection.primaryKey.includes(title) ? undefined : title;
}
