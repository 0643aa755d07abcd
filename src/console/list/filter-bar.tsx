import { Button } from '../design/controls.tsx';
import { type FilterGroup, isGroup, isKnownPath, readFilters, writeFilters } from '../grid/filter-tree.ts';
import { inWords } from '../grid/filter-words.ts';
import type { ChangeList } from '../grid/list-state.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import styles from './list.module.css';

interface FilterBarProps {
  readonly collection: VisibleCollection;
  readonly filters: string;
  readonly onChange: ChangeList;
}

/** The conditions of a list, each with a way to take it back. One that cannot be applied is marked, and stays. */
export function FilterBar({ collection, filters, onChange }: FilterBarProps) {
  const messages = useMessages();
  const tree = readable(filters);
  if (!tree) {
    return (
      <div className={styles['pills']}>
        <Pill kind="broken" text={messages.filterBroken} onRemove={() => onChange({ filters: undefined })} />
      </div>
    );
  }
  const without = (index: number) =>
    writeFilters({ ...tree, conditions: tree.conditions.filter((_, at) => at !== index) });
  return (
    <div className={styles['pills']}>
      {tree.conditions.length > 1 && <span>{tree.aggregator === 'and' ? messages.all : messages.any}</span>}
      {tree.conditions.map((condition, index) => {
        const text = inWords(condition);
        const isKnown = isGroup(condition) || isKnownPath(condition.field, collection);
        return (
          <Pill
            key={text}
            kind={isKnown ? 'applied' : 'broken'}
            text={isKnown || isGroup(condition) ? text : messages.filterUnknown(condition.field)}
            onRemove={() => onChange({ filters: without(index) })}
          />
        );
      })}
    </div>
  );
}

interface PillProps {
  readonly kind: 'applied' | 'broken';
  readonly text: string;
  readonly onRemove: () => void;
}

function Pill({ kind, text, onRemove }: PillProps) {
  const messages = useMessages();
  return (
    <span className={styles['pill']} data-kind={kind}>
      <bdi>{text}</bdi>
      <Button look="quiet" aria-label={messages.remove(text)} onClick={onRemove}>
        ×
      </Button>
    </span>
  );
}

function readable(text: string): FilterGroup | undefined {
  try {
    return readFilters(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
