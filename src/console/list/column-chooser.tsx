import { useState } from 'react';
import { Button, Buttons, Dialog } from '../design/controls.tsx';
import { type ChangeList, type ListState, shownColumns, writeColumns } from '../grid/list-state.ts';
import { useMessages } from '../messages/index.ts';
import { columnsOf, type VisibleCollection } from '../model/schema.ts';
import styles from './list.module.css';

interface ColumnChooserProps {
  readonly collection: VisibleCollection;
  readonly state: ListState;
  readonly onChange: ChangeList;
  readonly onClose: () => void;
}

/** Which columns a list shows, and in which order. */
export function ColumnChooser({ collection, state, onChange, onClose }: ColumnChooserProps) {
  const messages = useMessages();
  const [before] = useState(() => shownColumns(state.columns, collection).map(({ name }) => name));
  const [shown, setShown] = useState(before);
  const others = columnsOf(collection)
    .map(({ name }) => name)
    .filter((name) => !shown.includes(name));
  const toggle = (name: string) =>
    setShown(shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name]);
  const apply = () => {
    onChange({ columns: writeColumns(shown) });
    onClose();
  };
  return (
    <Dialog title={messages.columns} isUnsaved={shown !== before} onClose={onClose} isAtSide>
      <ul className={styles['columns']}>
        {[...shown, ...others].map((name) => {
          const at = shown.indexOf(name);
          return (
            <li key={name}>
              <label>
                <input type="checkbox" checked={at >= 0} onChange={() => toggle(name)} /> <bdi>{name}</bdi>
              </label>
              <span />
              <Button
                look="quiet"
                disabled={at < 1}
                aria-label={messages.moveUp(name)}
                onClick={() => setShown(moved(shown, at, at - 1))}
              >
                ↑
              </Button>
              <Button
                look="quiet"
                disabled={at < 0 || at === shown.length - 1}
                aria-label={messages.moveDown(name)}
                onClick={() => setShown(moved(shown, at, at + 1))}
              >
                ↓
              </Button>
            </li>
          );
        })}
      </ul>
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button look="primary" disabled={shown.length === 0} onClick={apply}>
          {messages.apply}
        </Button>
      </Buttons>
    </Dialog>
  );
}

function moved(names: readonly string[], from: number, to: number): string[] {
  const next = [...names];
  const [name] = next.splice(from, 1);
  if (name !== undefined) next.splice(to, 0, name);
  return next;
}
