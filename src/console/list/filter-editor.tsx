import { useState } from 'react';
import { Button, Buttons, Dialog } from '../design/controls.tsx';
import { ConditionsEditor } from '../grid/conditions-editor.tsx';
import { type FilterGroup, filled, readFilters, withoutUnfilled, writeFilters } from '../grid/filter-tree.ts';
import type { ChangeList, ListState } from '../grid/list-state.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';

interface FilterEditorProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly state: ListState;
  readonly onChange: ChangeList;
  readonly onClose: () => void;
}

/** Conditions of every operator, nested, and through relations. */
export function FilterEditor({ environment, collection, state, onChange, onClose }: FilterEditorProps) {
  const messages = useMessages();
  const [tree, setTree] = useState<FilterGroup>(() => startingTree(state.filters));
  const apply = () => {
    onChange({ filters: writeFilters(withoutUnfilled(tree)) });
    onClose();
  };
  return (
    <Dialog title={messages.filters} onClose={onClose}>
      <ConditionsEditor environment={environment} collection={collection} group={tree} onChange={setTree} />
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button look="primary" onClick={apply}>
          {messages.apply}
        </Button>
      </Buttons>
    </Dialog>
  );
}

function startingTree(text: string | undefined): FilterGroup {
  try {
    return filled(readFilters(text) ?? { aggregator: 'and', conditions: [] });
  } catch (error) {
    if (error instanceof SyntaxError) return { aggregator: 'and', conditions: [] };
    throw error;
  }
}
