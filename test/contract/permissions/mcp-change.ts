import type { ShopChange } from './changes.ts';
import type { AskedTool } from './mcp-request.ts';
import { keys, type ShopWrite } from './writes.ts';

/** The call of a tool that writes the same as a request of the REST API; `undefined` where no tool does. */
export function toolOfWrite({ verb, root, id, attributes, target }: ShopWrite): AskedTool | undefined {
  const key = keys[root];
  if (verb === 'update') return { name: 'update', args: { collectionName: root, recordId: id, attributes } };
  if (verb === 'create') {
    const linked = key && target !== undefined ? { [key.column]: target } : {};
    return { name: 'create', args: { collectionName: root, attributes: { ...linked, ...attributes } } };
  }
  // A relation is emptied by an update of its key.
  if (!key || target === null) return undefined;
  return {
    name: 'associate',
    args: { collectionName: root, parentRecordId: id, relationName: key.relation, targetRecordId: target },
  };
}

/** The same for a change of records that are there. */
export function toolOfChange({ kind, root, parent, ids }: ShopChange): AskedTool | undefined {
  const owner = root === 'orders' ? 'customers' : 'orders';
  const relation = { collectionName: owner, parentRecordId: parent, relationName: root };
  switch (kind) {
    case 'link':
      return { name: 'associate', args: { ...relation, targetRecordId: ids[0] } };
    case 'unlink':
      return { name: 'dissociate', args: { ...relation, targetRecordIds: ids } };
    case 'delete':
    case 'delete selection':
      return { name: 'delete', args: { collectionName: root, recordIds: ids } };
    case 'unlink and delete':
    case 'list item':
      return undefined;
  }
}
