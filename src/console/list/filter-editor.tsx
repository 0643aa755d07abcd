import { useState } from 'react';
import { Button, Buttons, Dialog, look } from '../design/controls.tsx';
import { ConditionsEditor, freshCondition } from '../grid/conditions-editor.tsx';
import {
  type FilterGroup,
  filled,
  readFilters,
  unfilledFields,
  withoutUnfilled,
  writeFilters,
} from '../grid/filter-tree.ts';
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
  const [begun] = useState<FilterGroup>(() => startingTree(state.filters, collection));
  const [tree, setTree] = useState(begun);
  const leftOut = unfilledFields(tree);
  const apply = () => {
    onChange({ filters: writeFilters(withoutUnfilled(tree)) });
    onClose();
  };
  return (
    <Dialog title={messages.filters} isUnsaved={tree !== begun || undefined} onClose={onClose}>
      <form
        className={look.form}
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <ConditionsEditor
          environment={environment}
          collection={collection}
          group={tree}
          isNew={state.filters === undefined}
          onChange={setTree}
        />
        <p className={look.small} role="status">
          {leftOut.map((field) => messages.conditionLeftOut(field)).join(' ')}
        </p>
        <Buttons>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button look="primary" type="submit">
            {messages.apply}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

/** Where nothing is filtered yet, a first condition is begun: nobody opens this to look at an empty group. */
function startingTree(text: string | undefined, collection: VisibleCollection): FilterGroup {
  if (text === undefined) return { aggregator: 'and', conditions: [freshCondition(collection)] };
  try {
    return filled(readFilters(text) ?? { aggregator: 'and', conditions: [] });
  } catch (error) {
    if (error instanceof SyntaxError) return { aggregator: 'and', conditions: [] };
    throw error;
  }
}
