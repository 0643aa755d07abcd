import { useNavigate } from '@tanstack/react-router';
import { Button, Empty } from '../design/controls.tsx';
import type { ChangeList, ListState } from '../grid/list-state.ts';
import { useMessages } from '../messages/index.ts';
import { isToOne, type VisibleCollection } from '../model/schema.ts';

interface EmptyListProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly state: ListState;
  readonly onChange: ChangeList;
}

/** Nothing matches, nothing is in the scope of the person, or nothing is there: three different things. */
export function EmptyList({ environment, collection, state, onChange }: EmptyListProps) {
  const messages = useMessages();
  const navigate = useNavigate();
  const { name, rights, isReadOnly, isScoped } = collection;
  if (state.search ?? state.filters ?? state.segment ?? state.deleted) {
    const mayWiden = state.search !== undefined && state.extended !== 'true' && collection.relations.some(isToOne);
    const clear = () => onChange({ search: undefined, filters: undefined, segment: undefined, deleted: undefined });
    return (
      <Empty
        title={messages.emptyByFilter}
        why={isScoped ? messages.emptyByFilterInScopeWhy : messages.emptyByFilterWhy}
      >
        {mayWiden && (
          <Button look="primary" onClick={() => onChange({ extended: 'true' })}>
            {messages.searchRelated}
          </Button>
        )}
        <Button onClick={clear}>{messages.clearFilters}</Button>
      </Empty>
    );
  }
  const mayAdd = rights.add && !isReadOnly;
  const create = () =>
    void navigate({ to: '/$environment/new/$collection', params: { environment, collection: name } });
  return (
    <Empty
      title={isScoped ? messages.emptyByScope(name) : messages.emptyCollection(name)}
      {...(isScoped ? { why: messages.emptyByScopeWhy } : mayAdd ? { why: messages.emptyCollectionWhy } : {})}
    >
      {mayAdd && (
        <Button look="primary" onClick={create}>
          {messages.newRecord}
        </Button>
      )}
    </Empty>
  );
}
