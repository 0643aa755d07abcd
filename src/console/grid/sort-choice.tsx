import { look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { columnsOf, type VisibleCollection } from '../model/schema.ts';
import { type ListState, sortPathOf, sortsOf } from './list-state.ts';

interface SortChoiceProps {
  readonly collection: VisibleCollection;
  readonly state: ListState;
  readonly onChange: (change: { readonly sort: string | undefined }) => void;
}

/** Sorts where there are no headers to press: by one column, up or down. */
export function SortChoice({ collection, state, onChange }: SortChoiceProps) {
  const messages = useMessages();
  const { sort = '' } = state;
  const choices = columnsOf(collection).flatMap((column) => {
    const path = sortPathOf(column);
    if (path === undefined) return [];
    return [
      { sort: path, text: `${column.name} ↑` },
      { sort: `-${path}`, text: `${column.name} ↓` },
    ];
  });
  const isOther = sort !== '' && !choices.some((choice) => choice.sort === sort);
  const inWords = sortsOf(state).map(({ path, isDescending }) => `${path} ${isDescending ? '↓' : '↑'}`);
  return (
    <select
      className={look.button}
      aria-label={messages.sort}
      value={sort}
      onChange={({ target }) => onChange({ sort: target.value || undefined })}
    >
      <option value="">{messages.unsorted}</option>
      {isOther && <option value={sort}>{inWords.join(', ')}</option>}
      {choices.map((choice) => (
        <option key={choice.sort} value={choice.sort}>
          {choice.text}
        </option>
      ))}
    </select>
  );
}
